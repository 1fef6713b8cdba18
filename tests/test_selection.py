"""Which tests a change selects, in small repositories that are made up."""

import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from shutil import copytree

import pytest
from attrs import fields

from kubeproof.definitions import Definitions, definition_of
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System
from model.releases import ROWS, rows_of, rules_for
from tests.conftest import ROOT
from tests.passed import KEPT
from tests.selection import PARTS, PASSED, Repository, Tree, chosen_since_passed, definition_of_test, part_of

FILES = {
    "model/__init__.py": "",
    "model/x.py": "def one():\n    return 1\n\ndef two():\n    return 2\n",
    "model/tables.py": "from importlib.resources import files\n\ndef table():\n    return files('specs') / 'a.tla'\n",
    "specs/a.tla": "a",
    "docs/a.md": "a",
    "examples/fix.py": "from model.x import one, two\n\ndef rule():\n    return two()\n",
    "tests/__init__.py": "",
    "tests/conftest.py": """
import pytest
from pathlib import Path
from model.x import one
from tests import passed

def pytest_addoption(parser): passed.add_options(parser)
def pytest_configure(config): passed.configure(config, Path(__file__).parents[1])

@pytest.fixture
def first():
    return one()
""",
    "tests/passed.py": (ROOT / "tests/passed.py").read_text("utf-8"),
    "tests/selection.py": (ROOT / "tests/selection.py").read_text("utf-8"),
    ".gitignore": "out/\n__pycache__/\n",
    "tests/sub/__init__.py": "",
    "tests/sub/conftest.py": "import pytest\nfrom tests.helper import helped\n\n@pytest.fixture(autouse=True)\n"
    "def each():\n    return helped()\n",
    "tests/helper.py": "def helped():\n    pass\n",
    "tests/sub/test_below.py": "def test_below(): pass\n",
    "tests/test_a.py": (
        "from model import x\nfrom model.tables import table\nfrom pathlib import Path\nimport subprocess\n\n"
        "def test_one(first): assert first\n"
        "def test_two(): assert x.two()\n"
        "def test_table(): assert table()\n"
        "def test_page(): assert Path('docs/a.md')\n"
        "def test_fix(): assert Path('examples') / 'fix.py'\n"
        "def test_sources(): assert list(Path('model').rglob('*.py'))\n"
        "def test_process(): assert subprocess.run(['true'])\n"
        "def test_nothing(): pass\n"
    ),
}


