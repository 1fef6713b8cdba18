"""What goes on in the cluster: users, controllers and kubelets at work, until enough events came."""

from collections.abc import Callable
from random import Random

from attrs import frozen

from kubeproof.growth.clock import Action, Clock
from kubeproof.growth.cluster import Cluster
from kubeproof.growth.scheduler import ERROR_EVERY, SLOW_EVERY, SLOW_MS, TOO_MUCH_CPU
from model.evolve import evolve
from model.objects import Pod
from model.scheduler.hint_objects import HintedNode, HintedPod

SEED = 1
# The Deployment of https://github.com/kubernetes/kubernetes/issues/122725, and how long it stays at each size.
REPLICAS, UP_MS, DOWN_MS = 30, 60_000, 120_000
PODS_PER_NODE = 10
# Within this time after its creation a pod is updated, or deleted, by the powers.
SOON_MS = 400
# How long a controller takes to create a lost pod again.
AGAIN_MS = 5
# One pod in so many is updated, is deleted, is lost and created again, or asks for more than any node has.
UPDATE_ONE_IN, DELETE_ONE_IN, RECREATE_ONE_IN, REJECT_ONE_IN, SELECT_ONE_IN = 4, 20, 4, 20, 20
# What each node has, in milli-CPU. Pods that ask for less never fill a node.
NODE_CPU = TOO_MUCH_CPU // 10

# What each power adds to a workload.
POWERS = {
    "updates": f"a controller annotates one new pod in {UPDATE_ONE_IN}, within {SOON_MS} ms, if the pod is unbound",
    "deletes": f"a user deletes one new pod in {DELETE_ONE_IN}, within {SOON_MS} ms, if the pod is unbound; "
    "these pods have a finalizer, as those of a Job do",
    "recreates": f"a user deletes one new pod in {RECREATE_ONE_IN}, within {SOON_MS} ms, if the pod is unbound, and a "
    f"controller creates a pod of the same name {AGAIN_MS} ms later, as that of a StatefulSet does",
    "rejections": f"one new pod in {REJECT_ONE_IN} fits on no node",
    "selectors": f"one new pod in {SELECT_ONE_IN} asks for a label that no node has",
    "errors": f"one binding in {ERROR_EVERY} fails",
    "slow-binds": f"one binding in {SLOW_EVERY} takes {SLOW_MS // 1_000} s, by turns in PreBind and in Bind",
}


