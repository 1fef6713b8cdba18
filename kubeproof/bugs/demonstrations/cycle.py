"""The parts of a scheduling cycle behind bugs that components show, under the rules of any release.

Nothing is decided here: what happens is what the model's functions answer.
"""

from collections.abc import Sequence
from typing import Any

from kubeproof.bugs.component import Demonstration, Under
from kubeproof.bugs.demonstrations.search import search, tree_of
from model.objects import Pod
from model.scheduler.cache.node_tree import NodeTreeRules
from model.scheduler.filtering import FilteringRules, Found, answered
from model.scheduler.framework.calls import Ask, Call, Panic, PatchStatus, PluginAnswer, PluginCall, Point, driven
from model.scheduler.framework.plain_pods import PlainPodRules
from model.scheduler.framework.runtime import Profile
from model.scheduler.framework.status import SUCCESS, Code, Status
from model.scheduler.schedule_one import schedule_one
from model.scheduler.scheduling_cycle import CycleCallRules, CycleSetup
from properties.components.start_index import Grid, bound

NODES = ("n0", "n1", "n2", "n3")


def _names(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


# --- FILTER-START-RESET -------------------------------------------------------------------------------------------


def _search(under: Under, start: int, nominated: str = "", named: tuple[str, ...] | None = None) -> Found:
    """A search in which every node fits."""
    return search(under, NODES, lambda node: answered(SUCCESS), start=start, nominated=nominated, named=named)


def start_set_back(under: Under) -> Demonstration:
    """The search stands at n2. A pod with a nominated node is tried, then a pod whose PreFilter names one node."""
    shown, lines = [], [f"nodes: {_names(NODES)}; the next search begins at n2"]
    for what, begins_at, found in (
        ("a pod is tried on its nominated node n3", "with a nominated node", _search(under, 2, nominated="n3")),
        ("PreFilter names n3 for a pod of a DaemonSet", "with one named node", _search(under, 2, named=("n3",))),
    ):
        lines.append(f"{what}: asked {_names(found.examined)}; the next search begins at {NODES[found.start]}")
        if len(found.examined) == 1 and found.start == 0:
            shown.append(f"a pod {begins_at} sets the start back to the first node")
    return Demonstration(tuple(shown), tuple(lines))


# --- FILTER-START-SKIP --------------------------------------------------------------------------------------------


def start_moved_past_a_node(under: Under) -> Demonstration:
    """Every sequence of searches over three nodes: pods that fit on some of them, and pods that name a node."""
    nodes = NODES[:3]
    found = bound(under.rules(FilteringRules), Grid(nodes, 1, tree_of(under.rules(NodeTreeRules), *nodes), named=True))
    lines = [f"nodes: {_names(nodes)}; one feasible node is enough"]
    if found.searches is not None:
        lines.append(f"each node is examined in search {found.searches} at the latest")
        return Demonstration((), tuple(lines))
    for each in found.run[found.round :]:
        pod = f"a pod that names {each.search.named}" if each.search.named else "a pod that fits on some nodes"
        lines.append(f"{pod}: examined {_names(each.examined)}; the next search begins at {nodes[each.after[0]]}")
    lines.append("and so on, from the beginning")
    return Demonstration((f"{found.node} is never examined for a pod that may go to all nodes",), tuple(lines))


# --- CYCLE-PREFILTER-ERROR-LOST -----------------------------------------------------------------------------------

# The points at which an error of a plugin ends the attempt.
_ENDING: tuple[Point, ...] = ("PreFilter", "Filter", "PreScore", "Score", "Reserve", "Permit", "PreBind", "Bind")
_ERROR = "no answer from the database"


def error_not_told(under: Under) -> Demonstration:
    """At each point a plugin answers with an error: whether the pod's condition tells the plugin's own words."""
    shown, lines = [], []
    for point in _ENDING:
        told = _told(under, point)
        lines.append(f"at {point} a plugin answers with the error {_ERROR!r}; the pod's condition says {told!r}")
        if _ERROR not in told:
            shown.append(f"the text of an error at {point} is lost")
    return Demonstration(tuple(shown), tuple(lines))


def _told(under: Under, point: Point) -> str:
    """What the condition of a pod says whose attempt ends with an error of the plugin at the point."""
    profile = Profile(dict.fromkeys(_ENDING, ("Plugin",)))
    conditions: list[str] = []

    def answer(call: Call) -> Any:
        match call:
            case PluginCall():
                return PluginAnswer(Status(Code.ERROR, (_ERROR,)) if call.point == point else SUCCESS)
            case Ask(what="snapshot"):
                return NODES
            case Ask(what="host"):
                return call.nodes[0]
            case Ask(what="pod"):
                return pod
            case Ask():
                return False
            case PatchStatus():
                conditions.append(call.message)
        return None

    pod = Pod("p", "p#1")
    driven(schedule_one(CycleSetup(under.rules(CycleCallRules), profile, ()), pod, 0), answer)
    (told,) = conditions
    return told


# --- SCORE-SKIP-PANIC ---------------------------------------------------------------------------------------------

# Of the default configuration.
_PRE_SCORE = ("TaintToleration", "NodeAffinity", "PodTopologySpread", "InterPodAffinity", "NodeResourcesFit")


def more_skip_than_score(under: Under) -> Demonstration:
    """A plain pod, and Score has one plugin left: the plugins of the tree, then two of one's own that say Skip."""
    own = ("Mine", "Other")
    shown, lines = [], []
    for who, plugins, skip in (
        ("a plain pod", _PRE_SCORE, under.rules(PlainPodRules).skip_at_pre_score()),
        ("a pod that plugins of one's own skip", own, frozenset(own)),
    ):
        said = [plugin for plugin in plugins if plugin in skip]
        panic = _panic(under, plugins, skip)
        lines.append(f"{who}: Skip at PreScore by {_names(said)}, one Score plugin: {panic or 'a node is chosen'}")
        if panic:
            shown.append(f"{who} ends the process")
    return Demonstration(tuple(shown), tuple(lines))


def _panic(under: Under, pre_score: tuple[str, ...], skip: frozenset[str]) -> str:
    """The panic that ends the process when the only Score plugin is the last of PreScore; "" for none."""
    profile = Profile({"PreScore": pre_score, "Score": pre_score[-1:]})
    found: list[str] = []

    def answer(call: Call) -> Any:
        match call:
            case PluginCall(point="PreScore"):
                return PluginAnswer(Status(Code.SKIP) if call.plugin in skip else SUCCESS)
            case PluginCall():
                return PluginAnswer()
            case Panic():
                found.append(call.text)
            case Ask(what="snapshot"):
                return NODES
            case Ask(what="host"):
                return call.nodes[0]
            case Ask(what="pod"):
                return Pod("p", "p#1")
            case Ask():
                return False
        return None

    driven(schedule_one(CycleSetup(under.rules(CycleCallRules), profile, ()), Pod("p", "p#1"), 0), answer)
    return found[0] if found else ""
