"""The numbers of a search: rows, decision trees, the visited set, breadth-first order, orbits. No Python objects.

A state is a row of numbers, one for each variable: the number of the value that the variable has. Rows are kept packed
to bits (collapse compression: Holzmann, State Compression in SPIN, 1997). What a function of a state answers is kept in
a decision tree: the first variable that the function read, this variable's value, the next variable, and so on to the
answer (transition caching by recorded dependences, as the memoization of Acar, Blelloch and Harper, Selective
Memoization, 2003). Where a tree has no answer yet, the core asks its host, which evaluates Python.

This file is plain Python. `core.pxd` beside it gives its types to Cython; compiled it does the same in less time: the
benchmark says how much less. All is in one file, so that the C compiler sees the inner loop as a whole. Nothing in here
is bigger than 64 bits, and every product is cut to 64 bits.
"""

from array import array
from typing import Any, Protocol

NONE = 0xFFFFFFFF
# A probe from here on asks which rule is in force.
RULE = 0x40000000
LEAF = 0x80000000
ALL = 0xFFFFFFFFFFFFFFFF
FACTOR = 0x1E3779B97F4A7C15
ROOM = 4096  # states for which room is made at once, at least


class Host(Protocol):
    """Who knows what the numbers stand for."""

    def missed(self, function: int, base: int) -> int:
        """Evaluate the function on the row at `base` of the search's scratch, teach the trees, and give the leaf."""
        ...

    def answered(self, question: int, value: int) -> int:
        """The number of what a question about a variable answers, if the variable has this value."""
        ...

    def changed(self, change: int, value: int) -> int:
        """The number of the variable's value after a change."""
        ...

    def rule(self, key: int) -> int:
        """The number of the rule that is in force, or of its answer."""
        ...

    def of_step(self, property: int, action: int) -> int:
        """The function that says what the property says of the action's steps."""
        ...

    def renamed(self, generator: int, slot: int, value: int) -> int:
        """The number of the value under a renaming, one of those that generate all others."""
        ...

    def represent(self) -> None:
        """Put the representative of the row after the step behind it, where the renamings are too many to be tried."""
        ...

    def know_renamings(self) -> None:
        """Add the renamings that came since."""
        ...

    def violated(self, property: int, before: int, action: int, after: int) -> bool:
        """A property does not hold. Whether the search ends. `action` is NONE for a property of the state `after`."""
        ...


class InMemory:
    """Numbers of one kind that the search keeps for all states. `OnDisk` does the same."""

    def __init__(self, kind: str) -> None:
        """`kind`: as of an array, "Q" or "I"."""
        self.kind = kind
        self.numbers: Any = array(kind)

    def grow(self, count: int) -> None:
        """Be so many. The new ones are 0. Raises MemoryError, and then all is as it was."""
        self.numbers.frombytes(bytes(self.numbers.itemsize * (count - len(self.numbers))))

    def another(self) -> "InMemory":
        """None yet, kept in the same way."""
        return InMemory(self.kind)


class Numbers:
    """A row of numbers that grows."""

    def __init__(self) -> None:
        self.items = array("I", bytes(4 * 64))
        self.count = 0
        self.room = 64

    def append(self, number: int) -> None:
        if self.count == self.room:
            self.grow()
        self.items[self.count] = number
        self.count += 1

    def append_until(self, count: int, number: int) -> None:
        while self.count < count:
            self.append(number)

    def at(self, i: int) -> int:
        return self.items[i]

    def replace(self, i: int, number: int) -> None:
        self.items[i] = number

    def grow(self) -> None:
        bigger = array("I", bytes(8 * self.room))
        for i in range(self.count):
            bigger[i] = self.items[i]
        self.items = bigger
        self.room *= 2


