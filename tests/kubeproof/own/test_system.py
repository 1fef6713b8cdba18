"""A machine of a reader goes through the engines as ours do, and is told as theirs are."""

import json
from pathlib import Path
from typing import Any

import pytest

from kubeproof.check.check import check_system
from kubeproof.engines.explicit import check, explore
from kubeproof.errors import InputError
from kubeproof.own.system import NoRules, own_system, with_properties
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.verdict.result import Outcome, Result
from tests.conftest import ROOT
from tests.kubeproof.own.files import LOCK, MENDED, PROPERTIES, SYMMETRIC, lock, names, written
from tests.kubeproof.test_cli import Captured, document, kubeproof
from tests.model.systems.plain import plain_counts

COUNTER = """
from kubeproof.own import Action, Machine, invariant, step_invariant
from attrs import frozen

@frozen
class Scope:
    most: int = 3

@frozen
class State:
    count: int = 0

class Counter(Machine[State]):
    scope = Scope()
    action_names = ("add",)

    def initial_states(self):
        return (State(),)

    def actions(self, state):
        if state.count < self.scope.most:
            yield Action.of("add")

    def step(self, state, action):
        return State(state.count + 1)

@step_invariant("It grows.", "add")
def grows(before, action, after):
    return after.count > before.count

@invariant("It is small.", premise=lambda state: state.count > 5)
def small(state):
    return state.count < 6
"""


# The same for TLC and for Z3.
COUNTER_TLA = """---- MODULE Counter ----
EXTENDS Naturals
CONSTANT Most
VARIABLE count
Init == count = 0
Next == count < Most /\\ count' = count + 1
Spec == Init /\\ [][Next]_count
Small == count < 3
====
"""
FORMS = """
from pathlib import Path

from z3 import And, Bool, BoolVal, Not, Or

from properties.smt.form import SmtForm
from properties.tla.form import TlaForm, TlaProperty

@invariant("It is less than 3.")
def below_three(state):
    return state.count < 3

def tla_form(scope):
    return TlaForm(
        module="Counter",
        modules=(Path(__file__).with_name("Counter.tla"),),
        constants=(f"  Most = {scope.most}",),
        properties={"below-three": TlaProperty("invariant", "Small")},
        decode=lambda values: State(values["count"]),
    )

def smt_form(scope):
    def is_count(cells, count):
        return And(*(cell if number == count else Not(cell) for number, cell in enumerate(cells)))

    def adds(before, taken, after):
        return And(taken[0], Not(before[-1]), Not(after[0]), *(b == a for b, a in zip(before, after[1:])))

    return SmtForm(
        cells=lambda tag: tuple(Bool(f"count{number}@{tag}") for number in range(scope.most + 1)),
        initial=lambda cells: is_count(cells, 0),
        actions=(Action.of("add"),),
        enabled=lambda cells, number: Not(cells[-1]),
        transition=adds,
        pin=lambda cells, state: is_count(cells, state.count),
        violations={"below-three": lambda cells: Or(*cells[3:])},
        premises={"below-three": lambda cells: BoolVal(True)},
    )
"""


def results(path: Path, **asked: Any) -> dict[str, Result]:
    found = check_system(own_system(path), **asked).results
    return {f"{result.property} {result.engine}": result for result in found}


def test_the_explicit_engine_finds_the_shortest_run(tmp_path: Path) -> None:
    found = results(written(tmp_path, LOCK))
    broken = found["mutual-exclusion explicit"]
    assert broken.trace is not None
    assert [str(action) for action in broken.trace.actions] == [
        "look(thread='t1')",
        "look(thread='t2')",
        "take(thread='t1')",
        "take(thread='t2')",
    ]
    assert (broken.minimal, broken.explanation, broken.known) == (True, "t1 and t2 hold the lock", None)
    assert found["free-again explicit"].outcome is Outcome.HOLDS


def test_liveness_needs_the_fairness_that_it_says(tmp_path: Path) -> None:
    found = results(written(tmp_path, MENDED, ('fair=["leave"]', "fair=[]")))
    forever = found["free-again explicit"]
    assert forever.trace is not None
    assert forever.trace.loop is not None
    assert found["mutual-exclusion explicit"].outcome is Outcome.HOLDS


@pytest.mark.parametrize(("threads", "states"), [(2, 13), (3, 45)])
def test_symmetry_keeps_one_state_of_each_orbit(tmp_path: Path, threads: int, states: int) -> None:
    system = lock(tmp_path, SYMMETRIC)
    machine = system.machine(system.parse_scope(f"threads={threads}"), NoRules())
    plain, reduced = explore(machine), explore(machine, symmetry=True)
    assert (plain.counts.distinct, plain.counts.generated, plain.counts.depth) == plain_counts(machine)
    orbits = {min(_renamed(machine, plain.state(number))) for number in range(plain.counts.distinct)}
    assert plain.counts.distinct == states
    assert reduced.counts.distinct == len(orbits) < states
    asked = [check(machine, system.properties, symmetry=each) for each in (True, False)]
    assert [[result.outcome for result in each] for each in asked] == [[Outcome.VIOLATED, Outcome.HOLDS]] * 2


