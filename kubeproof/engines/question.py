"""What an engine is asked: whether properties hold in a scope of a system under some rules."""

from collections.abc import Sequence
from typing import Any

from attrs import evolve, field, frozen

from kubeproof.engines.explicit import Limits
from kubeproof.engines.explicit.checkpoint import Checkpoints
from kubeproof.engines.explicit.shared import OneMachine, Searches, Shared
from kubeproof.engines.watch import Watch
from kubeproof.errors import InputError
from kubeproof.fix.fix import Fix, apply
from kubeproof.fix.guarded import careful
from kubeproof.systems.system import System
from model.machine import Machine
from model.releases import Release, rules_for
from properties.property import Property


@frozen
class Budget:
    """How much an engine may take, where it has no end of its own."""

    # Runs of Hypothesis.
    runs: int = 200
    # The heap of TLC's Java, in MB.
    heap_mb: int = 2048
    # Distinct states of the explicit engine; and once one of the properties in `decisive` is violated.
    states: int = Limits().states
    states_once_decided: int = Limits().states_once_decided
    decisive: frozenset[str] = frozenset()
    # Whether the explicit engine may keep one state of each orbit.
    symmetry: bool = True


@frozen
class Question:
    """One check by one engine. A text is parsed once and becomes a Question."""

    system: System
    release: Release
    # What stands in place of some of the release's rules.
    fix: Fix | None
    # The rules in force: those of the release, with the fix's in their places and guarded.
    rules: Any
    scope: Any
    properties: tuple[Property, ...]
    engine: str
    # Whether a proof for every size is tried besides under each power that the proof does not allow.
    besides: bool = False
    watch: Watch = Watch()
    budget: Budget = Budget()
    # The name or address of this machine for the workers of TLC's distributed mode; None: TLC runs here alone.
    server: str | None = None
    # The machine with what the explicit engine shares with other searches of the scope. No answer depends on it.
    searches: Searches | None = field(default=None, eq=False)
    # Where the explicit engine keeps what it finds, to go on from there. Then it has no limits of its own.
    checkpoints: Checkpoints | None = field(default=None, eq=False)

    def machine(self) -> Machine[Any]:
        """The system's machine in this scope, under these rules."""
        return self._machine_under(self.rules) if self.searches is None else self.searches.machine

    @property
    def on(self) -> Machine[Any] | Searches:
        """The machine, for the explicit engine: with what is shared, if anything is."""
        return self.searches or self.machine()

    def _machine_under(self, rules: Any) -> Machine[Any]:
        machine = self.system.machine(self.scope, rules)
        if not self.budget.symmetry:
            # To show of a rule from outside that it tells no names apart is dear: so it is not even asked.
            vars(machine)["symmetric"] = False
        return careful(machine, self.outside)

    @property
    def outside(self) -> tuple[str, ...]:
        """The rules that do not come from kubeproof; of a reader's machine its file."""
        if self.system.file is not None:
            return (self.system.file.name,)
        return () if self.fix is None else self.fix.outside

    def in_scope(self, scope: Any) -> "Question":
        """The same question in another scope."""
        return evolve(self, scope=scope, searches=None, checkpoints=None)

    def of(self, properties: Sequence[Property]) -> "Question":
        """The same question of these `properties` alone."""
        return evolve(self, properties=tuple(properties))

    def without_fix(self) -> "Question":
        """The same question of the release as it is."""
        return evolve(self, fix=None, rules=rules_for(self.system.rules_class, self.release), searches=None)

    def under(self, shared: Shared | None, rules: Any, like: "Question | None" = None) -> "Question":
        """The same question of these `rules`, whose searches share what they find, and more if there is `shared`.

        `like`: values have the same numbers in its searches.
        """
        numbering = None if like is None or like.searches is None else like.searches.numbering
        if shared is None:
            return evolve(self, rules=rules, searches=OneMachine(self._machine_under(rules), numbering))
        searches = shared.search(self.scope, shared.under(rules), self._machine_under, numbering)
        return evolve(self, rules=searches.looked_up.rules, searches=searches)


def question(
    system: System,
    release: Release,
    engine: str,
    *,
    fix: Fix | None = None,
    scope: Any | None = None,
    properties: Sequence[Property] = (),
    besides: bool = False,
    watch: Watch = Watch(),  # noqa: B008 frozen
    budget: Budget = Budget(),
) -> Question:
    """The question of all `properties` (default: the system's) in `scope` (default: what suits the engine).

    Raises InputError if `fix` is of a file and cannot be judged in `scope`.
    """
    rules = apply(system, rules_for(system.rules_class, release), fix)
    if system.property_files:
        # A property of a reader may tell names apart.
        budget = evolve(budget, symmetry=False)
    bounds = scope or usual_scope(system, engine, judging_fix=fix is not None)
    for name, why in system.scopes.not_for_files.items() if fix is not None and fix.outside else ():
        if getattr(bounds, name):
            raise InputError(f"--scope {name}={getattr(bounds, name)}: not with a fix in a file: {why}")
    wanted = tuple(properties) or system.properties
    return Question(system, release, fix, rules, bounds, wanted, engine, besides, watch, budget)


def usual_scope(system: System, engine: str, *, judging_fix: bool) -> Any:
    """The scope of `system` that `engine` takes unless one is named: a wrong fix shows in a larger one."""
    if engine == "hypothesis":
        return system.scopes.large
    return system.scopes.fix if judging_fix and engine == "explicit" else system.scope
