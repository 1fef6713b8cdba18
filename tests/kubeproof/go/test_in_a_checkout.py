"""From a command to a verdict in the checkout that KUBEPROOF_CHECKOUT names, of KUBEPROOF_CHECKOUT_RELEASE (1.31.13).

The tests build Go code of the checkout: minutes if the build cache is empty.
"""

import os
import subprocess
from pathlib import Path

import pytest

from kubeproof.bugs.catalogue import BUGS
from kubeproof.go.checkout import checkout
from kubeproof.go.played import played_on
from kubeproof.go.written import write_tests
from model.releases import known_release
from tests.kubeproof.go.test_drivers import go_tools

CHECKOUT = os.environ.get("KUBEPROOF_CHECKOUT", "")
RELEASE = os.environ.get("KUBEPROOF_CHECKOUT_RELEASE", "1.31.13")


@pytest.mark.skipif(not CHECKOUT, reason="KUBEPROOF_CHECKOUT is not set: no checkout to build")
def test_each_kept_run_of_the_cpu_manager_is_played_as_the_model_says(tmp_path: Path) -> None:
    bugs = {bug.id: bug for bug in BUGS if bug.system == "cpu-manager"}
    package = checkout(Path(CHECKOUT)).package("pkg/kubelet/cm/cpumanager")
    before = {path: path.stat().st_mtime for path in package.rglob("*")}
    (written,) = write_tests(bugs.values(), known_release(RELEASE), Path(CHECKOUT), tmp_path / "out").packages
    assert set(written.tests) <= set(bugs)
    path = f"{go_tools()}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(["sh", "-c", written.command], env={**os.environ, "PATH": path}, check=True, timeout=3000)
    for name in written.tests:
        found = played_on(bugs[name], written.out / "played.txt", known_release(RELEASE))
        assert found.same, (name, found.result, found.violated)
    assert before == {path: path.stat().st_mtime for path in package.rglob("*")}
