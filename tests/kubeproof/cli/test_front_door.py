"""The help, the version and what a shell completes."""

import os
import subprocess
import sys
from importlib.metadata import version

import pytest
import typer

from kubeproof.bugs.catalogue import EVERY_BUG, UNSHOWN_BUGS
from kubeproof.cli import app
from kubeproof.cli.app import GROUPS
from kubeproof.engines.explicit.compiled import kind
from kubeproof.engines.table import ENGINES
from kubeproof.systems.registry import SYSTEMS
from model.releases import LAST_PATCH
from tests.kubeproof.cli.terminal import in_pipe, on_terminal, without_escapes


def test_the_version_is_that_of_the_distribution() -> None:
    assert in_pipe("--version") == f"kubeproof {version('kubeproof')}\nexplicit engine: {kind()}\n"


def test_the_help_has_every_command_in_its_group() -> None:
    shown = without_escapes(on_terminal(80, "--help"))
    assert max(map(len, shown.splitlines())) <= 80
    group, found = "", dict[str, list[str]]()
    for line in shown.splitlines():
        if line.startswith("╭─"):
            group = line.strip("╭─╮ ")
        elif group in GROUPS and line.startswith("│") and (name := line[2:19].strip()):
            found.setdefault(group, []).append(name)
    assert {group: sorted(names) for group, names in found.items()} == {
        group: sorted(names) for group, names in GROUPS.items()
    }
    assert {name for names in GROUPS.values() for name in names} == set(typer.main.get_group(app).list_commands(None))  # type: ignore[arg-type]


def completed(line: str) -> list[str]:
    """What bash is told to complete the last word of `line` to."""
    words = line.split(" ")
    env = {
        **os.environ,
        "_KUBEPROOF_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    # The name of the program is that of the variable.
    start = "import sys; sys.argv[0] = 'kubeproof'; from kubeproof.start import main; main()"
    done = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True, env=env, check=False)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("kubeproof reproduce ", {bug.id for bug in (*EVERY_BUG, *UNSHOWN_BUGS)}),
        ("kubeproof show NODETREE-C", {"NODETREE-CURSOR"}),
        ("kubeproof show nodetree-c", {"nodetree-cursor"}),
        ("kubeproof check ", set(SYSTEMS)),
        ("kubeproof list node", {"node-listing"}),
        ("kubeproof check node-listing --property ", {each.name for each in SYSTEMS["node-listing"].properties}),
        ("kubeproof bugs --property listed", {"listed-exactly-once"}),
        ("kubeproof check node-listing --engine ", {*ENGINES, "all"}),
        ("kubeproof check node-listing --release ", {f"1.{minor}" for minor in LAST_PATCH}),
        ("kubeproof check node-listing -r 1.36.", {f"1.36.{patch}" for patch in range(LAST_PATCH[36] + 1)}),
        ("kubeproof fix new list_n", {"list_nodes"}),
        ("kubeproof cpu", {"cpu-state", "cpu-take"}),
    ],
)
def test_a_shell_completes_names(line: str, expected: set[str]) -> None:
    found = completed(line)
    assert set(found) == expected
    assert len(found) == len(expected)


def test_ids_and_systems_are_completed_without_what_is_slow_to_import() -> None:
    asked = "import sys; from kubeproof.cli.completion import bugs, systems; assert bugs('NODETREE') and systems('')"
    slow = "sorted(name for name in sys.modules if name.split('.')[0] in ('model', 'properties', 'z3'))"
    done = subprocess.run([sys.executable, "-c", f"{asked}; print({slow})"], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
