"""What may be forgotten of a queue: when it is, which cycle it is, how often a pod was tried."""

from attrs import evolve
from hypothesis import given, settings, strategies as st

from model.objects import Pod
from model.scheduler.queue import scheduling_queue as queue
from model.scheduler.queue.backoff import forget_attempts
from model.scheduler.queue.rules import QueueSetup
from model.scheduler.queue.state import Queue, QueuedPodInfo, shift_cycles, shift_times
from tests.model.scheduler.queue.queues import P1, names, setup_of

steps = st.lists(
    st.tuples(st.integers(0, 8), st.sampled_from("abc"), st.sampled_from([1, 700, 9_000, 40_000])), max_size=25
)


def run(setup: QueueSetup, script: list[tuple[int, str, int]], start: int) -> Queue:
    """The queue after `script`, on a clock that began at `start`."""
    state, now, popped = Queue(), start, []
    for kind, name, ms in script:
        now += ms
        pod = Pod(name, f"{name}#1", priority=ord(name) % 2, condition="x", nominated_node_name="n" if ms == 1 else "")
        match kind:
            case 0 | 1:
                state = queue.add_if_not_present(setup, state, pod, now)
            case 2 | 3 if queue.heads(setup, state):
                info, state = queue.pop(setup, state, queue.heads(setup, state)[-1])
                popped.append((info, state.scheduling_cycle))
            case 4 if popped:
                info, cycle = popped.pop()
                _, state = queue.add_unschedulable_if_not_present(setup, state, info, cycle, now)
            case 5:
                state = queue.move_all_to_active_or_backoff_queue(setup, state, now)
            case 6:
                new = evolve(pod, annotations=(("k", str(ms)),))
                state = queue.update(setup, state, pod, new, now)
            case 7:
                state = queue.flush_unschedulable_q_leftover(setup, state, now)
            case 8:
                state = queue.flush_backoff_q_completed(setup, state, now)
    return state


@settings(max_examples=60)
@given(steps, st.sampled_from(["1.13.0", "1.14.0", "1.17.10", "1.24.0", "1.31.13"]))
def test_a_shifted_clock_gives_the_shifted_queue_with_every_pod_once(
    script: list[tuple[int, str, int]], release: str
) -> None:
    setup = setup_of(release)
    state = run(setup, script, 0)
    if release != "1.13.0":
        assert shift_times(run(setup, script, 12_345), 12_345) == state
    every = names(state.active + state.backoff + state.unschedulable)
    assert len(every) == len(set(every))
    order = [setup.rules.active_q_order(info) for info in state.active]
    assert order == sorted(order)
    listed = sorted((pod.uid, node) for node, pods in state.nominator.nominated_pods for pod in pods)
    assert release == "1.13.0" or listed == list(state.nominator.nominated_pod_to_node)


def test_shifted_cycles_are_compared_alike() -> None:
    setup = setup_of("1.17.10")
    info, state = queue.pop(setup, queue.add(setup, Queue(), P1, 0))
    for by in (0, 1, 7):
        _, there = queue.add_unschedulable_if_not_present(setup, shift_cycles(state, by), info, 1 - by, 1)
        assert names(there.unschedulable) == ["p1"]
        moved = queue.move_all_to_active_or_backoff_queue(setup, shift_cycles(state, by), 1)
        _, there = queue.add_unschedulable_if_not_present(setup, moved, info, 1 - by, 1)
        assert names(there.backoff) == ["p1"]


def test_attempts_are_forgotten_as_far_as_no_rule_reads_them() -> None:
    info = QueuedPodInfo(P1, attempts=9)
    assert forget_attempts(setup_of("1.17.10"), info).attempts == 0
    assert forget_attempts(setup_of("1.24.0"), info).attempts == 5
