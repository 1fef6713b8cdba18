"""What becomes of pods and their containers: created, admitted, started, exited, completed, deleted, removed."""

from attrs import define

from model.evolve import evolve
from model.systems.cpu_manager.choices import Choices
from model.systems.cpu_manager.doing import Doing
from model.systems.cpu_manager.operations import Operations
from model.systems.cpu_manager.pods import container_id, ids, is_init, states, views
from model.systems.cpu_manager.records import Container, CPUManagerSystem, Pod
from model.systems.cpu_manager.shapes import pod_spec
from model.variables import Series


@define(frozen=True, slots=False)
class PodSteps(Operations):
    """The effects of the actions of pods and containers, each on a whole state."""

    def create(self, state: CPUManagerSystem, index: int, shape: str) -> Doing:
        count = len(pod_spec(self.names[index], shape).containers)
        pod = Pod("active", shape, containers=Series((Container(),) * count))
        return Doing(self.with_pod(state, index, pod))

    def admit(self, state: CPUManagerSystem, index: int) -> Doing:
        """Up to 1.17 admission leaves the CPU manager alone."""
        return Doing(self.with_pod(state, index, evolve(state.pods[index], seen="yes")))

    def allocate(self, state: CPUManagerSystem, index: int, order: int, chosen: Choices) -> Doing:
        """The next container of the pod in admission; after the last the pod is admitted, after an error rejected."""
        pod, spec = evolve(state.pods[index], seen="admitting"), self.spec(state, index)
        state = self.with_pod(state, index, pod)
        name = spec.containers[pod.admitted].name
        cpu = self.running(state)
        if cpu is None:
            doing = Doing(state)
        else:
            cpu = evolve(cpu, removal_order=order)
            doing = self.manage(state, cpu, self.rules.manager_allocate, views(state), spec, name, chosen=chosen)
        if doing.error is not None:
            return self._rejected(doing, index)
        pod = doing.after.pods[index]
        done = pod.admitted + 1 == len(spec.containers)
        pod = evolve(pod, seen="yes" if done else "admitting", admitted=0 if done else pod.admitted + 1)
        return evolve(doing, after=self.with_pod(doing.after, index, pod))

    def _rejected(self, doing: Doing, index: int) -> Doing:
        """UnexpectedAdmissionError: the pod has failed, and what runs of it is killed."""
        stopped = self.stopping(doing.after, lambda: self._running(doing.after, index))
        pod = evolve(stopped.after.pods[index], phase="failed", seen="yes", admitted=0, containers=Series())
        return evolve(doing, after=self.with_pod(stopped.after, index, pod), stores=doing.stores + stopped.stores)

    def _running(self, state: CPUManagerSystem, index: int) -> list[str]:
        """The ids of the pod's containers that run."""
        pod, spec = state.pods[index], self.spec(state, index)
        return [id_ for id_, is_ in zip(ids(pod, spec), states(pod), strict=True) if is_ == "running"]

    def _id(self, state: CPUManagerSystem, index: int, at: int) -> str:
        return ids(state.pods[index], self.spec(state, index))[at]

    def start_container(self, state: CPUManagerSystem, index: int, at: int, chosen: Choices) -> Doing:
        """syncPod: what is left of an exited app container is stopped for good, then PreStartContainer and start."""
        spec, pod = self.spec(state, index), state.pods[index]
        name = spec.containers[at].name
        stopped = self.stopping(state, lambda: self._exited(state, index, at))
        state = stopped.after
        instance = 0 if self.allocates_at_admission else pod.containers[at].instance + 1
        new = Container("running", frozenset(), instance)
        cpu = self.running(state)
        if cpu is None:
            # Without a policy nothing confines the container.
            new = evolve(new, cpus=state.kubelet.started_on.cpus)
            return Doing(self.with_pod(state, index, state.pods[index].with_container(at, new)), stopped.stores)
        started = self.with_pod(state, index, state.pods[index].with_container(at, new))
        started_id = container_id(spec.uid, name, new)
        rule = self.rules.manager_add_container
        doing = self.manage(started, cpu, rule, spec, name, started_id, chosen=chosen)
        if doing.error is not None:
            # It does not start.
            doing = evolve(doing, after=evolve(doing.after, pods=state.pods))
        elif not dict(doing.updates).get(started_id):
            # PreCreateContainer names no CPUs then, and the container may run on all (from 1.21 on; before, the shared
            # pool is never empty).
            anywhere = evolve(new, cpus=state.kubelet.started_on.cpus)
            pod = doing.after.pods[index].with_container(at, anywhere)
            doing = evolve(doing, after=self.with_pod(doing.after, index, pod))
        return evolve(doing, stores=stopped.stores + doing.stores)

    def _exited(self, state: CPUManagerSystem, index: int, at: int) -> list[str]:
        return [self._id(state, index, at)] if states(state.pods[index])[at] == "exited" else []

    def exit_container(self, state: CPUManagerSystem, index: int, at: int) -> Doing:
        """The container ends by itself. If the kubelet runs, its next syncPod stops an app container for good."""
        spec = self.spec(state, index)
        ended = not is_init(spec, at)
        pod = state.pods[index].with_exited(at)
        state = self.with_pod(state, index, pod)
        if ended:
            state = evolve(state, used=evolve(state.used, exits=state.used.exits + 1))
        return self.stopping(state, lambda: [self._id(state, index, at)] if at >= len(spec.init) else [])

    def complete(self, state: CPUManagerSystem, index: int) -> Doing:
        """All app containers end for good: the pod has succeeded. The hook runs for each, and for sidecars killed."""
        stopped = self.stopping(state, lambda: self._running(state, index))
        pod = evolve(stopped.after.pods[index], phase="succeeded", containers=Series())
        return evolve(stopped, after=self.with_pod(stopped.after, index, pod))

    def delete(self, state: CPUManagerSystem, index: int) -> Doing:
        """The pod is deleted and killed. While the kubelet is down its containers vanish, and no hook runs for them."""
        stopped = self.stopping(state, lambda: self._running(state, index) if state.pods[index].containers else [])
        return evolve(stopped, after=self.with_pod(stopped.after, index, Pod("deleted")))

    def remove(self, state: CPUManagerSystem, index: int, at: int) -> Doing:
        """`RemoveContainer` for an exited init container, as the garbage collection of containers does or did."""
        cpu = self.running(state)
        if cpu is None:
            return Doing(state)
        return self.manage(state, cpu, self.rules.manager_remove_container, self._id(state, index, at))
