"""What an extender's answer may do that it should not, under the rules of any release.

Nothing is decided here: a claim of `properties.components.extenders` is held against every reply of its grid.
"""

from typing import Any

from kubeproof.bugs.component import Demonstration, Under
from model.go.errors import GoError
from model.scheduler.extender_preemption import Candidates
from model.scheduler.http_extender import error_for_node_not_asked
from properties.components.extenders import ExtenderRules, claim_named, told

_FILTER = "the cycle knows n1, n2 and n3; a plugin refuses n3, and the extender is asked about n1 and n2"
_PREEMPT = "a preemptor of priority 10 fits on n1 if the pods low and lower go; the extender is sent n1 with both"


def _broken(under: Under, claim: str, about: str) -> Demonstration:
    """The smallest reply of each kind that breaks the claim."""
    smallest: dict[str, Any] = {}
    for case, wrong in claim_named(claim).broken_by(under.rules(ExtenderRules)):
        smallest.setdefault(wrong, case)
    lines = [f"it answers {told(case)}: {wrong}" for wrong, case in smallest.items()]
    return Demonstration(tuple(smallest), (about, *(lines or ["no answer does harm"])))


def widened(under: Under) -> Demonstration:
    """Filter: an answer that leads to a node which was not sent."""
    return _broken(under, "filter-narrows", _FILTER)


def named_only_if_asked(names: tuple[str, ...], asked: tuple[str, ...]) -> str | None:
    """Whole Node objects are compared with the request, as names are."""
    return error_for_node_not_asked(names, asked, frozenset())[1]


def ends_the_process(under: Under) -> Demonstration:
    """Preempt: an answer that ends the scheduler's process."""
    return _broken(under, "preempt-goes-on", _PREEMPT)


def null_is_an_error(node: str) -> GoError:
    return GoError(f"no victims for node {node}")


def unchecked(under: Under) -> Demonstration:
    """Preempt: a node that was not sent, a victim that is more important, and victims that do not suffice."""
    foreign, few = _broken(under, "preempt-narrows", _PREEMPT), _broken(under, "victims-suffice", _PREEMPT)
    return Demonstration((*foreign.shown, *few.shown), (*foreign.lines, *few.lines[1:]))


def only_what_was_sent(sent: Candidates, answered: Candidates) -> GoError | None:
    """An answer may only leave nodes out."""
    same = all(node in sent and victims.pods == sent[node].pods for node, victims in answered.items())
    return None if same else GoError("the extender answers with what was not sent")
