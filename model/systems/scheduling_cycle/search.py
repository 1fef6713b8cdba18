"""The search for nodes with `quota`: it begins where the one before has ended, and ends when enough nodes are found.

Go: findNodesThatFitPod, findNodesThatPassFilters, evaluateNominatedNode in pkg/scheduler/schedule_one.go (1.24 on),
findNodesThatFit in generic_scheduler.go. `find_nodes_that_fit_pod` is the component, and a test compares the two.
"""

from collections.abc import Collection
from typing import cast

from model.evolve import evolve
from model.go.errors import GoError, met_error
from model.machine import Action
from model.scheduler.cache.node_tree import next_node
from model.scheduler.cache.state import CacheSnapshot
from model.scheduler.filtering_rules import Named
from model.scheduler.parallel_search import Ended, ways_to_end
from model.systems.scheduling import cycle_steps as scheduling, fitting
from model.systems.scheduling.cycle_steps import failed
from model.systems.scheduling.step import CYCLE, NOMINATOR_LOCK, OwnStep, call_done
from model.systems.scheduling_cycle.records import CycleGoroutine, SchedulingCycle, Search, Searches
from model.systems.scheduling_cycle.rules import CycleSetup
from model.systems.scheduling_cycle.scope import nodes_named_for
from model.systems.scheduling_cycle.step import Stepped
from model.variables import touched
from model.world.go_files import GENERIC_GO, at
from model.world.goroutines import own_step

DIVIDED = "findNodesThatFitPod: integer divide by zero"
_NIL_NODE = "podFitsOnNode: nil pointer dereference"


def schedule(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None) -> Stepped:
    """As in scheduling, if a profile has the pod's schedulerName. To 1.16 the search moves the tree's cursors, and not
    the snapshot.
    """
    if not setup.rules.is_scheduled(goroutine.pod):
        met_error("scheduleOne", "profile not found for scheduler name", goroutine.pod.uid)
        if setup.queue.hints is not None and setup.rules.done_without_profile():
            state = call_done(setup, state, goroutine)
        return state, evolve(goroutine, steps=())
    if setup.scope.cycle_state and setup.rules.shares_cycle_state():
        state = evolve(state, plugin_context="")
    elif setup.scope.cycle_state:
        goroutine = evolve(goroutine, cycle_state=goroutine.pod.uid)
    before = state.cache
    state, goroutine = cast(Stepped, scheduling.schedule(setup, state, goroutine, action))
    if setup.scope.quota and setup.rules.takes_nodes_from_tree() and touched(state.cache, before, "node_tree"):
        state = evolve(state, cache=evolve(state.cache, node_tree=before.node_tree))
    return state, goroutine