class Users:
    """Users and controllers with these powers. They do nothing new once `stop` was called."""

    def __init__(self, cluster: Cluster, clock: Clock, pods: int, powers: frozenset[str]) -> None:
        self.cluster, self.clock, self.pods, self.powers = cluster, clock, pods, powers
        # Drawn from as time goes by, whatever the scheduler does, so that releases meet the same workload. What becomes
        # of a pod is drawn by the pod's name: how many pods there are may depend on the scheduler.
        self.random = Random(SEED)
        self._made = 0
        self._stopped = False
        self.nodes = [
            HintedNode(f"node-{number}", cpu_milli=NODE_CPU) for number in range(max(1, pods // PODS_PER_NODE))
        ]

    def stop(self) -> None:
        self._stopped = True

    def start_with(self, bound: int) -> None:
        """The nodes, and this many pods that run on them."""
        nodes = [self.nodes[number % len(self.nodes)].name for number in range(bound)]
        pods = (Pod(f"old-{number}", f"old-{number}", node_name=node) for number, node in enumerate(nodes))
        self.cluster.start_with(tuple(pods), tuple(self.nodes))

    def after(self, ms: int, action: Action) -> None:
        self.clock.after(ms, lambda: None if self._stopped else action())

    def every(self, ms: int, action: Action) -> None:
        """Do the action every `ms` until all stop."""

        def again() -> None:
            action()
            self.after(ms, again)

        self.after(ms, again)

    def status_changes(self) -> None:
        """The status of a pod that ran from the start changes, if the pod is still there."""
        name = f"old-{self.random.randrange(self.pods)}"
        self.cluster.update_pod(name)

    def create_pod(self, owner: str) -> None:
        """A controller makes a pod, and what the powers add happens soon."""
        self._made += 1
        name = f"{owner}-{self._made}"
        draw = Random(f"{SEED} {name}")
        updated, deleted, rejected = (draw.randrange(n) for n in (UPDATE_ONE_IN, DELETE_ONE_IN, REJECT_ONE_IN))
        soon, later = draw.randrange(SOON_MS), draw.randrange(SOON_MS)
        is_lost, lost = not draw.randrange(RECREATE_ONE_IN), draw.randrange(SOON_MS)
        selected = "selectors" in self.powers and not draw.randrange(SELECT_ONE_IN)
        is_deleted = "deletes" in self.powers and not deleted
        cpu = TOO_MUCH_CPU if "rejections" in self.powers and not rejected else 100
        finalizers = ("batch.kubernetes.io/job-tracking",) if is_deleted else ()
        selector = (("disk", "ssd"),) if selected else ()
        pod = HintedPod(name, name, cpu_milli=cpu, finalizers=finalizers, node_selector=selector)
        self.cluster.create_pod(pod)
        if "updates" in self.powers and not updated:
            self.after(soon, lambda: self._if_unbound(name, self._annotate))
        if is_deleted:
            self.after(later, lambda: self._if_unbound(name, self.cluster.delete_pod))
        if "recreates" in self.powers and is_lost:
            again = evolve(pod, uid=f"{name}#2")
            self.after(lost, lambda: self._if_unbound(name, lambda _: self._is_lost(again)))

    def _is_lost(self, again: Pod) -> None:
        """The pod goes at once, and another pod of the name comes."""
        self.cluster.remove_pod(again.name)
        self.clock.after(AGAIN_MS, lambda: self.cluster.create_pod(again))

    def _annotate(self, name: str) -> None:
        self.cluster.update_pod(name, annotations=(("seen", "yes"),))

    def _if_unbound(self, name: str, action: Callable[[str], None]) -> None:
        pod = self.cluster.pods.get(name)
        if pod is not None and not pod.node_name:
            action(name)


def scale_loop(users: Users) -> None:
    """A Deployment goes to 30 replicas for 60 s and to none for 120 s, beside pods whose status changes."""
    replicas = min(REPLICAS, users.pods)
    users.start_with(users.pods - replicas)

    def up() -> None:
        for each in range(replicas):
            users.after(each, lambda: users.create_pod("loop"))
        users.after(UP_MS, down)

    def down() -> None:
        for name in [name for name in users.cluster.pods if name.startswith("loop-")]:
            users.cluster.delete_pod(name)
        users.after(DOWN_MS, up)

    users.every(1_000, users.status_changes)
    users.after(0, up)


def churn(users: Users) -> None:
    """Every 10 s a node goes, and comes again 5 s later; a controller makes each lost pod anew."""
    users.start_with(users.pods)

    def node_goes() -> None:
        node = users.random.choice(users.nodes)
        users.cluster.remove_node(node.name)
        for pod in [pod for pod in users.cluster.pods.values() if pod.node_name == node.name]:
            users.cluster.remove_pod(pod.name)
            users.create_pod("moved")
        users.after(5_000, lambda: users.cluster.add_node(node))

    users.every(1_000, users.status_changes)
    users.every(10_000, node_goes)


def slow_bind(users: Users) -> None:
    """Every 5 s a pod comes, and the oldest such pod goes; slow-binds is on."""
    users.start_with(users.pods)
    names: list[str] = []

    def one_comes() -> None:
        users.create_pod("slow")
        names.append(next(reversed(users.cluster.pods)))
        if len(names) > PODS_PER_NODE * 2:
            users.cluster.delete_pod(names.pop(0))

    users.every(100, users.status_changes)
    users.every(5_000, one_comes)


def quiet(users: Users) -> None:
    """Nothing but changes of the status of pods that run."""
    users.start_with(users.pods)
    users.every(100, users.status_changes)


@frozen
class Workload:
    """A workload by its name."""

    name: str
    begin: Callable[[Users], None]
    # The powers that are on without being asked for.
    powers: frozenset[str] = frozenset()

    @property
    def summary(self) -> str:
        return (self.begin.__doc__ or "").strip()


WORKLOADS = {
    each.name: each
    for each in (
        Workload("scale-loop", scale_loop),
        Workload("churn", churn),
        Workload("slow-bind", slow_bind, frozenset({"slow-binds"})),
        Workload("quiet", quiet),
    )
}
