"""cpu-manager as a transition system: which actions a state enables, and what each does.

Environment of model.cpu. What one action does stands in steps.py, a crash between two of its writes in crash.py.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar

from attrs import define

from model.go.errors import MetError, MetErrors
from model.machine import Action, Offer
from model.releases import from_outside
from model.systems.cpu_manager.canonical import canonical
from model.systems.cpu_manager.crash import crash
from model.systems.cpu_manager.enabled import offers
from model.systems.cpu_manager.kubelet import CPUManagerRules
from model.systems.cpu_manager.pods import pod_names
from model.systems.cpu_manager.records import CPUManagerSystem
from model.systems.cpu_manager.scope import CPUManagerScope
from model.systems.cpu_manager.steps import Steps
from model.systems.cpu_manager.symmetry import rename, sorts

# The Go function whose errors an action meets, by the action's name.
FUNCTIONS = {
    "allocate": "Allocate",
    "start_container": "AddContainer",
    "remove_container": "RemoveContainer",
    "reconcile_state": "reconcileState",
    "start_kubelet": "Start",
}


@define(frozen=True, slots=False)
class CPUManagerMachine:
    """The system in a scope, under the rules of a release or of a proposed fix.

    It starts with a running kubelet on an empty machine, its state file just written. Pods are interchangeable; with
    `numbering` so are the machine's cores and the CPUs of a core.
    """

    scope: CPUManagerScope
    rules: CPUManagerRules
    # Rules besides those of the releases that compare no names.
    known: Collection[Callable[..., Any]] = ()

    # Nothing that a rule is given is dropped.
    cuts: ClassVar[Mapping[str, str]] = {}
    action_names = (
        "create_pod", "admit", "allocate", "sources_ready", "start_container", "exit_container", "complete_pod",
        "delete_pod", "remove_container", "reconcile_state", "stop_kubelet", "start_kubelet", "crash_kubelet",
        "add_core", "offline_cpu", "grow_reserved", "set_policy", "delete_state_file",
    )  # fmt: skip

    @cached_property
    def steps(self) -> Steps:
        return Steps(self.scope, self.rules)

    @cached_property
    def symmetric(self) -> bool:
        """One pod is not taken for another, whatever a rule compares."""
        return not from_outside(self.rules, self.known) or all(len(names) == 1 for names in self.sorts.values())

    @cached_property
    def sorts(self) -> Mapping[str, tuple[str, ...]]:
        return sorts(self.scope)

    @cached_property
    def named(self) -> Mapping[str, tuple[str, ...]]:
        return {"file": (), "kubelet": (), "pods": pod_names(self.scope.pods)}

    def initial_states(self) -> tuple[CPUManagerSystem, ...]:
        return (self.steps.initial(),)

    @cached_property
    def offers(self) -> tuple[Offer[CPUManagerSystem], ...]:
        return offers(self.steps)

    def ends(self, state: CPUManagerSystem) -> bool:
        return False

    def actions(self, state: CPUManagerSystem) -> Iterator[Action]:
        for offer in self.offers:
            yield from offer(state)

    def step(self, state: CPUManagerSystem, action: Action) -> CPUManagerSystem:
        if action.name == "crash_kubelet":
            return crash(self.steps, state, action)
        return self.steps.do(state, action).after

    def errors(self, state: CPUManagerSystem, action: Action) -> MetErrors:
        """What the action's operation of the manager logs, and returns. A crash leaves nobody who could log an error.

        `about`: the container that the action names.
        """
        if action.name == "crash_kubelet":
            return ()
        doing = self.steps.do(state, action)
        args = dict(action.args)
        about = f"{args['pod']}/{args['container']}" if "container" in args and "pod" in args else ""
        errors = doing.logged if doing.error is None else (*doing.logged, doing.error)
        return tuple(MetError(FUNCTIONS.get(action.name, action.name), str(error), about) for error in errors)

    def rename(self, state: CPUManagerSystem, names: Mapping[str, str]) -> CPUManagerSystem:
        return rename(self.scope, state, names)

    def canonical(self, state: CPUManagerSystem, fixed: frozenset[str] = frozenset()) -> CPUManagerSystem:
        return canonical(self.scope, state, fixed) if self.symmetric else state