DEEP = """
from attrs import frozen
from kubeproof.own import Action, Machine, invariant, liveness

@frozen
class Scope:
    threads: int = 2

@frozen
class State:
    count: int = 0
    last: str = ""

class Deep(Machine[State]):
    scope = Scope()
    action_names = ("tick",)

    @property
    def sorts(self):
        return {"thread": ("t1", "t2")}

    def initial_states(self):
        return [State()]

    def actions(self, state):
        return [Action.of("tick", thread=thread) for thread in self.sorts["thread"]]

    def step(self, state, action):
        return State(min(state.count + 1, 400), action["thread"])

@invariant("t2 is never the last one of all.")
def not_t2(state):
    return state.count < 400 or state.last != "t2"

@liveness("Each of them is the last one again and again, or t1 is.", of="thread", fair=["tick"])
def again(state, thread):
    return state.count < 400 or "t1" in (thread, state.last)
"""


def test_names_are_interchangeable_only_on_the_word_of_the_file_and_the_claim_says_so(tmp_path: Path) -> None:
    """Here the names matter beyond the states in which the word of a file is tried."""
    found = results(written(tmp_path, DEEP))
    assert {result.outcome for result in found.values()} == {Outcome.VIOLATED}
    found = results(written(tmp_path, DEEP, SYMMETRIC))
    assert {result.outcome for result in found.values()} == {Outcome.HOLDS}
    said = {result.claim.details["symmetry"] for result in found.values() if result.claim}
    assert said == {"thread (as lock.py says: tried in its first states)"}


def test_a_property_of_a_reader_may_tell_names_of_our_systems_apart(tmp_path: Path) -> None:
    text = """
from kubeproof.own import invariant

@invariant("n2 is not the first of two.")
def not_n2(state):
    return tuple(state.snapshot.node_info_list)[:1] != ("n2",) or len(state.snapshot.node_info_list) != 2
"""
    path = written(tmp_path, text)
    found = check_system("node-listing", "1.31.13", property_files=[path], engines=["explicit"]).results[-1]
    assert (found.outcome, found.minimal) == (Outcome.VIOLATED, True)
    assert found.trace is not None
    assert found.trace.length == 3


def _renamed(machine: Any, state: Any) -> list[str]:
    from tests.model.systems.plain import renamings

    def told(value: Any) -> str:
        return str((value.taken, sorted(value.looked), sorted(value.inside)))

    return [told(machine.rename(state, by)) for by in renamings(machine)]


@pytest.mark.slow
def test_hypothesis_samples_it_and_the_others_say_what_the_file_lacks(tmp_path: Path) -> None:
    found = results(written(tmp_path, LOCK), engines=["all"])
    assert found["mutual-exclusion hypothesis"].outcome is Outcome.VIOLATED
    for engine, function in (("z3", "smt_form"), ("tlc", "tla_form")):
        result = found[f"mutual-exclusion {engine}"]
        assert (result.outcome, result.reason) == (Outcome.NOT_APPLICABLE, f"lock.py has no {function}")


ROADS = """
from attrs import evolve, frozen
from kubeproof.own import Action, Machine, invariant, liveness, step_invariant
from own_test_sizes import CARS

@frozen
class Scope:
    cars: int = CARS
    roads: int = 2

@frozen
class State:
    here: frozenset[tuple[str, str]] = frozenset()

class Roads(Machine[State]):
    scope = Scope()
    symmetric = True
    action_names = ("go", "leave")

    @property
    def sorts(self):
        sizes = {"c": self.scope.cars, "r": self.scope.roads}
        return {sort: tuple(f"{sort}{number}" for number in range(size)) for sort, size in sizes.items()}

    def initial_states(self):
        return [State()]

    def actions(self, state):
        for car in self.sorts["c"]:
            if any(car == each for each, _ in state.here):
                yield Action.of("leave", car=car)
            else:
                yield from (Action.of("go", car=car, road=road) for road in self.sorts["r"])

    def step(self, state, action):
        if action.name == "go":
            return State(state.here | {(action["car"], action["road"])})
        return State(frozenset(pair for pair in state.here if pair[0] != action["car"]))

@invariant("No two cars are on one road.")
def alone(state):
    return len({road for _, road in state.here}) == len(state.here)

@liveness("Each car goes again and again.", of="c", fair=["go"])
def goes(state, car):
    return any(car == each for each, _ in state.here)

@step_invariant("Who leaves is gone.", "leave")
def leaves(before, action, after):
    return len(after.here) < len(before.here)
"""


