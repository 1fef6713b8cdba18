"""What an extender's answer may do that it should not, under the rules of any release.

Nothing is decided here: a claim of `properties.extenders` is held against every reply of its grid.
"""

from collections.abc import Callable

from kubeproof.bugs.component import Demonstration, Under
from model.go.errors import GoError
from model.scheduler.extender_preemption import Candidates
from model.scheduler.http_extender import error_for_node_not_asked
from properties.extenders.answers import GONE, Case, ExtenderRules, FilterCase, claim_named, told

# What a reply does that refutes a claim, in words.
Says = Callable[[Case], str]


def _refuted(rules: ExtenderRules, claim: str, says: Says, about: str) -> Demonstration:
    """The smallest reply of each kind that refutes the claim."""
    smallest: dict[str, Case] = {}
    for case in claim_named(claim).refuted_by(rules):
        smallest.setdefault(says(case), case)
    lines = [about]
    lines += [f"it answers {told(case)}: {said}" for said, case in smallest.items()]
    return Demonstration(tuple(smallest), tuple(lines) if smallest else (about, "no answer does harm"))


_FILTER = "the cycle knows n1, n2 and n3; a plugin refuses n3, and the extender is asked about n1 and n2"
_PREEMPT = "a preemptor of priority 10 fits on n1 if the pods low and lower go; the extender is sent n1 with both"


def widened(under: Under) -> Demonstration:
    """Filter: an answer that leads to a node which was not sent."""

    def says(case: Case) -> str:
        assert isinstance(case, FilterCase)
        by_name = case.reply.node_names is not None and case.node_cache_capable
        named = (case.reply.node_names if by_name else case.reply.nodes) or ()
        how = "by name" if by_name else "as a whole Node object"
        return f"{how}: the pod may go to a node that {'is not there' if GONE in named else 'a plugin refused'}"

    return _refuted(under.rules(ExtenderRules), "filter-narrows", says, _FILTER)


def named_only_if_asked(names: tuple[str, ...], asked: tuple[str, ...]) -> str | None:
    """Whole Node objects are compared with the request, as names are."""
    return error_for_node_not_asked(names, asked, frozenset())[1]


def ends_the_process(under: Under) -> Demonstration:
    """Preempt: an answer that ends the scheduler's process."""

    def says(case: Case) -> str:
        assert not isinstance(case, FilterCase)
        ((_, victims),) = (case.reply.victims or {"": None}).items()
        return f"the scheduler crashes at {'a null' if victims is None else 'a node that is gone'}"

    return _refuted(under.rules(ExtenderRules), "preempt-goes-on", says, _PREEMPT)


def null_is_an_error(node: str) -> GoError:
    return GoError(f"no victims for node {node}")


def unchecked(under: Under) -> Demonstration:
    """Preempt: a node that was not sent, a victim that is more important, and victims that do not suffice."""
    rules = under.rules(ExtenderRules)

    def foreign_node(case: Case) -> str:
        assert not isinstance(case, FilterCase)
        ((_, victims),) = (case.reply.victims or {"": None}).items()
        return (
            "a more important pod is evicted" if victims and victims.pods else "a node is nominated that was not sent"
        )

    foreign = _refuted(rules, "preempt-narrows", foreign_node, _PREEMPT)
    few = _refuted(rules, "victims-suffice", lambda case: "the pod is nominated where it does not fit", _PREEMPT)
    return Demonstration((*foreign.shown, *few.shown), (*foreign.lines, *few.lines[1:]))


def only_what_was_sent(sent: Candidates, answered: Candidates) -> GoError | None:
    """An answer may only leave nodes out."""
    same = all(node in sent and victims.pods == sent[node].pods for node, victims in answered.items())
    return None if same else GoError("the extender answers with what was not sent")
