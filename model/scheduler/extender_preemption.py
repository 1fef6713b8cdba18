"""Extenders in preemption: which nodes and victims are left when each of them has answered. Pure.

Go: `HTTPExtender.ProcessPreemption` in pkg/scheduler/core/extender.go (1.22 on pkg/scheduler/extender.go), called by
`processPreemptionWithExtenders` in core/generic_scheduler.go (to 1.18), `CallExtenders` in
framework/plugins/defaultpreemption (1.19 on), `callExtenders` in framework/preemption/preemption.go (1.23 on). An
answer takes the place of what was sent: an extender takes nodes away by leaving them out, and victims too. Nobody runs
the filters again, and nobody compares the answer with what was sent.
"""

from collections.abc import Callable, Mapping, Sequence

from attrs import frozen

from model.go.errors import NIL_POINTER, GoError
from model.scheduler.preemption.objects import PreemptionNode, Victims


@frozen
class MetaVictims:
    """The victims on a node in an answer (Go: `extenderv1.MetaVictims`)."""

    # Go has UIDs here; in this model the name of a pod is there once.
    pods: tuple[str, ...] = ()
    num_pdb_violations: int = 0


@frozen
class PreemptReply:
    """The answer to a request with the verb Preempt (Go: `ExtenderPreemptionResult`), or why there is none."""

    # Why there is no answer; "": there is one. The answer has no field for an error.
    failed: str = ""
    # `nodeNameToMetaVictims`; None is JSON's null. None for the whole: the field is not there, as in an empty answer.
    victims: Mapping[str, MetaVictims | None] | None = None


# How a node in an answer is taken that the snapshot does not have, by (the node, whether the answer has victims there).
NodeNotFound = Callable[[str, bool], GoError | None]


def panics_with_victims(node: str, victims: bool) -> GoError | None:
    """To 1.17: the text of the error asks a nil NodeInfo for its name. Without victims the node is nil, no error."""
    return NIL_POINTER if victims else None


def nodeinfo_not_found(node: str, victims: bool) -> GoError | None:
    """1.18 on."""
    return GoError(f'nodeinfo not found for node name "{node}"')


def null_is_dereferenced(node: str) -> GoError:
    """To 1.31: Go reads the fields of a nil pointer (EXT-PREEMPT-CRASH)."""
    return NIL_POINTER


def nobody_checks(sent: "Candidates", answered: "Candidates") -> GoError | None:
    """To 1.31: what is wrong with an answer whose victims are on their nodes (EXT-PREEMPT-UNCHECKED)."""
    return None


def no_violations(answered: int) -> int:
    """To 1.23: the number of violations is lost, and every node seems to have none."""
    return 0


def violations_as_answered(answered: int) -> int:
    """1.24 on (#105853)."""
    return answered


def taken_without_victims(node: str) -> GoError | None:
    """To 1.21: a node on which nobody has to leave is a candidate like any other."""
    return None


def no_victims_is_an_error(node: str) -> GoError | None:
    """1.22 on: an error; of an ignorable extender the node is left out."""
    return GoError(f'expected at least one victim pod on node "{node}"')


@frozen(slots=False, kw_only=True)
class ExtenderPreemptionRules:
    """What releases do differently. The first field is that of `PreemptRules`."""

    asks_extenders_to_preempt: Callable[[], bool]
    node_not_found_in_victims: NodeNotFound
    # What a null in place of the victims of a node leads to.
    null_victims: Callable[[str], GoError]
    # (the candidates that were sent, those of the answer) -> what is wrong with the answer.
    error_of_answer: Callable[["Candidates", "Candidates"], GoError | None]
    # The number of violations in an answer -> how many the scheduler counts.
    violations_of_answer: Callable[[int], int]
    # What is wrong with a node for which an answer names no victim.
    node_without_victims: Callable[[str], GoError | None]


Candidates = dict[str, Victims]
# What an extender answers, given the candidates that are left.
Preempts = Callable[[Candidates], PreemptReply]


def process_preemption(
    rules: ExtenderPreemptionRules, reply: PreemptReply, nodes: Mapping[str, PreemptionNode]
) -> Candidates | GoError:
    """Go: `ProcessPreemption`. `nodes`: those of the snapshot."""
    if reply.failed:
        return GoError(reply.failed)
    found: Candidates = {}
    for name, victims in (reply.victims or {}).items():
        if name not in nodes:
            error = rules.node_not_found_in_victims(name, bool(victims and victims.pods))
            if error is not None:
                return error
        if victims is None:
            return rules.null_victims(name)
        pods = {pod.name: pod for pod in nodes[name].pods} if name in nodes else {}
        missing = next((pod for pod in victims.pods if pod not in pods), None)
        if missing is not None:
            return GoError(f"extender claims to preempt pod (UID: {missing}) on node: {name}, but the pod is not found")
        violations = rules.violations_of_answer(victims.num_pdb_violations)
        found[name] = Victims(tuple(pods[pod] for pod in victims.pods), violations)
    return found


def call_extenders(
    rules: ExtenderPreemptionRules,
    extenders: Sequence[tuple[Preempts, bool]],
    candidates: Candidates,
    nodes: Mapping[str, PreemptionNode],
) -> Candidates | GoError:
    """Go: `callExtenders`. Where the framework has no extenders, none is asked.

    `extenders`: of each that has the verb and is interested, what it answers, and `ignorable`.
    A panic is an error with `panic`, whoever is ignorable.
    """
    for preempts, ignorable in extenders if rules.asks_extenders_to_preempt() else ():
        if not candidates:
            break
        found = process_preemption(rules, preempts(candidates), nodes)
        if isinstance(found, GoError):
            if ignorable and not found.panic:
                continue
            return found
        wrong = rules.error_of_answer(candidates, found)
        if wrong is not None:
            return wrong
        for name in [name for name, victims in found.items() if not victims.pods]:
            error = rules.node_without_victims(name)
            if error is not None and not ignorable:
                return error
            if error is not None:
                del found[name]
        candidates = found
    return candidates
