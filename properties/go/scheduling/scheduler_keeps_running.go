package scheduler

// schedulerKeepsRunning: No order of events ends the scheduler's process.
func schedulerKeepsRunning(before observed, action observedAction, after observed) string {
	if after.crashed != "" {
		return "the scheduler's process ended: " + after.crashed
	}
	return ""
}
