"""The core of the explicit engine, compiled and as plain Python: both do the same, and rows are found again."""

import os
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from kubeproof.engines.explicit import compiled, core as chosen

SOURCE = Path(compiled.__file__).with_name("core.py")
NONE = 0xFFFFFFFF


def plain_core() -> ModuleType:
    """`core.py` as Python runs it, beside the one that was chosen."""
    spec = spec_from_file_location("plain_core", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PLAIN = plain_core()


@pytest.fixture(params=[pytest.param(PLAIN, id="plain"), pytest.param(chosen, id="chosen")])
def core(request: pytest.FixtureRequest) -> Any:
    return request.param


# --- the parts


def test_numbers_grow(core: Any) -> None:
    numbers = core.Numbers()
    for number in range(1_000):
        numbers.append(NONE - number)
    assert [numbers.at(i) for i in range(1_000)] == [NONE - i for i in range(1_000)]
    numbers.replace(500, 7)
    numbers.append_until(1_200, 3)
    assert (numbers.count, numbers.at(500), numbers.at(999), numbers.at(1_000), numbers.at(1_199)) == (
        1_200, 7, NONE - 999, 3, 3,
    )  # fmt: skip


def test_a_map_grows() -> None:
    """Compiled, nobody but the core reaches a map: `test_trees_of_many_answers` fills one."""
    numbers, random = PLAIN.Map(), Random(1)
    pairs = {(random.getrandbits(32) % NONE, random.getrandbits(32) % NONE) for _ in range(5_000)} | {(0, 0), (0, 1)}
    pairs |= {(1, second) for second in range(3_000)}
    for number, pair in enumerate(sorted(pairs)):
        assert numbers.get(*pair) == NONE
        numbers.put(*pair, number)
    assert [numbers.get(*pair) for pair in sorted(pairs)] == list(range(len(pairs)))
    assert numbers.used == len(pairs)
    assert numbers.get(2, 0) == NONE


class Host:
    """Answers what the core asks by `does`, a function of the row, and counts how often."""

    def __init__(self, core: Any, slots: int, reads: tuple[int, ...]) -> None:
        self.trees, self.reads, self.missed_times, self.leaves = core.Trees(slots), reads, 0, {}
        self.trees.roots.append(NONE)
        self.search = core.Search(self.trees, core.Numbers(), self)

    def missed(self, function: int, base: int) -> int:
        self.missed_times += 1
        path = [(slot, self.search.number_at(base + slot)) for slot in self.reads]
        said = (sum(value for _, value in path),)
        if said not in self.leaves:
            self.leaves[said] = self.trees.leaf(said)
        self.trees.learn(function, path, self.leaves[said])
        return self.leaves[said]


def test_trees_of_many_answers(core: Any) -> None:
    host = Host(core, 4, (2, 0))
    search, random = host.search, Random(2)
    rows = [[random.randrange(60) for _ in range(4)] for _ in range(3_000)]
    for row in rows:
        search.write(0, row)
        search.intern(0, NONE)
    for _ in range(2):
        for number in range(search.count):
            search.unpack(number, 0)
            assert search.said_of(0, number) == search.number_at(0) + search.number_at(2)
        assert host.missed_times == len({(row[2], row[0]) for row in rows})


def test_a_function_that_reads_otherwise_is_refused(core: Any) -> None:
    trees = core.Trees(2)
    trees.roots.append(NONE)
    leaf = trees.leaf((1,))
    trees.learn(0, [(0, 5), (1, 5)], leaf)
    trees.learn(0, [(0, 6)], leaf)
    for path in ([(1, 5)], [(0, 5), (1, 5)], [(0, 6), (1, 1)], []):
        with pytest.raises(AssertionError, match="not a pure function"):
            trees.learn(0, path, leaf)


def interned(search: Any, rows: list[list[int]]) -> list[int]:
    found = []
    for row in rows:
        search.write(0, row)
        found.append(search.intern(0, NONE))
    return found


def same_rows(search: Any, rows: list[list[int]]) -> None:
    """Each row is found under its number, and comes out as it went in."""
    for number, row in enumerate(rows):
        search.unpack(number, 0)
        assert search.row(0) == row
        assert search.find(0) == number


@pytest.mark.parametrize("late", [1, 2, 63, 64, 1 << 20, NONE - 1])
def test_rows_are_packed_anew_when_a_variable_gets_more_values(core: Any, late: int) -> None:
    search = Host(core, 3, ()).search
    rows = [[a, b, 0] for a in range(40) for b in range(60)]
    assert interned(search, rows) == list(range(len(rows)))
    assert search.words == 1
    rows.append([39, 59, late])
    assert interned(search, rows) == list(range(len(rows)))
    rows.append([late, late, late])
    assert interned(search, rows) == list(range(len(rows)))
    same_rows(search, rows)


@pytest.mark.parametrize("slots", [1, 2, 5, 40])
def test_rows_of_many_words(core: Any, slots: int) -> None:
    """Each variable gets more values now and then, so the layout changes again and again."""
    search, random = Host(core, slots, ()).search, Random(slots)
    drawn = [[random.getrandbits(random.randrange(33)) % NONE for _ in range(slots)] for _ in range(300)]
    rows = [list(row) for row in dict.fromkeys(map(tuple, drawn))]
    assert interned(search, rows) == list(range(len(rows)))
    assert search.words >= (slots + 1) // 2
    same_rows(search, rows)
    assert interned(search, drawn) == [rows.index(row) for row in drawn]


def test_what_was_never_kept_is_not_found(core: Any) -> None:
    search = Host(core, 2, ()).search
    interned(search, [[0, 0], [1, 1]])
    for row in ([0, 1], [1, 0], [2, 0], [0, 1 << 30]):
        search.write(0, row)
        assert search.find(0) == NONE
    same_rows(search, [[0, 0], [1, 1]])
    assert search.count == 2


def test_the_index_grows(core: Any) -> None:
    search = Host(core, 2, ()).search
    rows = [[i, i % 7] for i in range(20_000)]
    assert interned(search, rows) == list(range(len(rows)))
    same_rows(search, rows)
    assert search.parent(19_999) == NONE


# --- both cores

BOTH = """
from hashlib import sha256
from attrs import evolve
from kubeproof.engines.explicit import check, compiled, explore
from kubeproof.systems.registry import SYSTEMS
from model.releases import known_release, rules_for

print(compiled.kind())
for name, release, scope in (
    ("node-listing", "1.17.10", "nodes=3,zones=2,moves=1"),
    ("cpu-manager", "1.31.0", "only cores=2,threads=1,reserved=1,pods=2,containers=1,size=1,restarts=1"),
    ("scheduling", "1.24.0", "only pods=2,nodes=1,room=1,goroutines=1,updates=1,bind_errors=1"),
    ("scheduling-cycle", "1.31.13", "only pods=1,nodes=2,room=1,goroutines=1,reserves=1,failures=1,deletes=1"),
    ("async-preemption", "1.34.1", None),
):
    system = SYSTEMS[name]
    scope, rules = system.parse_scope(scope), rules_for(system.rules_class, known_release(release))
    for symmetry in (False, True):
        run = explore(system.machine(scope, rules), symmetry=symmetry)
        rows = [(run.row(number), run.depth_of(number)) for number in range(run.counts.distinct)]
        print(name, run.counts, sha256(repr(rows).encode()).hexdigest())
        results = check(system.machine(scope, rules), system.properties, symmetry=symmetry)
        print(sha256(repr([result.evolve(seconds=0.0) for result in results]).encode()).hexdigest())
        print([(result.property, result.outcome.value, result.trace and result.trace.length) for result in results])
"""


def said_by(**environment: str) -> list[str]:
    inherited = {name: value for name, value in os.environ.items() if name != compiled.CHOICE}
    env = inherited | {"PYTHONHASHSEED": "0"} | environment
    run = subprocess.run([sys.executable, "-c", BOTH], env=env, capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


@pytest.mark.slow
def test_both_cores_find_the_same() -> None:
    """Counts, rows in order, depths, results with their runs."""
    plain, other = said_by(**{compiled.CHOICE: "python"}), said_by()
    assert plain[0].startswith("plain Python")
    if other[0] != "compiled":
        pytest.skip(f"explicit engine: {other[0]}")
    assert plain[1:] == other[1:]
    assert len(plain) > 20


# --- which one runs


def files(folder: Path, *, compiled_at: int, source_at: int, types_at: int) -> Path:
    """The files of a core in a folder, which were written at these times."""
    source = folder / "core.py"
    source.write_text(SOURCE.read_text("utf-8"), "utf-8")
    made = {source: source_at, folder / "core.pxd": types_at, folder / f"core{EXTENSION_SUFFIXES[0]}": compiled_at}
    for path, at in made.items():
        path.touch()
        os.utime(path, (at, at))
    return source


@pytest.mark.parametrize(
    ("compiled_at", "source_at", "types_at", "in_a_tree", "stale"),
    [
        (2, 1, 1, True, False),
        (1, 2, 1, True, True),
        (1, 1, 2, True, True),
        (1, 1, 1, True, False),
        # Installed files have any times.
        (1, 2, 2, False, False),
    ],
)
def test_a_compiled_core_that_is_older_than_its_source_does_not_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    compiled_at: int,
    source_at: int,
    types_at: int,
    in_a_tree: bool,
    stale: bool,
) -> None:
    source = files(tmp_path, compiled_at=compiled_at, source_at=source_at, types_at=types_at)
    monkeypatch.delenv(compiled.CHOICE, raising=False)
    monkeypatch.setattr(compiled, "_SOURCE", source)
    monkeypatch.setattr(compiled, "_IN_A_SOURCE_TREE", in_a_tree)
    monkeypatch.setattr(compiled, "NAME", "core_of_a_test")
    # So that `choose` has something to undo.
    monkeypatch.setitem(sys.modules, "core_of_a_test", chosen)
    monkeypatch.delitem(sys.modules, "core_of_a_test")
    compiled.choose()
    assert ("core_of_a_test" in sys.modules) is stale
    if stale:
        assert compiled.kind() == "plain Python, slower: older than its source, `make` compiles it anew"


def test_the_plain_core_runs_if_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = files(tmp_path, compiled_at=2, source_at=1, types_at=1)
    monkeypatch.setenv(compiled.CHOICE, "python")
    monkeypatch.setattr(compiled, "_SOURCE", source)
    monkeypatch.setattr(compiled, "NAME", "core_of_a_test")
    monkeypatch.setitem(sys.modules, "core_of_a_test", chosen)
    monkeypatch.delitem(sys.modules, "core_of_a_test")
    compiled.choose()
    assert compiled.kind() == "plain Python, slower"


def test_the_chosen_core_is_the_one_that_is_named() -> None:
    assert compiled.kind().startswith("plain Python" if str(chosen.__file__).endswith(".py") else "compiled")


class NoMemory:
    """Has what it is given, and never more."""

    def __init__(self, numbers: Any) -> None:
        self.numbers = numbers

    def grow(self, count: int) -> None:
        raise MemoryError

    def another(self) -> "NoMemory":
        return self


def test_where_no_memory_is_left_all_rows_are_as_they_were(core: Any) -> None:
    search = Host(core, 3, ()).search
    rows = [[n, n // 2, n % 5] for n in range(4_096)]
    for row in rows:
        search.write(0, row)
        search.intern(0, NONE)
    search.kept_rows = NoMemory(search.kept_rows.numbers)
    # One that is wider than all before, and one for which there is no room.
    for row in ([0, 1 << 20, 0], [0, 0, 1]):
        search.write(0, row)
        with pytest.raises(MemoryError):
            search.intern(0, NONE)
    for number, row in enumerate(rows):
        search.unpack(number, 3)
        assert search.row(3) == row
        search.write(0, row)
        assert search.find(0) == number
