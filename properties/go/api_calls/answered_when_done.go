package scheduler

// answeredWhenDone: Nobody is told that a call is overwritten while the call is in flight.
func answeredWhenDone(before observed, action observedAction, after observed) string {
	if !after.calls.toldEarly {
		return ""
	}
	return "who waits for a call was told that it is overwritten, while the API server is asked"
}
