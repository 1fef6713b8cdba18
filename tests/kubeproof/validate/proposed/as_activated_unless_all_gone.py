"""The preemptor is activated unless all victims were gone before. Wrong: then nobody moves it, as in the release."""

CURES = "ASYNC-PREEMPT-STUCK"


def activates_preemptor(failed: bool, all_gone: bool) -> bool:
    return failed or not all_gone