def asked_nodes(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> Named:
    """The nodes to be asked, and those left out."""
    listed, names = state.snapshot.node_info_list, nodes_named_for(setup.scope, goroutine.pod.name)
    answer = setup.rules.named_nodes(names, listed) if names else (listed, {})
    if isinstance(answer, GoError):
        met_error("findNodesThatFitPod", answer.text, goroutine.pod.uid)
    return answer


def only(snapshot: CacheSnapshot, nodes: Collection[str]) -> CacheSnapshot:
    return evolve(snapshot, node_info_list=tuple(nodes))


def search_nodes(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, way: int = 0) -> Stepped:
    """findNodesThatFitPod, which ends when enough nodes are found. To 1.16 the nodes are taken from the tree.

    `way`: in which of the ways the search ends that are possible with several workers.
    """
    assert state.searches is not None
    search = goroutine.search or Search()
    if setup.rules.takes_nodes_from_tree():
        tree = state.cache.node_tree
        search = evolve(search, tree=tree.names(), left=tree.num_nodes)
        return state, evolve(goroutine, search=search, steps=("ask_node",))
    if _looks_at_nominated(setup, state, goroutine):
        nominated = (goroutine.pod.nominated_node_name,)
        search = _ended(search, nominated, _ends(setup, state, goroutine, nominated)[0])
        if setup.rules.nominated_node_moves_start():
            state = evolve(state, searches=_moved(state.searches, search, 1))
        search = evolve(search, tried=True, alone=bool(search.found))
        goroutine = evolve(goroutine, search=search)
        if search.found:
            return _searched(setup, state, goroutine, search)
    return _search_all(setup, state, goroutine, way)


def ways(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> int:
    """In how many ways the search may end."""
    if setup.scope.workers < 2 or not setup.scope.quota or setup.rules.takes_nodes_from_tree():
        return 1
    nominated = (goroutine.pod.nominated_node_name,)
    if _looks_at_nominated(setup, state, goroutine) and _fitting(setup, state, goroutine, nominated):
        return 1
    answer = asked_nodes(setup, state, goroutine)
    return 1 if isinstance(answer, GoError) else len(_ends(setup, state, goroutine, _in_turn(state, answer[0])))


def _looks_at_nominated(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine) -> bool:
    """Whether the pod is tried on its nominated node first."""
    nominated, search = goroutine.pod.nominated_node_name, goroutine.search
    looks_first = setup.rules.prefer(nominated, (nominated, "")) == (nominated,)
    return looks_first and nominated in state.snapshot.node_info_list and not (search is not None and search.tried)


def _in_turn(state: SchedulingCycle, asked: tuple[str, ...]) -> tuple[str, ...]:
    """The nodes from nextStartNodeIndex on."""
    assert state.searches is not None
    start = state.searches.start % len(asked) if asked else 0
    return asked[start:] + asked[:start]


def _search_all(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, way: int) -> Stepped:
    """findNodesThatPassFilters for the nodes that may be asked."""
    assert state.searches is not None
    answer = asked_nodes(setup, state, goroutine)
    if isinstance(answer, GoError):
        return state, failed(setup, goroutine, no_node_fits=False)
    (asked, left_out), listed = answer, state.snapshot.node_info_list
    before, in_turn = goroutine.search or Search(), _in_turn(state, asked)
    search = Search(refused=_each_once(*before.refused, *left_out), tried=before.tried)
    search = _ended(search, in_turn, _ends(setup, state, goroutine, in_turn)[way])
    if fitting.ghosts(only(state.snapshot, search.examined)) and setup.rules.panics_at_nil_node():
        return evolve(state, crashed=_NIL_NODE), evolve(goroutine, steps=())
    round_ = setup.rules.start_goes_round(len(listed), len(asked))
    if round_ == 0:
        return evolve(state, crashed=DIVIDED), evolve(goroutine, steps=())
    searches = _moved(state.searches, search, round_)
    if asked == listed:
        searches = _counted(searches, listed, search)
    return _searched(setup, evolve(state, searches=searches), goroutine, search)


def _ends(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, asked: tuple[str, ...]
) -> tuple[Ended, ...]:
    """The ways in which the nodes may be asked, in this order, until one more than enough is feasible."""
    fit, enough = _fitting(setup, state, goroutine, asked), min(setup.scope.quota, len(asked))
    return ways_to_end(tuple(node in fit for node in asked), enough, max(1, setup.scope.workers))


def _ended(search: Search, asked: tuple[str, ...], ended: Ended) -> Search:
    """The search that has ended so."""
    refused = (asked[at] for at in ended.refused)
    return evolve(
        search,
        examined=tuple(asked[at] for at in ended.examined),
        found=tuple(asked[at] for at in ended.found),
        refused=_each_once(*search.refused, *refused),
        stopped=ended.cancelled,
    )


def _fitting(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, asked: Collection[str]
) -> tuple[str, ...]:
    """Those of the nodes on which the pod fits. A Filter plugin refuses nodes that are not among the named ones."""
    nominations = fitting.nominations(setup.queue, state.queue)
    fit, _ = fitting.filtered(only(state.snapshot, asked), nominations, goroutine.pod)
    names = nodes_named_for(setup.scope, goroutine.pod.name)
    return tuple(node for node in fit if not names or node in names)


def _each_once(*nodes: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(nodes))


def _ask(search: Search, node: str, fit: Collection[str], enough: int) -> Search:
    search = evolve(search, examined=(*search.examined, node))
    if node not in fit:
        return evolve(search, refused=_each_once(*search.refused, node))
    if len(search.found) == enough:
        return evolve(search, stopped=True)
    return evolve(search, found=(*search.found, node))


def _moved(searches: Searches, search: Search, round_: int) -> Searches:
    """The next search begins after as many nodes as are feasible or have a status."""
    return evolve(searches, start=(searches.start + len(search.found) + len(search.refused)) % round_)


def _counted(searches: Searches, nodes: tuple[str, ...], search: Search) -> Searches:
    """With the note of what the searches over all these nodes have not examined."""
    nodes = _each_once(*nodes)
    before = searches.passed_over if nodes == searches.nodes else (0,) * len(nodes)
    after = (
        0 if node in search.examined else min(number + 1, len(nodes))
        for node, number in zip(nodes, before, strict=True)
    )
    return evolve(searches, nodes=nodes, passed_over=tuple(after))


def _searched(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, search: Search) -> Stepped:
    """What follows a search."""
    nominations = fitting.nominations(setup.queue, state.queue)
    _, plugins = fitting.filtered(only(state.snapshot, search.examined), nominations, goroutine.pod)
    goroutine = evolve(goroutine, search=search, rejected_by=plugins)
    if not search.found:
        return state, failed(setup, goroutine, no_node_fits=True)
    return state, scheduling.found(setup, goroutine, search.found)


def ask_node(setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None) -> Stepped:
    """To 1.16: the tree's next node is asked, by NodeTree.mu. Between two of them nodes may join and leave.

    A node that is not in the snapshot has no room, or the predicate panics. One worker asks.
    """
    search, searches = goroutine.search, state.searches
    assert search is not None
    assert searches is not None
    if search.left:
        node, tree = next_node(state.cache.node_tree)
        state = evolve(state, cache=evolve(state.cache, node_tree=tree))
        if setup.rules.panics_at_nil_node() and state.snapshot.get(node) is None:
            return evolve(state, crashed=_NIL_NODE), evolve(goroutine, steps=())
        enough = min(setup.scope.quota, len(search.examined) + search.left)
        search = _ask(search, node, _fitting(setup, state, goroutine, (node,)), enough)
        search = evolve(search, left=0 if search.stopped else search.left - 1)
        goroutine = evolve(goroutine, search=search)
    if search.left:
        return state, evolve(goroutine, steps=("ask_node",))
    same = state.cache.node_tree.names() == search.tree
    # A search while nodes join or leave is none over all nodes, and what came before does not count.
    searches = _counted(searches, search.tree, search) if same else Searches()
    return _searched(setup, evolve(state, searches=searches), goroutine, search)


def nodes_come_and_go(scope: object) -> bool:
    """Whether the tree may change while a search goes on."""
    return any(getattr(scope, power) for power in ("fine", "late_nodes", "node_deletes", "node_adds"))


ASK_NODE: OwnStep = own_step(
    ask_node,
    CYCLE,
    place=at(GENERIC_GO, "findNodesThatFit"),
    lock=NOMINATOR_LOCK,
    part_of=("schedule", "find_nodes", "call_extenders"),
    why="while no node joins or leaves only nominations may change in between: they are read at one moment everywhere",
    apart=nodes_come_and_go,
    needs=lambda scope: scope.quota,
    by_rule=True,
)
