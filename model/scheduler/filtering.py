"""Which nodes are asked whether a pod fits, and from which node on the next search begins. Pure.

Go: `findNodesThatFit` in pkg/scheduler/core/generic_scheduler.go (to 1.17), `findNodesThatFitPod` and
`findNodesThatPassFilters` there (1.18 on) and in schedule_one.go (1.24 on), `numFeasibleNodesToFind`, `selectHost`. One
worker asks, as in the recordings: with more of them a few nodes more are asked.
"""

from collections.abc import Callable, Sequence

from attrs import Factory, define, frozen

from model.go.errors import NIL_POINTER, GoError
from model.scheduler.filtering_rules import Named
from model.scheduler.framework.calls import Ask, Steps
from model.scheduler.framework.status import Code, Status

DIVIDE_BY_ZERO = GoError("runtime error: integer divide by zero", panic=True)
# Of a node without NodeInfo: the words are those of the first predicate.
NIL_NODE = Status(Code.UNSCHEDULABLE, ("node(s) had unknown conditions",))
# Asks all filter plugins about the pod on a node.
Check = Callable[[str], Steps[Status]]
# Asks the extenders about the feasible nodes, and adds the statuses of those that they refuse.
Narrow = Callable[[tuple[str, ...], dict[str, Status]], Steps[tuple[str, ...] | GoError]]


def answered(status: Status) -> Steps[Status]:
    """A check that has its answer, and asks nobody."""
    yield from ()
    return status


def no_extenders(nodes: tuple[str, ...], statuses: dict[str, Status]) -> Steps[tuple[str, ...] | GoError]:
    """Nobody refuses a node."""
    yield from ()
    return nodes


@frozen(slots=False, kw_only=True)
class NamedNodeRules:
    """What releases do differently where PreFilter names nodes."""

    # (the names that PreFilter answers, all nodes) -> the nodes to be asked.
    named_nodes: Callable[[tuple[str, ...], tuple[str, ...]], Named]
    # (number of all nodes, of those that may be asked) -> round how many nodes the start goes.
    start_goes_round: Callable[[int, int], int]


@frozen(slots=False, kw_only=True)
class SearchRules(NamedNodeRules):
    """What releases do differently in where a search begins."""

    # Whether the nodes are taken one by one from the cache's node tree, which may change meanwhile.
    takes_nodes_from_tree: Callable[[], bool]
    # Whether trying the nominated node alone moves the start.
    nominated_node_moves_start: Callable[[], bool]


@frozen(slots=False, kw_only=True)
class FilteringRules(SearchRules):
    """What releases do differently."""

    # (nodes, the scheduler's percentageOfNodesToScore, the profile's or None) -> how many feasible nodes are enough.
    num_feasible_nodes_to_find: Callable[[int, int, int | None], int]
    # (how many are enough, whether scores or extenders choose among them) -> how many are enough.
    enough_to_choose: Callable[[int, bool], int]
    # (the nodes, the start, how many are enough) -> the feasible nodes of a profile without filter plugins.
    without_filters: Callable[[tuple[str, ...], int, int], tuple[str, ...]]
    # Whether the filter panics at a node of the tree that the snapshot does not have: see `CycleRules`.
    panics_at_nil_node: Callable[[], bool]
    # Whether the start moves where there are no filter plugins.
    start_moves_without_filters: Callable[[], bool]
    # (nominated node, feasible nodes) -> where the pod may go: see `CycleRules`.
    prefer: Callable[[str, tuple[str, ...]], tuple[str, ...]]
    # (the totals) -> the error or the panic of `selectHost`, or None.
    select_host_panics: Callable[[Sequence[int]], GoError | None]


@frozen
class FilterSetup:
    """A scheduler, its profile, and the pod's filters."""

    rules: FilteringRules
    # percentageOfNodesToScore of the scheduler.
    percentage: int
    # percentageOfNodesToScore of the profile; None: not set.
    profile_percentage: int | None
    # Whether scores or a filtering extender choose among the feasible nodes.
    chooses: bool
    # None: the profile has no filter plugins.
    check: Check | None
    narrow: Narrow = no_extenders


@define
class Found:
    """What a search has found."""

    # nextStartNodeIndex.
    start: int
    # In the order in which they were found.
    feasible: tuple[str, ...] = ()
    # The nodes that were asked, in order.
    examined: list[str] = Factory(list)
    # NodeToStatusMap: the nodes on which the pod does not fit, or that PreFilter left out.
    statuses: dict[str, Status] = Factory(dict)
    # What ended the cycle.
    error: GoError | None = None
    # Whether an extender has refused a node.
    narrowed: bool = False


def find_nodes_that_pass_filters(setup: FilterSetup, nodes: tuple[str, ...], found: Found) -> Steps[None]:
    """Asks the nodes one by one from the start on, until one more than enough is feasible, or a filter fails."""
    rules = setup.rules
    enough = rules.num_feasible_nodes_to_find(len(nodes), setup.percentage, setup.profile_percentage)
    enough = rules.enough_to_choose(enough, setup.chooses)
    found.feasible = ()
    if setup.check is None:
        if enough and not nodes:
            found.error = DIVIDE_BY_ZERO
        else:
            found.feasible = rules.without_filters(nodes, found.start, enough)
        return
    for i in range(len(nodes)):
        node = nodes[(found.start + i) % len(nodes)]
        if (yield from _ask_node(setup.check, node, enough, found)) or found.error is not None:
            return


