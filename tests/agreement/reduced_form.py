"""queueing-hints in TLA+ where a state does not count events without end: for questions about runs that never end.

Such a form has other states than the machine: between two pods, inFlightEvents has the first event of each kind, and
how many there were of the kind, up to a bound. specs/InFlight.tla says why no action can tell (`Reduced`).
"""

from attrs import evolve

from properties.tla.form import TlaForm

# The formulas of time that are asked of such a form.
FORMULAS = ("EventsAreReleased", "ActivePodIsPopped", "FailedPodIsTriedAgain")
# The designs up to 1.28.1 count in each event the pods that need it.
_NO_LIST = "  NoteEventRule <- NoteEventCountingPods"


def reduced(form: TlaForm, *, endless: bool, most_retained: int = 1) -> TlaForm:
    """`form` whose states do not count events without end.

    `endless`: the powers `events` and `uninteresting` are switches then, and events come as often as they like.
    `most_retained`: the bound; one more stands for any larger number. A release without one list of pods and events
    has no such form.
    """
    if form.reason is not None:
        return form
    if _NO_LIST in form.constants:
        return TlaForm(module=form.module, reason="InFlight.tla reduces the one list of 1.28.2 on")
    if "  StaleBinds = 0" not in form.constants:
        return TlaForm(module=form.module, reason="with stale_binds a state counts the events that came")
    chosen = {"Reduces": "TRUE", "Endless": "TRUE" if endless else "FALSE", "MostRetained": str(most_retained)}
    names = [line.split()[0] for line in form.constants]
    missing = chosen.keys() - set(names)
    if missing:
        raise ValueError(f"not constants of {form.module}: {', '.join(sorted(missing))}")
    lines = (
        f"  {name} = {chosen[name]}" if name in chosen else line
        for name, line in zip(names, form.constants, strict=True)
    )
    return evolve(form, constants=tuple(lines), symmetry=None)
