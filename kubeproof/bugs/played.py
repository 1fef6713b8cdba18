"""What was seen when the kept run of a bug was played on the real Go code: counterexamples/<bug>/played.json.

`kubeproof go played` writes these files, and nobody else.
"""

import hashlib
import json
from functools import cache
from importlib.resources import files

from attrs import frozen

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.runs import KeptRun, kept_run
from kubeproof.errors import InputError
from kubeproof.input.documents import json_value
from kubeproof.input.files import packaged_text
from kubeproof.input.structure import misfit, structured
from kubeproof.systems.system import kept_scope_text

AS_IN_THE_TRACE = "as in the trace"
KEPT = "what `kubeproof go played` writes"


@frozen
class PlayedOn:
    """The kept run of a bug, played on the code of one release."""

    # The release of the code, under whose rules the run was compared.
    release: str
    # The Go files of the driver that were chosen for this code.
    halves: str
    date: str
    # The command, without paths of the machine.
    command: str
    # "as in the trace", "differs at state 3: ...", or "cannot be played after state 3: ...".
    result: str
    # What was wrong by Go's own values; "" if the property held.
    violated: str
    # Whether the model of `release` violates the property in this run.
    expected: bool
    # What was run in place of the kept run; "": the kept run.
    run: str = ""

    @property
    def same(self) -> bool:
        """Whether each state was that of the model, and the property was violated where the model violates it."""
        return self.result == AS_IN_THE_TRACE and bool(self.violated) == self.expected

    @property
    def held(self) -> bool:
        """Whether the run was played to its end, and the property held all the way, whatever the states were."""
        return not self.violated and not self.result.startswith("cannot be played")

    @property
    def told(self) -> str:
        """In a few words."""
        if self.run and self.same:
            return f"with {self.run}: the property {'is violated' if self.violated else 'holds'}"
        if self.same:
            return AS_IN_THE_TRACE if self.expected else "not there, as the model says"
        short, _, _ = self.result.partition(": ")
        run = f"with {self.run}: " if self.run else ""
        return f"{run}{short}, and the property {'is violated' if self.violated else 'holds'}"


@frozen
class KeptPlayed:
    """A file played.json."""

    bug: str
    # Which kept run was played.
    trace: str
    # From the oldest release on.
    played: tuple[PlayedOn, ...]


def played_document(text: str, place: str) -> KeptPlayed:
    """What a played.json says. Raises InputError."""
    try:
        document = json_value(text)
        wrong = misfit(document, KeptPlayed)
        if wrong is None:
            return structured(document, KeptPlayed)
    except (ValueError, TypeError, RecursionError) as error:
        wrong = type(error).__name__
    raise InputError(f"{place}: damaged, {wrong}: expected {KEPT}")


def trace_digest(run: KeptRun) -> str:
    """What tells a kept run from any other: what was seen of another run says nothing of this one."""
    actions = [[action.name, [list(arg) for arg in action.args]] for action in run.actions]
    text = json.dumps([kept_scope_text(run.scope), run.release, run.property, actions])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@cache
def _kept(folder: str) -> KeptPlayed | None:
    file = files("counterexamples") / folder / "played.json"
    if not file.is_file():
        return None
    place = f"counterexamples/{folder}/played.json"
    return played_document(packaged_text(file, place, KEPT), place)


def played_of(bug: Bug | ComponentBug, run: KeptRun | None = None) -> tuple[PlayedOn, ...]:
    """On which releases the run of `bug` was played, from the oldest on. Raises InputError.

    What is kept of another run than `run`, which is that of the page if it is not given, is left out.
    """
    kept = _kept(bug.folder)
    if kept is None:
        return ()
    if not isinstance(bug, Bug):
        return kept.played
    return kept.played if kept.trace == trace_digest(run or kept_run(bug)) else ()