def _ask_node(check: Check, node: str, enough: int, found: Found) -> Steps[bool]:
    """Asks a node, and files the answer. Whether one more than enough is feasible: that one is not taken."""
    found.examined.append(node)
    status = yield from check(node)
    if status.code is Code.ERROR:
        found.error = found.error or GoError(status.message)
    elif not status.ok:
        found.statuses[node] = status
    elif len(found.feasible) == enough:
        return True
    else:
        found.feasible += (node,)
    return False


def _find_nodes_in_tree(setup: FilterSetup, check: Check, nodes: tuple[str, ...], found: Found) -> Steps[None]:
    """To 1.16: asks as many nodes as the tree has now, each of them the tree's next one when its turn comes.

    The tree's lock is free between two calls of `Next`. An error does not end the search: all errors are told in the
    end (here the first). `nodes`: those of the snapshot. A node that joined since then has no NodeInfo there.
    """
    number: int = yield Ask("number of nodes")
    rules = setup.rules
    enough = rules.num_feasible_nodes_to_find(number, setup.percentage, setup.profile_percentage)
    for _ in range(number):
        node: str = yield Ask("next node")
        if node not in nodes:
            found.examined.append(node)
            found.statuses[node] = NIL_NODE
            if rules.panics_at_nil_node():
                found.error = NIL_POINTER
                break
        elif (yield from _ask_node(check, node, enough, found)):
            break


def _move_start(setup: FilterSetup, found: Found, all_nodes: int, asked: int) -> None:
    """By the nodes that are feasible and those that have a status."""
    if setup.check is None and not setup.rules.start_moves_without_filters():
        return
    nodes = setup.rules.start_goes_round(all_nodes, asked)
    if nodes == 0:
        found.error = found.error or DIVIDE_BY_ZERO
    else:
        found.start = (found.start + len(found.feasible) + len(found.statuses)) % nodes


def _ask_extenders(setup: FilterSetup, found: Found) -> Steps[None]:
    """The extenders narrow the feasible nodes, and never widen them."""
    if found.error is not None:
        return
    left = yield from setup.narrow(found.feasible, found.statuses)
    if isinstance(left, GoError):
        found.error = left
    else:
        found.narrowed = len(left) != len(found.feasible)
        found.feasible = left


def _fits_on_nominated(setup: FilterSetup, nodes: tuple[str, ...], nominated: str, found: Found) -> Steps[bool]:
    """Whether the pod goes to its nominated node, without a look at others (Go: `evaluateNominatedNode`)."""
    looks_first = setup.rules.prefer(nominated, (nominated, "")) == (nominated,)
    if not looks_first or nominated not in nodes:
        return False
    yield from find_nodes_that_pass_filters(setup, (nominated,), found)
    if setup.rules.nominated_node_moves_start():
        _move_start(setup, found, 1, 1)
    yield from _ask_extenders(setup, found)
    # An error of this search is logged, and the pod is tried on all nodes.
    failed, found.error = found.error is not None, None
    return not failed and bool(found.feasible)


def find_nodes_that_fit_pod(
    setup: FilterSetup, nodes: tuple[str, ...], start: int, nominated: str, named: tuple[str, ...] | None
) -> Steps[Found]:
    """The feasible nodes among `nodes`, which are listed as the snapshot lists them. To 1.16 the tree lists the nodes.

    `nominated`: the pod's status.nominatedNodeName, "" for none. `named`: the nodes that PreFilter names, None for all.
    """
    found = Found(start)
    if setup.check is not None and setup.rules.takes_nodes_from_tree():
        yield from _find_nodes_in_tree(setup, setup.check, nodes, found)
        yield from _ask_extenders(setup, found)
        found.feasible = () if found.error is not None else found.feasible
        return found
    if nominated and (yield from _fits_on_nominated(setup, nodes, nominated, found)):
        return found
    asked: tuple[str, ...] = nodes
    if named is not None:
        chosen = setup.rules.named_nodes(named, nodes)
        if isinstance(chosen, GoError):
            found.feasible, found.error = (), chosen
            return found
        asked, left_out = chosen
        found.statuses.update(left_out)
    yield from find_nodes_that_pass_filters(setup, asked, found)
    if found.error is None or not found.error.panic:
        _move_start(setup, found, len(nodes), len(asked))
    yield from _ask_extenders(setup, found)
    if found.error is not None:
        found.feasible = ()
    return found


def select_host(rules: FilteringRules, scores: Sequence[tuple[str, int]]) -> tuple[str, ...] | GoError:
    """The nodes that may be chosen: those of the highest total, each as likely as the others."""
    error = rules.select_host_panics([score for _, score in scores])
    return of_highest_total(scores) if error is None else error


def of_highest_total(scores: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    """The nodes with the highest total; there is one or more."""
    highest = max(score for _, score in scores)
    return tuple(name for name, score in scores if score == highest)
