package scheduler

// No run of queueing-hints is played up to 1.27.

func playedRejector(*playedScheduler, string) interface{} { return nil }

const playedClaim = ""
