"""How a cluster comes about in which a pod fits nowhere: pods run, budgets are set, and a pod comes that does not fit.

Each node is full: it has as much CPU as its pods ask for.
"""

from collections.abc import Callable, Iterator
from itertools import product

from attrs import evolve

from model.machine import Action, Value
from model.objects import NAMESPACE
from model.scheduler.framework.status import Code
from model.scheduler.preemption.disruption_budgets import BudgetsApi
from model.scheduler.preemption.objects import PodDisruptionBudget, PreemptionNode, PreemptionPod
from model.scheduler.preemption.writes import PodStatus
from model.systems.preemption.scope import PreemptionScope
from model.systems.preemption.state import Cluster, Extender, NamedStatuses

PREEMPTOR = "preemptor"
# The preemptor of an earlier attempt, which runs.
FIRST = "first"
BUDGETS = ("b1", "b2")
_LAST_TURNED = 9  # names that are counted down from it have one digit
_SETS_OF_BUDGETS = ("", "b1", "b2", "b1 b2")


def building_actions(scope: PreemptionScope, cluster: Cluster) -> Iterator[Action]:
    """What may be added to the cluster. A node gets no pod after the next node has one, or after a budget is set."""
    if not cluster.budgets:
        yield from _pods(scope, cluster)
    waiting = [name for name in BUDGETS if name not in {budget.name for budget in cluster.budgets}]
    missing = next((name for name in waiting if _pods_of(cluster, name)), None)
    if missing is not None:
        disrupted = ("", *_pods_of(cluster, missing)) if scope.disrupted else ("",)
        selectors = ("", "empty") if scope.empty_selectors else ("",)
        for allowed, pod, selector in product((0, 1), disrupted, selectors):
            args: dict[str, Value] = {"disrupted": pod} if pod else {}
            args |= {"selector": selector} if selector else {}
            yield Action.of("set_budget", budget=missing, allowed=allowed, **args)
    elif cluster.nodes:
        yield from attempts(scope, cluster)


def _pods_of(cluster: Cluster, budget: str) -> list[str]:
    """The pods that the budget protects."""
    return [pod.name for node in cluster.nodes for pod in node.pods if (budget, "") in pod.labels]


def _pods(scope: PreemptionScope, cluster: Cluster) -> Iterator[Action]:
    known = len(cluster.nodes)
    last = cluster.nodes[-1] if cluster.nodes else None
    sets = [each for each in _SETS_OF_BUDGETS if all(name in BUDGETS[: scope.budgets] for name in each.split())]
    kinds = list(product(range(scope.priorities), range(1, scope.cpus + 1), sets, (1, 2)[: 1 + scope.start_times]))
    for number in range(max(known, 1), min(known + 1, scope.nodes) + 1):
        mine = last.pods if last is not None and number == known else ()
        if len(mine) == scope.pods:
            continue
        # The pods of a node are in one order. Which order that is decides among equals only.
        least = _kind(mine[0 if scope.turned else -1]) if mine else min(kinds)
        for priority, cpu, budgets, start in (kind for kind in kinds if kind >= least):
            args: dict[str, Value] = {"node": f"n{number}", "priority": priority, "cpu": cpu}
            args |= {"budgets": budgets} if budgets else {}
            args |= {"start": start} if scope.start_times else {}
            args |= {"listed": "first"} if scope.turned else {}
            yield Action.of("run_pod", **args)
            if scope.terminating and not cluster.nodes:
                for by in ("a user", "the scheduler"):
                    yield Action.of("run_pod", **args, deleted_by=by)


def _kind(pod: PreemptionPod) -> tuple[int, int, str, int]:
    return pod.priority, pod.cpu_milli, " ".join(name for name, _ in pod.labels), pod.start_time or 0


def attempts(scope: PreemptionScope, cluster: Cluster) -> Iterator[Action]:
    """Every pod that may come and fit nowhere."""
    names = tuple(node.name for node in cluster.nodes)
    # A pod that asks for no CPU fits everywhere: only a plugin that answers otherwise in the dry run refuses the pod.
    cpus: list[Value] = [*range(0 if scope.unsteady_filters else 1, scope.cpus + 1)]
    choices: dict[str, list[Value]] = {"cpu": cpus}
    if scope.never:
        choices["policy"] = ["", "Never"]
    if scope.terminating:
        choices["nominated"] = ["", names[0]]
    if scope.unnamed_secrets:
        choices["secret"] = ["", "unnamed"]
    if scope.unresolvable:
        rejections = (Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE)
        choices["pre_filter"] = ["", *(str(code) for code in rejections)]
        choices["unresolvable"] = ["", *names]
    if scope.extenders:
        choices["extender"] = list(extenders(scope, names))
    for values in product(*choices.values()):
        chosen = {name: value for name, value in zip(choices, values, strict=True) if value != ""}
        if not {"pre_filter", "unresolvable"} <= chosen.keys():
            yield Action.of("fit_nowhere", **chosen)