def git(folder: Path, *args: str) -> str:
    names = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *names, *args], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def write(folder: Path, **files: str) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def commit(folder: Path, **files: str) -> str:
    write(folder, **files)
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "A change")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one commit, at which every test has passed."""
    folder = tmp_path_factory.mktemp("pattern")
    git(folder, "init", "--quiet")
    write(folder, **{PASSED: commit(folder, **FILES) + "\n"})
    return folder


@pytest.fixture
def repository(pattern: Path, tmp_path: Path) -> Path:
    return copytree(pattern, tmp_path / "repository")


def selected(folder: Path) -> set[str]:
    chosen = chosen_since_passed(folder)
    assert not chosen.everything
    return {name.partition(":")[2] for name in chosen.changed if ":test_" in name}


def test_nothing_is_selected_where_nothing_changed(repository: Path) -> None:
    assert selected(repository) == set()
    commit(repository)
    assert selected(repository) == set()


@pytest.mark.parametrize(
    ("path", "change", "expected"),
    [
        ("model/x.py", ("return 1", "return 3"), {"test_one", "test_sources"}),
        ("model/x.py", ("return 2", "return 3"), {"test_two", "test_fix", "test_sources"}),
        ("model/x.py", ("return 2", "return 2  # always"), {"test_sources"}),
        ("tests/conftest.py", ("return one()", "return 5"), {"test_one", "test_sources"}),
        ("tests/test_a.py", ("x.two()", "x.two() == 2"), {"test_two", "test_sources"}),
        ("tests/helper.py", ("pass", "return 1"), {"test_below", "test_sources"}),
        ("specs/a.tla", ("a", "b"), {"test_table"}),
        ("docs/a.md", ("a", "b"), {"test_page"}),
        ("examples/fix.py", ("two()", "one()"), {"test_fix"}),
    ],
)
@pytest.mark.parametrize("committed", [True, False])
def test_what_reaches_the_change_is_selected_and_nothing_else(
    path: str, change: tuple[str, str], expected: set[str], committed: bool, repository: Path
) -> None:
    (commit if committed else write)(repository, **{path: FILES[path].replace(*change)})
    assert selected(repository) == expected


def test_a_new_test_and_a_new_file_are_selected(repository: Path) -> None:
    write(repository, **{"tests/test_b.py": "def test_new(): pass\n"})
    assert selected(repository) == {"test_new", "test_sources"}
    write(repository, **{"docs/b.md": "new"})
    assert selected(repository) == {"test_new", "test_sources", "test_page"}


def test_a_test_that_starts_a_process_depends_on_the_program(repository: Path) -> None:
    program = {
        "kubeproof/__init__.py": "",
        "kubeproof/start.py": "from kubeproof.cli import answer\n\ndef main(): answer()\n",
    }
    head = commit(repository, **program, **{"kubeproof/cli.py": "def answer(): return 1\n"})
    write(repository, **{PASSED: head, "kubeproof/cli.py": "def answer(): return 2\n"})
    assert selected(repository) == {"test_process", "test_sources"}


@pytest.mark.parametrize("path", ["pyproject.toml", "constraints.txt", "Makefile", ".ci/run"])
def test_everything_runs_after_a_change_of_what_all_depend_on(path: str, repository: Path) -> None:
    commit(repository, **{path: "changed"})
    assert chosen_since_passed(repository).everything == f"{path} changed"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: (folder / PASSED).unlink(),
        lambda folder: write(folder, **{PASSED: ""}),
        lambda folder: write(folder, **{PASSED: "0" * 40}),
        lambda folder: git(folder, "commit", "--amend", "--quiet", "-m", "Another commit"),
        lambda folder: (folder / ".git").rename(folder / "git"),
    ],
)
def test_everything_runs_if_the_file_names_no_ancestor(spoil: Callable[[Path], None], repository: Path) -> None:
    spoil(repository)
    chosen = chosen_since_passed(repository)
    assert chosen.everything == f"{PASSED} names no ancestor of this commit"
    assert chosen.why("tests/test_a.py::test_nothing") == "changed"


def test_everything_runs_where_a_file_cannot_be_read(repository: Path) -> None:
    write(repository, **{"tests/test_b.py": "def"})
    assert chosen_since_passed(repository).everything == "tests/test_b.py cannot be read"


def test_everything_runs_in_a_shallow_clone(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    commit(repository)
    clone = tmp_path_factory.mktemp("clone")
    git(clone, "clone", "--quiet", "--depth", "1", repository.as_uri(), ".")
    assert chosen_since_passed(clone).everything


def test_ten_commits_in_a_row_see_all(repository: Path) -> None:
    tests = [f"tests/test_a.py::test_nothing[{number}]" for number in range(100)]
    seen: list[str] = []
    for _ in range(PARTS):
        commit(repository)
        chosen = chosen_since_passed(repository)
        seen += [test for test in tests if chosen.why(test) == "part"]
    assert sorted(seen) == sorted(tests)
    assert len({part_of(test) for test in tests}) == PARTS


def test_a_skipped_test_runs_again(repository: Path) -> None:
    skipped, passed = (f"tests/test_a.py::test_{name}" for name in ("nothing", "one"))
    write(repository, **{PASSED: (repository / PASSED).read_text() + f"{skipped}\n"})
    chosen = chosen_since_passed(repository)
    assert chosen.why(skipped) == "changed"
    assert chosen.why(passed) == ("part" if part_of(passed) == chosen.part else "")


def run(folder: Path, *options: str) -> str:
    """What pytest prints in a process of its own, and its exit status."""
    command = [sys.executable, "-m", "pytest", "-p", "no:kubeproof", "-p", "no:cacheprovider", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return f"{done.stdout}exit status {done.returncode}"


@pytest.mark.slow
def test_pytest_runs_what_was_selected_and_says_why(repository: Path) -> None:
    git(repository, "add", "-A")
    head = commit(repository, **{"docs/a.md": "changed"})
    said = run(repository, "-n", "1", "--since-passed", "-k", "page or nothing")
    part = part_of("tests/test_a.py::test_nothing") == chosen_since_passed(repository).part
    since = git(repository, "rev-parse", "HEAD~1")
    assert head != since
    assert f"Of 2 tests 1 were chosen as something changed since {since[:12]}, and {int(part)} as tenth" in said
    assert f"{1 + part} passed" in said
    write(repository, **{PASSED: head})
    said = run(repository, "-n", "1", "--since-passed", "-k", "page or nothing")
    assert f"Of 2 tests 0 were chosen as something changed since {head[:12]}" in said
    assert said.endswith("exit status 0")


@pytest.mark.slow
def test_a_full_pass_goes_on_where_it_stopped_and_writes_the_file_at_its_end(repository: Path) -> None:
    (repository / PASSED).unlink()
    bad = FILES["tests/test_a.py"].replace("test_two(): assert", "test_two(): assert not")
    also = "import pytest\ndef test_skipped(): pytest.skip('not here')\n"
    first = commit(repository, **{"tests/test_a.py": bad, "tests/test_b.py": also})
    assert "Of 10 tests 0 had passed before" in run(repository, "-n", "1", "--until-passed")
    assert not (repository / PASSED).exists()
    kept = (repository / KEPT / first).read_text().splitlines()
    assert len(kept) == 8
    assert not any("two" in test or "skipped" in test for test in kept)

    second = commit(repository, **{"tests/test_a.py": FILES["tests/test_a.py"]})
    assert "Of 10 tests 7 had passed before" in run(repository, "--until-passed")
    assert (repository / PASSED).read_text() == f"{second}\ntests/test_b.py::test_skipped\n"
    assert not list((repository / KEPT).iterdir())
    assert selected(repository) == set()


@pytest.mark.parametrize("option", [["-k", "test_"], ["tests/test_a.py"], []])
def test_who_runs_some_tests_or_changes_files_writes_no_file(option: list[str], repository: Path) -> None:
    (repository / PASSED).unlink()
    if not option:
        write(repository, **{"docs/new.md": "new"})
    said = run(repository, "--until-passed", *option)
    assert ("expected git, and a work tree without changes" in said) == (not option)
    assert not (repository / PASSED).exists()


@pytest.fixture(scope="module")
def definitions() -> Definitions:
    return Tree(Repository(ROOT).sources()).definitions


@pytest.mark.slow
def test_every_rule_is_found_by_the_name_of_its_field(definitions: Definitions) -> None:
    rows = defaultdict(set)
    for table in definitions.closure(["model.releases:ROWS"]):
        for part in definitions.parts(table):
            rows[part.partition("[")[2][:-1]].add(part)
    for field, of_field in groupby(sorted(ROWS, key=lambda row: row.field), lambda row: row.field):
        assert {definition_of(row.rule) for row in of_field} <= definitions.closure(rows[field] | rows["*"]), field


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS.values(), ids=list(SYSTEMS))
def test_who_asks_for_the_rules_of_a_release_depends_on_those_of_the_class(
    system: System, definitions: Definitions
) -> None:
    closure = definitions.closure([definition_of(system.rules_class), definition_of(rules_for)])
    for field in fields(system.rules_class):
        assert {definition_of(row.rule) for _, row in rows_of(field.name)} <= closure, field.name


@pytest.mark.slow
def test_a_test_of_one_system_does_not_depend_on_the_rules_of_another(definitions: Definitions) -> None:
    closure = definitions.closure(["tests.model.systems.test_cpu_manager:test_renaming_commutes_with_every_step"])
    assert "model.cpu.policy.allocate:allocatable_cpus" in closure
    assert "model.scheduler.rows:SCHEDULER_ROWS[requeues_after_patch]" in definitions
    assert "model.scheduler.rows:SCHEDULER_ROWS[requeues_after_patch]" not in closure


@pytest.mark.slow
def test_every_test_that_is_collected_is_a_definition(request: pytest.FixtureRequest, definitions: Definitions) -> None:
    collected = {definition_of_test(item.nodeid) for item in request.session.items if item.path.is_relative_to(ROOT)}
    assert collected <= set(definitions)
