"""Whom a pod would evict, and how much of that is needless: the answer as data. `rendering` makes text of this."""

from typing import Literal

from attrs import frozen

# What happens to the pod. "depends": nobody can go on the nodes that are judged, and others are not judged.
Outcome = Literal["fits", "not-tried", "not-eligible", "no-candidate", "preempts", "depends"]
# What is said of a node. "never": whoever leaves. "too-small": even if all pods of lower priority leave.
NodeSays = Literal["fits", "never", "too-small", "candidate", "not-judged"]


@frozen
class Victim:
    """A pod that would go."""

    # Namespace/name.
    pod: str
    priority: int
    # What the pod asks for, as Kubernetes writes quantities.
    requests: dict[str, str]
    # status.startTime; None: not started.
    started: str | None
    # The pods of the node that may go in its place: nothing that preemption looks at differs.
    instead: tuple[str, ...]


@frozen
class BrokenBudget:
    """A budget that does not allow what would happen."""

    # Namespace/name.
    budget: str
    # How many disruptions it allows, and how many evictions more there would be.
    allowed: int
    too_many: int


@frozen
class Eviction:
    """An answer that the release may give."""

    node: str
    # In the order in which the scheduler deletes them.
    victims: tuple[Victim, ...]
    # How many violations of budgets the release counts, and how many there are.
    counted_violations: int
    violations: int
    broken: tuple[BrokenBudget, ...]
    # Why this is more harm than need be, beside `LessHarm`; "": it is not, as far as is known.
    needless: str


@frozen
class LessHarm:
    """The least harmful choice of node and victims that was found."""

    node: str
    victims: tuple[Victim, ...]
    violations: int
    broken: tuple[BrokenBudget, ...]
    # The highest priority among those that go.
    highest_priority: int
    # Whether no other choice does less harm on any node that is judged.
    proved: bool
    # The nodes on which that is not known: too many choices.
    not_known: tuple[str, ...]


@frozen
class FittingBug:
    """A bug that is to blame for the needless evictions: with a later release's rule there are none."""

    # The bug's id.
    bug: str
    title: str
    # The page, and the command that shows the bug.
    page: str
    reproduce: str
    # The first later release without the bug, and what helps until then.
    cured_in: str | None
    until_then: str
    fixes: tuple[str, ...]


@frozen
class NodeAnswer:
    """What is said of a node."""

    node: str
    says: NodeSays
    # Why, or for "not-judged" what decides there.
    reasons: tuple[str, ...]


@frozen
class LookedAt:
    """How many objects were read."""

    pods: int
    nodes: int
    budgets: int
    priority_classes: int
    # Objects of other kinds.
    passed_over: int


@frozen
class PreemptionAnswer:
    """The answer. Its fields are the keys of `--json`, which keep their names from version to version."""

    # The release as it was named, and the upstream release whose rules were used.
    release: str
    judged_as: str
    files: tuple[str, ...]
    looked_at: LookedAt
    # Namespace/name, the priority and the requests of the pod that was asked about.
    pod: str
    priority: int
    requests: dict[str, str]
    outcome: Outcome
    # Why the pod does not preempt; "" if it may.
    why_not: str
    evictions: tuple[Eviction, ...]
    less_harm: LessHarm | None
    # The bugs behind needless evictions.
    bugs: tuple[FittingBug, ...]
    nodes: tuple[NodeAnswer, ...]
    # What else the reader must know.
    notes: tuple[str, ...]
    # What could not be decided from these files; empty: everything was.
    undecided: tuple[str, ...]


def exit_status(answer: PreemptionAnswer) -> int:
    """1: a needless eviction; 3: these files do not decide; 0: no needless eviction."""
    if answer.outcome in ("fits", "not-tried", "not-eligible"):
        return 0
    if any(node.says == "not-judged" for node in answer.nodes):
        return 3
    if any(eviction.needless for eviction in answer.evictions):
        return 1
    return 3 if answer.undecided else 0
