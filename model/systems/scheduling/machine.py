"""scheduling as a transition system: which actions a state enables, and what each does.

Environment of the components in model/scheduler: an API server, informers, users, the scheduler's goroutines, a clock.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar

from attrs import define

from model.evolve import evolve
from model.go.errors import MetErrors, errors_met
from model.machine import Action, Offer
from model.scheduler.cache import cache as cache_functions
from model.scheduler.cache.state import Cache, CacheSnapshot
from model.scheduler.queue.scheduling_queue import names_decide
from model.scheduler.queue.state import Queue
from model.systems.scheduling import second_scheduler, symmetry
from model.systems.scheduling.actors import SCHEDULING, STEPS, Actors
from model.systems.scheduling.normal import normal
from model.systems.scheduling.records import Scheduling
from model.systems.scheduling.rules import SchedulingRules, SchedulingSetup
from model.systems.scheduling.scope import SchedulingScope
from model.variables import Bag, Channel, Places, touched
from model.world import start, symmetry as renaming, users
from model.world.events import Listener, Used
from model.world.symmetry import Naming


@define(frozen=True, slots=False)
class SchedulingMachine:
    """The system in a scope, under the rules of a release or of a proposed fix.

    It starts with the nodes known to the scheduler, and with no pods except those of `bound_at_start`. Pods of one
    priority are interchangeable, and so are nodes.
    """

    scope: SchedulingScope
    rules: SchedulingRules
    # Rules besides those of the releases that read nothing of what `normal` drops, and compare no names.
    known: Collection[Callable[..., Any]] = ()

    # Who acts, and where the record has names. A system that is composed of the same components has others.
    who: ClassVar[Actors] = SCHEDULING
    naming: ClassVar[Naming] = symmetry.NAMING
    action_names = tuple(STEPS)

    @cached_property
    def setup(self) -> SchedulingSetup:
        return SchedulingSetup(self.scope, self.rules, self.known)

    @cached_property
    def symmetric(self) -> bool:
        """One pod of each priority and one node are not taken for another, whatever a rule compares."""
        if all(len(names) == 1 for names in self.sorts.values()):
            return True
        return not self.scope.second and not self.setup.outside and not names_decide(self.setup.queue)

    @cached_property
    def named(self) -> Mapping[str, tuple[str, ...]]:
        return renaming.fields_named(self.naming, self.scope.pods, self.scope.nodes)

    @property
    def cuts(self) -> Mapping[str, str]:
        if not self.setup.queue_is_read:
            return {}
        found = {"attempts": f"up to {self.setup.counted}", "cycles since": f"up to {self.setup.counted}"}
        return found | ({"times": "as regions"} if self.scope.clock else {})

    @cached_property
    def sorts(self) -> Mapping[str, tuple[str, ...]]:
        return symmetry.sorts(self.scope)

    def initial_states(self) -> tuple[Scheduling, ...]:
        scope = self.scope
        nodes = Places(
            users.node_of(scope, at) if at < scope.nodes - scope.late_nodes else None for at in range(scope.nodes)
        )
        cache = Cache()
        for node in nodes:
            if node is not None:
                _, cache = cache_functions.add_node(self.rules, cache, node)
        pods = start.pods_at_start(scope)
        created, told = Places(int(pod is not None) for pod in pods), start.told_at_start(pods)
        nothing = Listener()
        two, one = (nothing, told) if self.setup.one_pod_handler else (told, nothing)
        state = Scheduling(
            pods, nodes, created, Channel(), Channel(), pods, two, two, (), Queue(), cache, CacheSnapshot(), None,
            Bag(), Bag(), "", Used(), one,
        )  # fmt: skip
        state = normal(self.setup, state)
        return (evolve(state, second=second_scheduler.alone(state)) if self.scope.second else state,)

    @cached_property
    def offers(self) -> tuple[Offer[Any], ...]:
        """Users and informers first, then the scheduler."""
        return self.who.offers(self.setup)

    def ends(self, state: Scheduling) -> bool:
        """A scheduler that has crashed is the end of the run."""
        return bool(state.crashed or (self.scope.second and state.second and state.second.crashed))

    def actions(self, state: Scheduling) -> Iterator[Action]:
        if not self.ends(state):
            for offer in self.offers:
                yield from offer(state)

    def step(self, state: Scheduling, action: Action) -> Scheduling:
        after = normal(self.setup, self.bare_step(state, action), state)
        second = after.second if self.scope.second else None
        if second is None or not touched(after, state, "second"):
            return after
        return evolve(after, second=normal(self.setup, second))

    def bare_step(self, state: Scheduling, action: Action) -> Scheduling:
        """`step` as Go does it, with times, cycle numbers and generations as they come."""
        after: Scheduling = self.who.of[action.name].act(self.setup, state, action)
        return second_scheduler.hear(self.setup, state, action, after) if self.scope.second else after

    def errors(self, state: Scheduling, action: Action) -> MetErrors:
        return errors_met(lambda: self.bare_step(state, action))

    def rename(self, state: Scheduling, names: Mapping[str, str]) -> Scheduling:
        return renaming.rename(self.naming, self.setup, self.sorts, state, names)

    def canonical(self, state: Scheduling, fixed: frozenset[str] = frozenset()) -> Scheduling:
        if not self.symmetric:
            return state
        return renaming.canonical(self.naming, self.setup, self.sorts, state, fixed)