def after_attempt(cluster: Cluster, node: str, deleted: tuple[str, ...]) -> Cluster:
    """The cluster in which the victims are gone and the preemptor runs on the node, and no budget counts that yet."""
    old = cluster.node(node)
    gone = tuple(pod for pod in old.pods if pod.name in deleted)
    left = tuple(pod for pod in old.pods if pod not in gone)
    first = evolve(cluster.preemptor, name=FIRST, nominated_node_name="", start_time=1)
    # Whatever room is left over is not there: the node is full again.
    pods = (*left, first)
    new = evolve(old, cpu_milli=sum(pod.cpu_milli for pod in pods), allowed_pods=len(pods) + 1, pods=pods)
    return Cluster(
        PreemptionPod(""), tuple(new if each is old else each for each in cluster.nodes), cluster.budgets, earlier=gone
    )


def new_statuses(scope: PreemptionScope, cluster: Cluster) -> NamedStatuses:
    """All pods run but the preemptor, which may be of another QoS class."""
    pods = [pod.name for node in cluster.nodes for pod in node.pods]
    own = PodStatus("Pending", "Burstable" if scope.qos else "BestEffort", (), cluster.preemptor.nominated_node_name)
    return (PREEMPTOR, own), *((name, PodStatus()) for name in pods)


def extenders(scope: PreemptionScope, names: tuple[str, ...]) -> dict[str, Extender]:
    """What an extender may answer, by a short text."""
    found = {"agrees": Extender(), **{f"refuses {name}": Extender(refuses=(name,)) for name in names}}
    for said, ignorable in (("", False), (", ignorable", True)):
        found[f"fails{said}"] = Extender(fails=True, ignorable=ignorable)
        if scope.empty_answers:
            for some in dict.fromkeys([names[:1], names]):
                found[f"no victims on {' and '.join(some)}{said}"] = Extender(empties=some, ignorable=ignorable)
    return found


def built(scope: PreemptionScope, cluster: Cluster, action: Action, budgets_api: Callable[[], BudgetsApi]) -> Cluster:
    """The cluster with what the action adds."""
    args = dict(action.args)
    match action.name:
        case "run_pod":
            return with_pod(cluster, action)
        case "set_budget":
            budget = new_budget(action)
            of_every_pod = not budget.selector and budgets_api().empty_selector_selects_all
            return evolve(cluster, budgets=(*cluster.budgets, evolve(budget, of_every_pod=of_every_pod)))
    preemptor = PreemptionPod(
        PREEMPTOR,
        scope.priorities,
        int(args["cpu"]),
        nominated_node_name=str(args.get("nominated", "")),
        preempts_never="policy" in args,
    )
    names = tuple(node.name for node in cluster.nodes)
    return evolve(
        cluster,
        preemptor=preemptor,
        pre_filter=Code(str(args.get("pre_filter", Code.SUCCESS))),
        unresolvable=(str(args["unresolvable"]),) if "unresolvable" in args else (),
        extender=extenders(scope, names)[str(args["extender"])] if "extender" in args else None,
        unnamed_secret="secret" in args,
    )


def new_budget(action: Action) -> PodDisruptionBudget:
    """The budget that `set_budget` sets."""
    args = dict(action.args)
    name, disrupted = str(args["budget"]), frozenset({str(args["disrupted"])} if "disrupted" in args else ())
    selector = () if "selector" in args else ((name, ""),)
    return PodDisruptionBudget(name, NAMESPACE, selector, int(args["allowed"]), disrupted)


def with_pod(cluster: Cluster, action: Action) -> Cluster:
    """The cluster with the pod of `run_pod`, which the last node lists as the last one, or as the first."""
    args = dict(action.args)
    node = next((each for each in cluster.nodes if each.name == args["node"]), PreemptionNode(str(args["node"]), 0, 1))
    first, known = "listed" in args, len(node.pods)
    pod = PreemptionPod(
        f"{node.name}p{_LAST_TURNED - known if first else known + 1}",
        int(args["priority"]),
        int(args["cpu"]),
        tuple((name, "") for name in str(args.get("budgets", "")).split()),
        int(args.get("start", 1)),
        terminating="deleted_by" in args,
        disruption_target=args.get("deleted_by") == "the scheduler",
    )
    cpu = node.cpu_milli + pod.cpu_milli
    pods = (pod, *node.pods) if first else (*node.pods, pod)
    node = evolve(node, cpu_milli=cpu, allowed_pods=node.allowed_pods + 1, pods=pods)
    return evolve(cluster, nodes=(*(each for each in cluster.nodes if each.name != node.name), node))
