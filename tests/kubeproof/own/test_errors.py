"""What is wrong in a file of a reader is one line that names the line of the file, or a run that leads there."""

import re
from pathlib import Path

import pytest

from kubeproof.check.check import check_system
from kubeproof.errors import InputError, RuleError
from kubeproof.own.system import own_system
from kubeproof.verdict.result import Outcome
from tests.kubeproof.own.files import LOCK, PROPERTIES, SYMMETRIC, lock, written

IMPORTS = ("import Action, Machine", "import step_invariant, Action, Machine")

REFUSED = {
    "not Python": ("def f(:\n", "line 1: not Python: invalid syntax"),
    "an import": ("import nothing_there\n", "line 1: ModuleNotFoundError"),
    "an end": ("x = 1\nraise SystemExit(3)\n", "line 2: SystemExit: 3"),
    "no machine": ("x = 1\n", "no machine: expected one class that inherits kubeproof.own.Machine"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_file_that_is_no_machine_is_refused(tmp_path: Path, case: str) -> None:
    text, expected = REFUSED[case]
    with pytest.raises(InputError, match=f"lock.py: {expected}"):
        own_system(written(tmp_path, text))


CHANGED = {
    "two machines": (("\n@invariant(", "\nclass Other(Lock):\n    pass\n\n\n@invariant("), "2 machines, Lock, Other"),
    "no scope": (("    scope = Scope()\n", ""), "Lock.scope is not a scope"),
    "a scope of texts": (("threads: int = 2", "threads: str = 'two'"), "Lock.scope is not a scope"),
    "a plain state": (("return (State(),)", "return ({},)"), "initial_states gave a dict: expected frozen records"),
    "no state": (("return (State(),)", "return ()"), "initial_states gave a NoneType"),
    "a state of lists": (("inside: frozenset[str] = frozenset()", "inside: list = []"), "a state has no hash"),
    "sorts that raise": (("range(self.scope.threads)", "range(self.threads)"), "sorts: AttributeError: .*line 30: "),
}


@pytest.mark.parametrize("case", CHANGED)
def test_a_machine_that_cannot_be_checked_is_refused(tmp_path: Path, case: str) -> None:
    change, expected = CHANGED[case]
    with pytest.raises(InputError, match=f"lock.py: {expected}"):
        lock(tmp_path, change)


T1_WAITS = """@step_invariant("t1 waits.", "look")
def t1_waits(before, action, after):
    return action["thread"] != "t1"


"""
# What is wrong only where the file says `symmetric = True`.
TOLD_APART = {
    "names that matter": (
        ("elif not state.taken:", "elif not state.taken and thread != 't2':"),
        "t1 and t2 are not interchangeable: look.thread='t1'. is enabled .* or no `symmetric = True`",
    ),
    "a name in a text": (
        ("thread = {action", "thread = {'x' + action"),
        "t1 and t2 are not interchangeable: look.*lead to states that differ",
    ),
    "a property of one name": (
        ("return len(state.inside) <= 1", "return 't1' not in state.inside"),
        "t1 and t2 are not interchangeable: mutual-exclusion holds in one of",
    ),
    "a step of one name": (
        ("@liveness(", f"{T1_WAITS}@liveness("),
        "t1 and t2 are not interchangeable: t1-waits holds of one of look",
    ),
    "a goal of one name": (
        ("return not state.taken", "return not state.taken or thread == 't1'"),
        "t1 and t2 are not interchangeable: free-again is so for t1 in",
    ),
}


@pytest.mark.parametrize("case", TOLD_APART)
def test_names_that_matter_are_refused_where_the_file_says_that_they_do_not(tmp_path: Path, case: str) -> None:
    change, expected = TOLD_APART[case]
    system = lock(tmp_path, IMPORTS, change)
    assert {result.outcome for result in check_system(system).results} <= {Outcome.HOLDS, Outcome.VIOLATED}
    with pytest.raises(InputError, match=f"lock.py: {expected}"):
        lock(tmp_path, IMPORTS, SYMMETRIC, change)


@pytest.mark.parametrize("engine", ["explicit", pytest.param("hypothesis", marks=pytest.mark.slow)])
def test_a_step_that_raises_is_a_violation_with_its_run(tmp_path: Path, engine: str) -> None:
    system = lock(tmp_path, ("state.looked - thread", "state.lookd - thread"))
    result = check_system(system, engines=[engine]).results[0]
    assert result.outcome is Outcome.VIOLATED
    assert result.trace is not None
    assert [str(action) for action in result.trace.actions] == ["look(thread='t1')"]
    assert result.explanation is not None
    assert re.match(r"step raised AttributeError.*lock.py, line 49: return evolve.*in take", result.explanation)


def test_what_a_step_returns_is_looked_at(tmp_path: Path) -> None:
    returned = ("return evolve(state, taken=False, inside=state.inside - thread)", "return None")
    result = check_system(lock(tmp_path, returned)).results[0]
    assert result.explanation is not None
    assert result.explanation.startswith("step returned a NoneType: lock.py: expected a State (in leave(")


def test_an_action_without_a_declared_name_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match=r"actions gave grab.*expected an Action of look, take, leave"):
        check_system(lock(tmp_path, ('Action.of("take"', 'Action.of("grab"')))


@pytest.mark.parametrize("engine", ["explicit", pytest.param("hypothesis", marks=pytest.mark.slow)])
def test_a_property_that_raises_names_its_line(tmp_path: Path, engine: str) -> None:
    path = written(tmp_path, PROPERTIES, ("return len(set(names)) == len(names)", "return names[7]"), name="twice.py")
    with pytest.raises(InputError, match=r"twice.py: no-node-twice: holds: IndexError.*line 9: return names\[7\]"):
        check_system("node-listing", property_files=[path], engines=[engine])


def test_a_property_of_an_action_that_is_not_there_is_refused(tmp_path: Path) -> None:
    step = '\n\n@step_invariant("It is quick.", "tke")\ndef quick(before, action, after):\n    return True\n'
    text = LOCK.replace(*IMPORTS) + step
    with pytest.raises(InputError, match="quick is about tke, which is not an action of Lock"):
        own_system(written(tmp_path, text))


def test_two_properties_of_one_name_are_refused(tmp_path: Path) -> None:
    text = PROPERTIES + '\n\n@invariant("Again.")\ndef other(state):\n    return True\n\n\nagain = other\n'
    with pytest.raises(InputError, match="two properties are called other"):
        check_system("node-listing", property_files=[written(tmp_path, text)])
