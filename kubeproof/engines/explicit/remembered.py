"""Functions of states, remembered by what they read.

Which actions an actor offers, what a step does, what a property says of a state or of a step: each is a pure function,
which is evaluated on a tracked state and then found in a decision tree, for every state that has the same in what was
read. Nobody declares what a function reads.
"""

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from kubeproof.engines.explicit.core import Numbers, Search, Trees
from kubeproof.engines.explicit.states import Layout, Node, Values
from kubeproof.engines.explicit.tracked import Change, TrackedPlaces, tracked
from model.machine import Action, Machine
from model.variables import whole

NONE = 0xFFFFFFFF
RULE = 0x40000000  # as the core knows them
REPRESENTATIVES = 1 << 20  # that the model found and that are kept
T = TypeVar("T")

# What a function of tracked states answers, as the numbers of a leaf.
Said = tuple[int, ...]
Function = Callable[["Reading"], Said]


class Reading:
    """One evaluation: what was read, in order."""

    def __init__(self, memory: "Memory", search: Search, base: int) -> None:
        """`base`: where in the scratch of the search the state is."""
        self._memory, self._search, self._base = memory, search, base
        self._of: list[list[Any]] = memory.values.of
        self._slots: int = search.slots
        # By probe: the number of the value, or of the answer.
        self.read: dict[int, int] = {}
        self._parts: dict[int, Any] = {}

    def state(self, which: int = 0) -> Any:
        """The state; with 1 the state after the step."""
        return self.part(self._memory.layout.root, which * self._slots)

    def value(self, slot: int, offset: int) -> Any:
        probe = offset + slot
        number = self.read.get(probe)
        if number is None:
            number = self.read[probe] = self._search.number_at(self._base + probe)
        return self._of[slot][number]

    def answer(self, slot: int, offset: int, question: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        if offset + slot in self.read:
            return question(self.value(slot, offset), *args)
        asked = self._memory.question(offset + slot, question, args)
        probe = 2 * self._slots + asked
        number = self.read.get(probe)
        if number is None:
            number = self.read[probe] = self._search.answer(asked, self._base)
        return self._memory.answers[asked][number]

    def rule(self, key: int) -> None:
        """A rule was looked up, or asked."""
        probe = RULE + key
        if probe not in self.read:
            self.read[probe] = self._search.rule(key)

    def part(self, node: Node, offset: int) -> Any:
        # The second state of a step has other parts.
        key = node.number if offset == 0 else -1 - node.number
        found = self._parts.get(key)
        if found is None:
            found = self._parts[key] = tracked(self, node, offset)
        return found

    def forget(self) -> None:
        """Nobody asks for a part any more. The parts know this reading: they would wait for the collector of cycles."""
        self._parts.clear()

    def assigned(self, after: Any) -> Said:
        """What a step assigns, whose next state is `after`: variable, change, value; three numbers for each."""
        said: list[int] = []
        self._assigned(self._memory.layout.root, after, said)
        return tuple(said)

    def _assigned(self, node: Node, value: Any, said: list[int]) -> None:
        if node.slot >= 0:
            self._assigned_variable(node, value, said)
        elif not node.is_kept:
            return
        elif node.record is not None:
            if getattr(value, "_node", None) is not node:
                for name, part in zip(node.names, node.parts, strict=True):
                    self._assigned(part, getattr(value, name), said)
            elif value._new is not None:
                for name, new in value._new.items():
                    self._assigned(node.by_name[name], new, said)
        elif isinstance(value, TrackedPlaces) and value._node is node:
            for at, new in value._new.items():
                self._assigned(node.parts[at], new, said)
        else:
            for part, new in zip(node.parts, value, strict=True):
                self._assigned(part, new, said)

    def _assigned_variable(self, node: Node, value: Any, said: list[int]) -> None:
        slot = node.slot
        unread = node.kind is not None and getattr(value, "_node", None) is node and slot not in self.read
        if unread:
            for change in value._changes:
                said += (slot, self._memory.change(slot, change), 0)
            return
        number = self._memory.values.number(slot, whole(value))
        if self.read.get(slot) != number:
            said += (slot, 0, number)


class Rules(Protocol):
    """Which rules a machine follows, where what is remembered is shared with machines that follow others."""

    def number(self, key: int) -> int:
        """The number of the rule under a key, or of what a rule answers."""
        ...

    def hear(self, heard: Callable[[int], None] | None) -> None:
        """From here on `heard` is told the key of whatever is looked up."""
        ...


class Memory:
    """What functions of a system's states answer. Machines in one scope may share it."""

    def __init__(self, machine: Machine[Any], values: Values | None = None) -> None:
        """`values`: of a machine with the same scope; they keep their numbers."""
        initial = machine.initial_states()[0]
        self.values: Values = Values(Layout(initial)) if values is None else values
        self.layout = self.values.layout
        self.trees = Trees(len(self.layout.slots))
        self.values.row(initial)
        self._initial = initial
        self.fields = self.layout.fields()
        self._functions: list[Function] = []
        self._numbers: dict[Any, int] = {}
        self._leaves: dict[Said, int] = {}
        self._questions: dict[Any, int] = {}
        self._asked: list[tuple[int, Callable[..., Any], tuple[Any, ...]]] = []
        # By question: the answers, and their numbers.
        self.answers: list[list[Any]] = []
        self._answer_numbers: list[dict[Any, int]] = []
        self._changes: dict[Any, int] = {}
        # 0 is no change: the value itself.
        self._changed: list[tuple[int, Callable[..., Any], tuple[Any, ...]]] = [(0, tuple, ())]
        self.actions: list[Action] = []
        self._action_numbers: dict[Action, int] = {}
        self._names = {name: at for at, name in enumerate(machine.action_names)}
        # What further functions have answered, and the numbers of these answers.
        self.answers_given: list[Any] = []
        self._numbers_of_answers: dict[Any, int] = {}
        # Renamings that lead to representatives, the identity first; and where the value of each variable goes.
        self.relabellings: list[tuple[Mapping[str, str], Sequence[int]]] = []
        self._numbers_of_relabellings: dict[tuple[tuple[str, str], ...], int] = {}
        # The one that asks now.
        self.seeker: Seeker = None  # type: ignore[assignment]

    def function(self, key: Any, does: Function) -> int:
        """The number of the function of this key; `does` is what it does from here on."""
        found = self._numbers.get(key)
        if found is not None:
            self._functions[found] = does
            return found
        self._numbers[key] = len(self._functions)
        self._functions.append(does)
        self.trees.roots.append(NONE)
        return len(self._functions) - 1

    def action_number(self, action: Action) -> int:
        found = self._action_numbers.get(action)
        if found is None:
            found = self._action_numbers[action] = len(self.actions)
            self.actions.append(action)

            def does(reading: Reading) -> Said:
                return reading.assigned(self.seeker.machine.step(reading.state(), action))

            self.trees.effects.append(self.function(action, does))
            self.trees.names.append(self._names[action.name])
        return found

    def number_of_answer(self, answer: Any) -> int:
        """The number of what a further function has answered."""
        key = type(answer), answer  # as 1 equals True
        found = self._numbers_of_answers.setdefault(key, len(self.answers_given))
        if found == len(self.answers_given):
            self.answers_given.append(answer)
        return found

    def number_of_relabelling(
        self, names: Mapping[str, str], targets: Callable[[Mapping[str, str]], Sequence[int]]
    ) -> int:
        """The number of a renaming that leads to a representative."""
        key = tuple(sorted(names.items()))
        found = self._numbers_of_relabellings.get(key)
        if found is None:
            found = self._numbers_of_relabellings[key] = len(self.relabellings)
            self.relabellings.append((names, targets(names)))
        return found

    def missed(self, function: int, seeker: "Seeker", base: int) -> int:
        """Evaluate a function. The leaf of its answer."""
        reading = Reading(self, seeker.search, base)
        try:
            said = seeker.hearing(reading.rule, lambda: self._functions[function](reading))
        finally:
            reading.forget()
        leaf = self._leaves.get(said)
        if leaf is None:
            leaf = self._leaves[said] = self.trees.leaf(said)
        self.trees.learn(function, list(reading.read.items()), leaf)
        return leaf

    def question(self, probe: int, question: Callable[..., Any], args: tuple[Any, ...]) -> int:
        """The number of a question about a variable."""
        key = probe, question, args
        found = self._questions.get(key)
        if found is None:
            found = self._questions[key] = len(self._asked)
            self._asked.append((probe % self.trees.slots, question, args))
            self.trees.question_slots.append(probe)
            self.answers.append([])
            self._answer_numbers.append({})
        return found

    def answered(self, question: int, value: int) -> int:
        slot, asked, args = self._asked[question]
        answer = asked(self.values.of[slot][value], *args)
        numbers = self._answer_numbers[question]
        key = type(answer), answer  # as 1 equals True
        found = numbers.setdefault(key, len(numbers))
        if found == len(self.answers[question]):
            self.answers[question].append(answer)
        return found

    def change(self, slot: int, change: Change) -> int:
        """The number of a change of a variable."""
        key = slot, *change
        found = self._changes.get(key)
        if found is None:
            found = self._changes[key] = len(self._changed)
            self._changed.append((slot, *change))
        return found

    def changed(self, change: int, value: int) -> int:
        slot, does, args = self._changed[change]
        return self.values.number(slot, does(self.values.of[slot][value], *args))

    def renamed(self, machine: Machine[Any], names: Mapping[str, str], slot: int, value: int, target: int) -> int:
        """The number of a variable's value under a renaming; the value goes to the variable `target`."""
        state = self.values.put_in(slot, self._initial, value)
        return self.values.number_in(target, machine.rename(state, names))


class Seeker:
    """A search of one machine, and its memory: what the core's search calls its host."""

    def __init__(self, machine: Machine[Any], memory: Memory, rules: Rules | None) -> None:
        """`rules`: those of the machine, if the memory is shared with machines that follow other rules."""
        self.machine, self.memory = machine, memory
        self._rules = rules
        self.search = Search(memory.trees, Numbers(), self)
        # The properties of steps, by number: the key of each, and what it says.
        self._of_steps: list[tuple[Any, Callable[[Reading, Action], Said]]] = []
        self._properties: list[str] = []
        # (name, state before or None, action or None, state after) -> whether the search ends.
        self.heard: Callable[[str, int | None, Action | None, int], bool] = lambda name, before, action, after: False
        self._generators: Sequence[tuple[Mapping[str, str], Sequence[int]]] = ()
        self._canonical: Callable[[Any], Any] | None = None
        self._representatives: dict[bytes, list[int]] = {}
        # Answers what it is given; the rules that this looks up count as looked up by all.
        self.common: Callable[[Callable[[], int]], int] = lambda does: does()
        search = self.search
        search.fired.append_until(len(machine.action_names), 0)
        memory.seeker = self
        search.offers.append(memory.function("ends", lambda reading: (int(self._ends(reading)),)))
        for at, _ in enumerate(machine.offers):
            search.offers.append(memory.function(("offers", at), partial(self._offered, at)))

    def _ends(self, reading: Reading) -> bool:
        return self.memory.seeker.machine.ends(reading.state())

    def _offered(self, at: int, reading: Reading) -> Said:
        memory = self.memory
        return tuple([memory.action_number(action) for action in memory.seeker.machine.offers[at](reading.state())])

    def turn(self) -> Search:
        """From here on this search is the one that asks."""
        self.memory.seeker = self
        return self.search

    def hearing(self, heard: Callable[[int], None], does: Callable[[], T]) -> T:
        """What `does` answers. `heard` is told which rules it looks up."""
        if self._rules is None:
            return does()
        self._rules.hear(heard)
        try:
            return does()
        finally:
            self._rules.hear(None)

    # --- what the core's search asks its host

    def missed(self, function: int, base: int) -> int:
        return self.memory.missed(function, self, base)

    def answered(self, question: int, value: int) -> int:
        return self.memory.answered(question, value)

    def changed(self, change: int, value: int) -> int:
        return self.memory.changed(change, value)

    def rule(self, key: int) -> int:
        assert self._rules is not None
        return self._rules.number(key)

    # --- properties

    def ask_states(self, key: Any, name: str, says: Function) -> None:
        """From here on the property is asked of each new state. Before the search."""
        self.search.invariants.append(self.memory.function(("state", key), says))
        self.search.invariant_numbers.append(self._property(name))

    def ask_steps(self, asked: Sequence[tuple[Any, str, Collection[str], Callable[[Reading, Action], Said]]]) -> None:
        """From here on the properties are asked of each step of their actions: key, name, actions. Once."""
        search = self.search
        first = len(self._properties)
        for key, name, _, says in asked:
            self._of_steps.append((key, says))
            self._property(name)
        self._first_of_steps = first
        search.step_properties = len(self._properties)
        for name in self.machine.action_names:
            search.asked_starts.append(search.asked.count)
            for at, (_, _, actions, _) in enumerate(asked):
                if name in actions:
                    search.asked.append(first + at)
        search.asked_starts.append(search.asked.count)

    def of_step(self, property: int, action: int) -> int:
        key, says = self._of_steps[property - self._first_of_steps]
        of = self.memory.actions[action]
        return self.memory.function(("step", key, of), lambda reading: says(reading, of))

    def _property(self, name: str) -> int:
        self._properties.append(name)
        self.search.silent.append(0)
        self.search.met.append(0)
        return len(self._properties) - 1

    def met(self, name: str) -> int:
        """In how many states or steps the premise of a property was met."""
        return self.search.met.at(self._properties.index(name))

    def violated(self, property: int, before: int, action: int, after: int) -> bool:
        self.search.silent.replace(property, 1)
        name = self._properties[property]
        if action == NONE:
            return self.heard(name, None, None, after)
        return self.heard(name, before, self.memory.actions[action], after)

    # --- orbits

    def rename_by(self, generators: Sequence[tuple[Mapping[str, str], Sequence[int]]]) -> None:
        """The renamings that make all others: the names, and where the value of each variable goes."""
        self._generators = generators

    def renamed(self, generator: int, slot: int, value: int) -> int:
        names, targets = self._generators[generator - 1]
        return self.common(lambda: self.memory.renamed(self.machine, names, slot, value, targets[slot]))

    def relabel_by(
        self,
        fixed: frozenset[str],
        relabelling: Callable[[Any], Mapping[str, str]],
        targets: Callable[[Mapping[str, str]], Sequence[int]],
    ) -> None:
        """The model says which renaming, that leaves `fixed` alone, leads from a state to the representative.

        `targets`: where the value of each variable goes under a renaming.
        """
        memory = self.memory

        def number(names: Mapping[str, str]) -> int:
            return memory.number_of_relabelling(names, targets)

        number({name: name for names in self.machine.sorts.values() for name in names})
        says = memory.function(("relabels", fixed), lambda reading: (number(relabelling(reading.state())),))
        self.search.relabels = says
        self.know_renamings()

    def know_renamings(self) -> None:
        search, self._generators = self.search, self.memory.relabellings[1:]
        for number in range(search.renamings, len(self.memory.relabellings)):
            search.made_of.append(0)
            search.generators.append(number)
            targets = self.memory.relabellings[number][1]
            for source in sorted(range(search.slots), key=targets.__getitem__):
                search.sources.append(source)
        search.renamings = len(self.memory.relabellings)

    def represent_by(self, canonical: Callable[[Any], Any]) -> None:
        """The model finds the representatives itself."""
        self._canonical = canonical
        self.search.by_host = 1

    def represent(self) -> None:
        canonical = self._canonical
        assert canonical is not None
        search, values = self.search, self.memory.values
        row = search.row(search.slots)
        key = array("I", row).tobytes()
        found = self._representatives.get(key)
        if found is None:
            if len(self._representatives) >= REPRESENTATIVES:
                self._representatives.clear()
            found = self._representatives[key] = values.row(canonical(values.state(row)))
        search.write(2 * search.slots, found)