class Map:
    """Numbers by pairs of numbers, by open addressing."""

    def __init__(self) -> None:
        # A key and its number stand beside each other: one line of the processor's cache has both.
        self.items = array("Q", bytes(16 * 1024))
        self.mask = 1023
        self.used = 0

    def get(self, first: int, second: int) -> int:
        """The number of the pair, or NONE."""
        key = first
        key = (key << 32 | second) + 1
        i = mixed(key) & self.mask
        while True:
            found = self.items[2 * i]
            if found == key:
                return self.items[2 * i + 1]
            if found == 0:
                return NONE
            i = (i + 1) & self.mask

    def put(self, first: int, second: int, value: int) -> None:
        """The pair has no number yet."""
        if self.used * 3 > self.mask * 2:
            self.grow()
        key = first
        self.place((key << 32 | second) + 1, value)
        self.used += 1

    def place(self, key: int, value: int) -> None:
        i = mixed(key) & self.mask
        while self.items[2 * i] != 0:
            i = (i + 1) & self.mask
        self.items[2 * i] = key
        self.items[2 * i + 1] = value

    def grow(self) -> None:
        items, size = self.items, self.mask + 1
        self.items = array("Q", bytes(32 * size))
        self.mask = 2 * size - 1
        for i in range(size):
            if items[2 * i] != 0:
                self.place(items[2 * i], items[2 * i + 1])


def mixed(key: int) -> int:
    key = (key ^ (key >> 32)) * FACTOR & ALL
    return key ^ (key >> 29)


class Trees:
    """What functions of states answer, by what they read."""

    def __init__(self, slots: int) -> None:
        """`slots`: how many variables a state has."""
        self.slots = slots
        # What a node asks for, where its answers lead, and where each function's tree begins. A probe below `slots` is
        # a variable of the state, the next `slots` are those of the state after the step, then come questions.
        self.probes = Numbers()
        self.edges = Map()
        self.roots = Numbers()
        # A question: the variable of which it is asked, and by the value its answer.
        self.question_slots = Numbers()
        self.answers = Map()
        # What becomes of the value of a variable by a change.
        self.changes = Map()
        # The numbers that are the answer of a leaf: from its start to that of the next.
        self.starts = Numbers()
        self.starts.append(0)
        self.said = Numbers()
        # By action: the function that says what the action does, and the number of the action's name.
        self.effects = Numbers()
        self.names = Numbers()

    def learn(self, function: int, path: list[tuple[int, int]], leaf: int) -> None:
        """From here on the function answers `leaf` where the probes of `path` find these values.

        Raises AssertionError if the function has read other things before, with the same answers up to there.
        """
        found = LEAF + leaf
        if not path:
            assert self.roots.items[function] == NONE, "not a pure function"
            self.roots.items[function] = found
            return
        at = self.roots.items[function]
        if at == NONE:
            at = self.node(path[0][0])
            self.roots.items[function] = at
        last = len(path) - 1
        for i in range(len(path)):
            assert at < LEAF, "not a pure function"
            assert self.probes.items[at] == path[i][0], "not a pure function"
            value = path[i][1]
            to = self.edges.get(at, value)
            if i == last:
                assert to == NONE, "not a pure function"
                self.edges.put(at, value, found)
            elif to == NONE:
                to = self.node(path[i + 1][0])
                self.edges.put(at, value, to)
            at = to

    def node(self, probe: int) -> int:
        self.probes.append(probe)
        return self.probes.count - 1

    def leaf(self, said: tuple[int, ...]) -> int:
        """A new leaf, whose answer is these numbers."""
        for number in said:
            self.said.append(number)
        self.starts.append(self.said.count)
        return self.starts.count - 2


