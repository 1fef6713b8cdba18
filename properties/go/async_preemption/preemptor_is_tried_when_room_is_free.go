package scheduler

// preemptorIsTriedWhenRoomIsFree: When all victims are gone, and nothing is under way, the preemptor is tried or bound.
func preemptorIsTriedWhenRoomIsFree(before observed, action observedAction, after observed) string {
	state := after.preemption
	if !state.roomIsFree() || !state.waits {
		return ""
	}
	where := "it is in unschedulablePods"
	if state.gated {
		where = "PreEnqueue holds it back"
	}
	return "all victims are gone, nothing is under way, and nobody takes the preemptor to activeQ: " + where
}
