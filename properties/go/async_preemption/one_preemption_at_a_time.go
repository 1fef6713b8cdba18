package scheduler

// onePreemptionAtATime: A pod begins no second preemption before its first one has ended.
func onePreemptionAtATime(before observed, action observedAction, after observed) string {
	goroutines := after.preemption.goroutines
	if len(goroutines) < 2 {
		return ""
	}
	at := "not at its last victim"
	switch {
	case goroutines[0].ends:
		at = "at its end"
	case goroutines[0].last:
		at = "at its last victim"
	}
	return "a preemption of the pod begins while another one of the same pod is " + at
}