class Search:
    """The search itself."""

    def __init__(self, trees: Trees, rules: Numbers, host: Host) -> None:
        """`rules`: by key, which rule is in force; NONE where nobody knows yet."""
        slots = trees.slots
        self.slots = slots
        self.host = host
        self.trees = trees
        self.probes = trees.probes
        self.edges = trees.edges
        self.roots = trees.roots
        self.question_slots = trees.question_slots
        self.answers = trees.answers
        self.changes = trees.changes
        self.starts = trees.starts
        self.said = trees.said
        self.effects = trees.effects
        self.names = trees.names
        self.rules = rules
        # By key, whether an answer depended on the rule.
        self.looked_up = Numbers()
        # Four rows: before the step, after it, the representative of that one's orbit, and one for others.
        self.at = array("I", bytes(4 * 4 * (slots + 1)))
        # --- rows: in which word the variable's number is, from which bit on, and how many bits it has
        self.words = 1
        self.word = array("I", bytes(4 * (slots + 1)))
        self.shift = array("I", bytes(4 * (slots + 1)))
        self.bits = array("I", bytes(4 * (slots + 1)))
        self.kept_rows: Any = InMemory("Q")
        self.kept_parents: Any = InMemory("I")
        # How these rows are laid out: words of a row, bits of each variable.
        self.kept_layout = (1, array("I", self.bits))
        self.rows: array[int] = array("Q", bytes(8))
        self.parents: array[int] = array("I", bytes(4))
        self.room = 0
        self.count = 0
        self.packed = array("Q", bytes(8 * (slots + 1)))
        # By hash: the number of the state and one more, and in the bits that this leaves a part of the hash: so few
        # rows are read that are other ones.
        self.index = array("I", bytes(4 * 1024))
        self.index_mask = 1023
        # --- the search
        # The function that says whether a run ends in a state, then those that offer actions.
        self.offers = Numbers()
        self.taken = Numbers()
        self.leaves = Numbers()
        self.fired = Numbers()
        # By the number of a name: which properties are asked of its steps, from a start to the next; and by property
        # and action, the function.
        self.asked_starts = Numbers()
        self.asked = Numbers()
        self.step_properties = 0
        self.step_functions = Numbers()
        # The properties of states: the function of each, and its number.
        self.invariants = Numbers()
        self.invariant_numbers = Numbers()
        # By property: whether nobody asks any more, and in how many states or steps its premise was met.
        self.silent = Numbers()
        self.met = Numbers()
        self.next = 0
        self.generated = 0
        # How many actions the longest of the shortest runs has.
        self.depth = 0
        # The level of the state that is next, the first number of each level, and that of the level after it.
        self.level = 0
        self.levels = Numbers()
        self.level_end = 0
        self.stopped = 0
        # No state is expanded once there are more.
        self.limit = NONE
        # --- orbits: by renaming and variable, where the variable's value goes; 0 renamings: no symmetry
        self.renamings = 0
        # The renaming that comes before, and the generator that makes this one of it.
        self.made_of = Numbers()
        self.generators = Numbers()
        self.sources = Numbers()
        self.targets = Numbers()
        self.renamed = Map()
        # The variables that hold names, by which rows are compared; of each variable whether it holds none.
        self.compared = Numbers()
        self.nameless = Numbers()
        self.left = Numbers()
        self.by_host = 0
        # The function that says which renaming leads to the representative; NONE: all are tried.
        self.relabels = NONE

    # --- decision trees

    def walk(self, function: int, base: int) -> int:
        """The leaf of a function, for the row at `base`."""
        at = self.roots.items[function]
        while at < LEAF:
            code = self.probes.items[at]
            if code < 2 * self.slots:
                value = self.at[base + code]
            elif code < RULE:
                value = self.answer(code - 2 * self.slots, base)
            else:
                value = self.rule(code - RULE)
            at = self.edges.get(at, value)
        if at == NONE:
            return self.host.missed(function, base)
        return at - LEAF

    def answer(self, question: int, base: int) -> int:
        """What a question answers of the row at `base`."""
        value = self.at[base + self.question_slots.items[question]]
        found = self.answers.get(question, value)
        if found == NONE:
            found = self.host.answered(question, value)
            self.answers.put(question, value, found)
        return found

    def rule(self, key: int) -> int:
        """The number of the rule that is in force."""
        self.rules.append_until(key + 1, NONE)
        self.looked_up.append_until(key + 1, 0)
        self.looked_up.items[key] = 1
        if self.rules.items[key] == NONE:
            self.rules.items[key] = self.host.rule(key)
        return self.rules.items[key]

    # --- rows

    def widen(self, slot: int, number: int) -> None:
        """The variable has now values up to this number: all rows are packed anew."""
        words, word, shift, bits = self.words, array("I", self.word), array("I", self.shift), array("I", self.bits)
        one = 1
        while number >= one << self.bits[slot]:
            self.bits[slot] += 1
        self.lay_out()
        self.repack(words, word, shift, bits)

    def lay_out(self) -> None:
        """The widest first, each in the first word that has room."""
        filled = [0]
        for slot in sorted(range(self.slots), key=lambda slot: -self.bits[slot]):
            width = self.bits[slot]
            at = 0
            while at < len(filled) and filled[at] + width > 64:
                at += 1
            if at == len(filled):
                filled.append(0)
            self.word[slot] = at
            self.shift[slot] = filled[at] % 64
            filled[at] += width
        self.words = len(filled)

    def repack(self, words: int, word: "array[int]", shift: "array[int]", bits: "array[int]") -> None:
        """All rows as they are laid out now. They were laid out as the arguments say."""
        rows, one = self.rows, 1
        kept = self.kept_rows.another()
        try:
            kept.grow(self.words * max(self.room, 1))
        except MemoryError:
            # The rows are as they were.
            self.words, self.word, self.shift, self.bits = words, word, shift, bits
            raise
        new = kept.numbers
        for n in range(self.count):
            for slot in range(self.slots):
                width = bits[slot]
                if width:
                    number = (rows[n * words + word[slot]] >> shift[slot]) & ((one << width) - one)
                    new[n * self.words + self.word[slot]] |= number << self.shift[slot]
        self.rows = new
        self.kept_rows, self.kept_layout = kept, (self.words, array("I", self.bits))
        self.rebuild()

    def unpack(self, number: int, base: int) -> None:
        """The row of a state, to `base` of the scratch."""
        start, one = number * self.words, 1
        for slot in range(self.slots):
            width = self.bits[slot]
            if width:
                self.at[base + slot] = (self.rows[start + self.word[slot]] >> self.shift[slot]) & ((one << width) - one)
            else:
                self.at[base + slot] = 0

    def pack(self, base: int) -> int:
        """The row at `base` packed, and its hash."""
        one = 1
        for slot in range(self.slots):
            number = self.at[base + slot]
            if number >= one << self.bits[slot]:
                self.widen(slot, number)
        for w in range(self.words):
            self.packed[w] = 0
        for slot in range(self.slots):
            number = self.at[base + slot]
            self.packed[self.word[slot]] |= number << self.shift[slot]
        hashed = 0
        for w in range(self.words):
            hashed = mixed((hashed ^ self.packed[w]) + w)
        return hashed

    def find(self, base: int) -> int:
        """The number of the state that has the row at `base`, or NONE."""
        found = self.index[self.place(self.pack(base))]
        return NONE if found == 0 else (found & self.index_mask) - 1

    def find_after(self) -> int:
        """The number of the state that is in the row after the step, or of its representative; or NONE."""
        if self.renamings or self.by_host:
            self.represent()
            return self.find(2 * self.slots)
        return self.find(self.slots)

    def place(self, hashed: int) -> int:
        """Where in the index the packed row is, or would be."""
        mask = self.index_mask
        i = hashed & mask
        while self.index[i] != 0:
            same = 0 if (self.index[i] ^ (hashed >> 32)) & ~mask else 1
            if same:
                start = (self.index[i] & mask) - 1
                start = start * self.words  # 64 bits, as `start` has
                for w in range(self.words):
                    if self.rows[start + w] != self.packed[w]:
                        same = 0
                        break
            if same:
                break
            i = (i + 1) & mask
        return i

    def intern(self, base: int, parent: int) -> int:
        """The number of the state that has the row at `base`. A new state gets the next number."""
        hashed = self.pack(base)
        i = self.place(hashed)
        if self.index[i] != 0:
            return (self.index[i] & self.index_mask) - 1
        number = self.count
        if number == self.room:
            self.make_room()
        start = number
        start = start * self.words  # 64 bits, as `start` has
        for w in range(self.words):
            self.rows[start + w] = self.packed[w]
        self.parents[number] = parent
        self.index[i] = (hashed >> 32) & ~self.index_mask | (number + 1)
        self.count = number + 1
        if self.count > self.index_mask // 3 * 2:
            self.rebuild()
        return number

    def make_room(self) -> None:
        more = max(ROOM, self.room // 8)
        # An array that somebody looks into does not grow.
        self.rows = self.parents = None  # type: ignore[assignment]
        try:
            self.kept_rows.grow(self.words * (self.room + more))
            self.kept_parents.grow(self.room + more)
        finally:
            self.rows, self.parents = self.kept_rows.numbers, self.kept_parents.numbers
        self.room += more

    def rebuild(self) -> None:
        """The index, for at least as many states as there are."""
        size = self.index_mask + 1
        while self.count > (size - 1) // 3 * 2:
            size *= 2
        self.index = None  # type: ignore[assignment]
        try:
            self.fill(size)
        except MemoryError:
            # What was found before is found still.
            self.fill(self.index_mask + 1)
            raise

    def fill(self, size: int) -> None:
        """A new index of this size. Raises MemoryError at once or not at all."""
        self.index = array("I", [0]) * size
        self.index_mask = size - 1
        for n in range(self.count):
            start = n * self.words
            hashed = 0
            for w in range(self.words):
                hashed = mixed((hashed ^ self.rows[start + w]) + w)
            i = hashed & self.index_mask
            while self.index[i] != 0:
                i = (i + 1) & self.index_mask
            self.index[i] = (hashed >> 32) & ~self.index_mask | (n + 1)

    def number_at(self, place: int) -> int:
        """The number at a place of the scratch."""
        return self.at[place]

    def row(self, base: int) -> list[int]:
        """The numbers at `base` of the scratch."""
        return [self.at[base + slot] for slot in range(self.slots)]

    def write(self, base: int, row: list[int]) -> None:
        """The numbers, to `base` of the scratch."""
        for slot in range(self.slots):
            self.at[base + slot] = row[slot]

    def parent(self, number: int) -> int:
        """The state from which the state was first reached, or NONE."""
        return self.parents[number]

    def resume(self, layout: "tuple[int, array[int]]", count: int, numbers: list[int]) -> None:
        """Go on where another search was, of which `kept_rows` and `kept_parents` have so many states.

        `layout`: its `kept_layout`. `numbers`: its next, generated, depth, level, level_end, stopped.
        """
        for slot in range(self.slots):
            self.bits[slot] = layout[1][slot]
        self.lay_out()
        self.kept_layout = layout
        self.rows, self.parents = self.kept_rows.numbers, self.kept_parents.numbers
        self.room = self.count = count
        self.rebuild()
        self.next, self.generated, self.depth, self.level, self.level_end, self.stopped = numbers

    # --- the search

    def enable(self) -> None:
        """The actions that the state before the step enables, and the leaf of what each does."""
        self.taken.count = 0
        self.leaves.count = 0
        leaf = self.walk(self.offers.items[0], 0)
        if self.said.items[self.starts.items[leaf]]:
            return
        for i in range(1, self.offers.count):
            leaf = self.walk(self.offers.items[i], 0)
            for j in range(self.starts.items[leaf], self.starts.items[leaf + 1]):
                self.taken.append(self.said.items[j])
        for i in range(self.taken.count):
            leaf = self.walk(self.effects.items[self.taken.items[i]], 0)
            self.leaves.append(leaf)

    def apply(self, leaf: int) -> None:
        """The row after the step."""
        slots = self.slots
        for slot in range(slots):
            self.at[slots + slot] = self.at[slot]
        j = self.starts.items[leaf]
        end = self.starts.items[leaf + 1]
        while j < end:
            slot = slots + self.said.items[j]
            change = self.said.items[j + 1]
            value = self.said.items[j + 2]
            if change:
                value = self.changes.get(change, self.at[slot])
                if value == NONE:
                    value = self.host.changed(change, self.at[slot])
                    self.changes.put(change, self.at[slot], value)
            self.at[slot] = value
            j += 3

    def successors(self, number: int) -> list[tuple[int, int]]:
        """Each action that a state enables, with the number of the state after it. New states get numbers."""
        self.unpack(number, 0)
        self.enable()
        found = []
        for i in range(self.taken.count):
            self.apply(self.leaves.items[i])
            found.append((self.taken.items[i], self.reached(number)))
        return found

    def reached(self, before: int) -> int:
        """The number of the state after the step, or of the representative of its orbit."""
        if self.renamings or self.by_host:
            self.represent()
            return self.intern(2 * self.slots, before)
        return self.intern(self.slots, before)

    def begin(self) -> int:
        """A state in which runs may begin, which is in the row after the step. Whether the state is new."""
        count = self.count
        self.generated += 1
        number = self.reached(NONE)
        if number < count:
            return 0
        self.level_end = self.count
        self.ask_state(number)
        return 1

    def run(self, until: int) -> None:
        """Generate the successors of all states whose number is below `until`, in order, as long as the limit permits.

        What the host raises comes through. If a step raises it, the state is as if it had not been begun.
        """
        while self.next < self.count and self.next < until and not self.stopped and self.count <= self.limit:
            number = self.next
            if number == self.level_end:
                self.level += 1
                self.levels.append(number)
                self.level_end = self.count
            self.unpack(number, 0)
            self.enable()
            self.generated += self.taken.count
            for i in range(self.taken.count):
                action = self.taken.items[i]
                name = self.names.items[action]
                self.fired.items[name] += 1
                self.apply(self.leaves.items[i])
                count = self.count
                to = self.reached(number)
                if to == count:
                    self.depth = self.level + 1
                    self.ask_state(to)
                    if self.stopped:
                        return
                if self.asked_starts.items[name] != self.asked_starts.items[name + 1]:
                    self.ask_step(number, action, name, to)
                    if self.stopped:
                        return
            self.next += 1

    def ask_state(self, number: int) -> None:
        """What the properties say of a new state."""
        base = 2 * self.slots if self.renamings or self.by_host else self.slots
        for i in range(self.invariants.count):
            property = self.invariant_numbers.items[i]
            if not self.silent.items[property]:
                leaf = self.walk(self.invariants.items[i], base)
                said = self.said.items[self.starts.items[leaf]]
                self.met.items[property] += said & 1
                if said & 2 and self.host.violated(property, NONE, NONE, number):
                    self.stopped = 1
                    return

    def said_of(self, function: int, number: int) -> int:
        """The first number that a function answers of a state."""
        self.unpack(number, 0)
        leaf = self.walk(function, 0)
        return self.said.items[self.starts.items[leaf]]

    def said_of_step(self, function: int, before: int, after: int) -> int:
        """The first number that a function answers of a step."""
        self.unpack(before, 0)
        self.unpack(after, self.slots)
        leaf = self.walk(function, 0)
        return self.said.items[self.starts.items[leaf]]

    def ask_step(self, before: int, action: int, name: int, after: int) -> None:
        """What the properties say of a step."""
        for i in range(self.asked_starts.items[name], self.asked_starts.items[name + 1]):
            property = self.asked.items[i]
            if not self.silent.items[property]:
                leaf = self.walk(self.step_function(property, action), 0)
                said = self.said.items[self.starts.items[leaf]]
                self.met.items[property] += said & 1
                if said & 2 and self.host.violated(property, before, action, after):
                    self.stopped = 1
                    return

    def step_function(self, property: int, action: int) -> int:
        """The function that says what a property says of the action's steps."""
        place = action * self.step_properties + property
        if place >= self.step_functions.count:
            self.step_functions.append_until((action + 1) * self.step_properties, NONE)
        if self.step_functions.items[place] == NONE:
            self.step_functions.items[place] = self.host.of_step(property, action)
        return self.step_functions.items[place]

    # --- orbits

    def represent(self) -> None:
        """The least row of the orbit of the row after the step (a canonical representative: Ip and Dill, 1996)."""
        if self.by_host:
            self.host.represent()
            return
        slots = self.slots
        if self.relabels != NONE:
            leaf = self.walk(self.relabels, slots)
            renaming = self.said.items[self.starts.items[leaf]]
            if renaming >= self.renamings:
                self.host.know_renamings()
        else:
            renaming = self.least()
        for slot in range(slots):
            self.at[2 * slots + slot] = self.rename(renaming, slot)

    def least(self) -> int:
        """The renaming under which the row after the step is the least one."""
        self.left.count = 0
        for renaming in range(self.renamings):
            self.left.append(renaming)
        for i in range(self.compared.count):
            if self.left.count == 1:
                break
            slot = self.compared.items[i]
            least = NONE
            kept = 0
            for k in range(self.left.count):
                renaming = self.left.items[k]
                value = self.rename(renaming, slot)
                if value < least:
                    least = value
                    kept = 0
                if value == least:
                    self.left.items[kept] = renaming
                    kept += 1
            self.left.count = kept
        return self.left.items[0]

    def represented(self) -> list[int]:
        """The representative of the row after the step."""
        if self.renamings or self.by_host:
            self.represent()
            return self.row(2 * self.slots)
        return self.row(self.slots)

    def rename(self, renaming: int, slot: int) -> int:
        """What the variable has after the renaming of the row after the step."""
        if self.nameless.items[slot]:
            return self.at[self.slots + slot]
        source = self.sources.items[renaming * self.slots + slot]
        return self.rename_value(renaming, source, self.at[self.slots + source])

    def rename_value(self, renaming: int, slot: int, value: int) -> int:
        """The number of a variable's value under a renaming; where the value goes, it is numbered like that."""
        if renaming == 0:
            return value
        found = self.renamed.get(renaming * self.slots + slot, value)
        if found == NONE:
            before = self.made_of.items[renaming]
            generator = self.generators.items[renaming]
            if before == 0:
                found = self.host.renamed(generator, slot, value)
            else:
                between = self.rename_value(before, slot, value)
                found = self.rename_value(generator, self.targets.items[before * self.slots + slot], between)
            self.renamed.put(renaming * self.slots + slot, value, found)
        return found
