"""The kubelet dies between two writes of the checkpoint: the file holds what the first of them wrote.

`SetDefaultCPUSet`, `SetCPUSet`, `Delete` each write the file, so an allocation writes twice and the removal of several
containers four times and more. The action names the operation under way and how many of its writes were done.
"""

from collections.abc import Iterator
from math import factorial

from model.evolve import evolve
from model.machine import Action
from model.systems.cpu_manager.records import CPUManagerSystem
from model.systems.cpu_manager.steps import Steps

# The containers have ended whether the kubelet lives to do the rest or not.
_ENDED_ANYWAY = frozenset({"exit_container", "complete_pod", "delete_pod"})
_REMOVES_SEVERAL = frozenset({"allocate", "reconcile_state"})


def crashes_during(steps: Steps, state: CPUManagerSystem, action: Action) -> Iterator[Action]:
    """The crashes that may cut `action` short, which is enabled in `state`, one for each file that one can leave."""
    seen = set()
    for order in orders(steps, state, action):
        stores = steps.stores(state, action, order)
        for write, stored in enumerate(stores[:-1], 1):
            # The last write done is what a crash after the operation leaves as well.
            if stored not in seen and stored != stores[-1]:
                seen.add(stored)
                yield Action.of("crash_kubelet", during=action.name, **dict(action.args), order=order, write=write)


def orders(steps: Steps, state: CPUManagerSystem, action: Action) -> range:
    """The numbers of the orders in which `action` may remove containers: those of a Go map."""
    if action.name not in _REMOVES_SEVERAL or state.file is None:
        return range(1)
    # A removal writes twice.
    writes = len(steps.stores(state, action))
    return range(factorial(min(len(state.file.state.assignments), writes // 2)))


def crash(steps: Steps, state: CPUManagerSystem, action: Action) -> CPUManagerSystem:
    """The state after the crash: file as written so far, no kubelet."""
    during = Action(
        action["during"], tuple(item for item in action.args if item[0] not in ("during", "order", "write"))
    )
    stored = steps.stores(state, during, action["order"])[action["write"] - 1]
    left = steps.do(state, during, action["order"]).after if during.name in _ENDED_ANYWAY else state
    # Only a start writes a file where there was none, or of another policy.
    starts = during.name == "start_kubelet"
    file = steps.do(state, during, action["order"]).after.file if starts else state.file
    assert file is not None
    torn = evolve(file, state=stored)
    return evolve(steps.stop(left), file=torn, used=evolve(left.used, crashes=left.used.crashes + 1))