def test_two_sorts_in_one_field_and_a_module_beside_the_file(capsys: Captured, tmp_path: Path) -> None:
    (tmp_path / "own_test_sizes.py").write_text("CARS = 3\n")
    path = written(tmp_path, ROADS)
    system = own_system(path)
    machine = system.machine(system.scope, NoRules())
    # A car is on no road or on one of two; up to the names: how many are on each.
    assert explore(machine).counts.distinct == 3**3
    assert explore(machine, symmetry=True).counts.distinct == 6
    found = results(path)
    outcomes = {result.property: result.outcome for result in found.values()}
    assert outcomes == {"alone": Outcome.VIOLATED, "goes": Outcome.VIOLATED, "leaves": Outcome.HOLDS}
    _, out, _ = kubeproof(capsys, "check", "--machine", str(path), "-p", "goes")
    assert "   1  go c1 r0\n        here  + c1 r0\n   2  leave c1\n" in out
    assert "Actions 1 to 2 repeat for ever." in out


TURNS = """
from attrs import frozen

from kubeproof.own import Action, Machine, liveness

@frozen
class Scope:
    most: int = 1

@frozen
class State:
    there: bool = False

class Turns(Machine[State]):
    scope = Scope()
    action_names = ("left", "right")
    sorts = {"car": ("c1",)}

    def initial_states(self):
        return [State()]

    def actions(self, state):
        yield from map(Action.of, self.action_names)

    def step(self, state, action):
        return state

@liveness("It gets there again and again.", of="car", fair=["left", "right"])
def gets_there(state, car):
    return state.there
"""


def test_the_run_that_is_shown_takes_both_of_two_fair_actions_that_lead_to_one_state(tmp_path: Path) -> None:
    (result,) = results(written(tmp_path, TURNS)).values()
    assert result.outcome is Outcome.VIOLATED
    assert result.trace is not None
    assert [action.name for action in result.trace.actions] == ["left", "right"]


def test_a_premise_that_nothing_meets_is_no_verdict(tmp_path: Path) -> None:
    found = results(written(tmp_path, COUNTER))
    assert found["grows explicit"].outcome is Outcome.HOLDS
    assert found["small explicit"].outcome is Outcome.INCONCLUSIVE
    larger = results(written(tmp_path, COUNTER), scope="most=7")
    assert larger["small explicit"].outcome is Outcome.VIOLATED


@pytest.mark.slow
def test_z3_and_tlc_are_asked_if_the_file_says_how(tmp_path: Path) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER_TLA)
    path = written(tmp_path, COUNTER + FORMS)
    for scope, outcome in (("most=2", Outcome.HOLDS), ("most=3", Outcome.VIOLATED)):
        found = results(path, scope=scope, engines=["explicit", "z3", "tlc"], properties=["below-three"])
        assert {key: result.outcome for key, result in found.items()} == {
            f"below-three {engine}": outcome for engine in ("explicit", "z3", "tlc")
        }, [result.reason for result in found.values()]
        runs = [result.trace for result in found.values() if result.trace is not None]
        assert [run.length for run in runs] == [3] * (3 if outcome is Outcome.VIOLATED else 0)


def test_the_command_tells_the_run_and_how_to_see_it_again(capsys: Captured, tmp_path: Path) -> None:
    path = written(tmp_path, LOCK)
    status, out, _ = kubeproof(capsys, "check", "--machine", str(path), "-p", "mutual-exclusion")
    assert status == 1
    assert out.startswith("lock.py, scope only threads=2\n\nproperty")
    assert "Kubernetes" not in out
    assert "no known bug" not in out
    again = f"kubeproof check --machine {path} --scope 'only threads=2' --property mutual-exclusion"
    assert f"  again: {again}" in out
    assert "1 property: 1 violated here" in out
    assert kubeproof(capsys, "check", "--machine", str(written(tmp_path, MENDED)))[0] == 0
    assert kubeproof(capsys, "check", "--machine", str(written(tmp_path, COUNTER)))[0] == 3


def test_json_and_itf_are_one_document(capsys: Captured, tmp_path: Path) -> None:
    path = written(
        tmp_path, f"print('loaded')\n{LOCK}", ("        thread = {", "        print('a step')\n        thread = {")
    )
    status, found = document(capsys, "check", "--machine", str(path))
    assert (status, found["system"], found["release"], found["rules"]) == (1, "lock.py", None, {})
    assert found["results"][0]["trace"][-1]["state"] == {"taken": True, "looked": [], "inside": ["t1", "t2"]}
    status, out, err = kubeproof(capsys, "check", "--machine", str(path), "--itf")
    trace = json.loads(out)
    assert (status, trace["#meta"]["property"], len(trace["states"])) == (1, "mutual-exclusion", 5)
    assert trace["states"][-1]["inside"] == {"#set": ["t1", "t2"]}
    assert "a step" in err
    status, out, err = kubeproof(capsys, "check", "--machine", str(written(tmp_path, MENDED)), "--itf")
    assert (status, out) == (0, "")
    assert "nothing is violated" in err


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], "nothing to check: expected SYSTEM, such as node-listing, or --machine FILE"),
        (["node-listing", "--machine", "lock.py"], "--machine: node-listing is there too"),
        (["--machine", "lock.py", "--release", "1.31"], "--release: a machine of yours has no release"),
        (["--machine", "lock.py", "--fix", "x.py"], "--fix: a machine of yours has no release"),
        (["--machine", "lock.py", "--scope", "thread=3"], "'thread' is not a bound of lock.py"),
        (["--machine", "lock.py", "--scope", "threads=-3"], "'-3' is not a number"),
        (["--machine", "lock.py", "-p", "exclusion"], "'exclusion' is not a property of lock.py"),
        (["--machine", "none.py"], "none.py: cannot be read"),
        (["--machine", "lock.py", "--itf", "--json"], "--itf: --json is there too"),
        (["node-listing", "--property-file", "lock.py", "-p", "x"], "'x' is not a property of node-listing"),
    ],
)
def test_wrong_usage_is_one_line(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], expected: str
) -> None:
    written(tmp_path, LOCK)
    monkeypatch.chdir(tmp_path)
    status, out, err = kubeproof(capsys, "check", *options)
    assert (status, out) == (2, "")
    assert expected in err
    assert err.count("\n") == 1


# --- properties of a reader for a system of ours


def test_a_property_of_a_reader_is_asked_of_the_engines_and_of_the_kept_runs(tmp_path: Path) -> None:
    path = written(tmp_path, PROPERTIES, name="twice.py")
    report = check_system("node-listing", "1.18.4", property_files=[path])
    assert {result.property for result in report.results} == {"no-node-twice"}
    by_engine = {result.engine: result for result in report.results}
    assert by_engine["kept run"].known == ("NODETREE-CURSOR",)
    assert by_engine["explicit"].trace is not None
    assert by_engine["explicit"].trace.length == 5
    assert by_engine["explicit"].known is None
    (held,) = check_system("node-listing", "1.31.13", property_files=[path]).results
    assert (held.outcome, held.engine) == (Outcome.HOLDS, "explicit")


def test_properties_of_ours_are_checked_too_if_they_are_named(tmp_path: Path) -> None:
    path = written(tmp_path, PROPERTIES, name="twice.py")
    both = ["no-node-twice", "list-as-long-as-tree"]
    report = check_system("node-listing", property_files=[path], properties=both)
    assert [result.property for result in report.results] == both
    assert names(with_properties(NODE_LISTING, [path]))[-1] == "no-node-twice"


def test_a_fix_is_asked_of_a_property_of_a_reader(tmp_path: Path) -> None:
    path = written(tmp_path, PROPERTIES, name="twice.py")
    report = check_system("node-listing", "1.18.4", property_files=[path], rules=["list_nodes=list_stateless"])
    assert {result.outcome for result in report.results} == {Outcome.HOLDS}


@pytest.mark.slow
def test_z3_and_tlc_have_no_form_of_it(tmp_path: Path) -> None:
    path = written(tmp_path, PROPERTIES, name="twice.py")
    found = check_system("node-listing", property_files=[path], engines=["z3", "tlc"]).results
    assert {result.outcome for result in found} == {Outcome.NOT_APPLICABLE}


@pytest.mark.slow
def test_a_fix_with_a_formula_has_none_of_it(tmp_path: Path) -> None:
    fix = ROOT / "examples/fixes/nominate_listed_uid.py"
    asked = ["no-node-twice", "bound-once"]
    text = PROPERTIES.replace("state.snapshot.node_info_list", "()")
    path = written(tmp_path, text, name="twice.py")
    found = check_system("scheduling", "1.31.13", property_files=[path], fix=fix, properties=asked, engines=["z3"])
    by_name = {result.property: result for result in found.results if result.engine == "z3"}
    assert (by_name["no-node-twice"].outcome, by_name["no-node-twice"].reason) == (
        Outcome.NOT_APPLICABLE,
        "the property has no Z3 formula",
    )
    assert "twice" not in (by_name["bound-once"].reason or "")


def test_a_name_that_the_system_has_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, PROPERTIES, ("no_node_twice", "listed_exactly_once"), name="twice.py")
    with pytest.raises(InputError, match="node-listing has a property listed-exactly-once already"):
        with_properties(NODE_LISTING, [path])
    with pytest.raises(InputError, match="no property: expected functions"):
        with_properties(NODE_LISTING, [written(tmp_path, "x = 1\n")])
