"""A machine and properties of a reader in pytest: an item for each property."""

import pytest

from tests.kubeproof.own.files import LOCK, MENDED, PROPERTIES
from tests.kubeproof.test_pytest_plugin import LOAD

pytest_plugins = ["pytester"]


def test_a_machine_of_a_user_has_an_item_for_each_property(pytester):
    pytester.makepyfile(my_lock=LOCK)
    found = pytester.runpytest(*LOAD, "--kubeproof-machine=my_lock.py")
    found.assert_outcomes(failed=1, passed=1)
    found.stdout.fnmatch_lines(["*my_lock.py::mutual-exclusion?explicit?*", "*t1 and t2 hold the lock*"])
    assert "Kubernetes" not in found.stdout.str()
    assert "no page documents it" not in found.stdout.str()
    pytester.makepyfile(my_lock=MENDED)
    larger = pytester.runpytest(*LOAD, "--kubeproof-machine=my_lock.py", "--kubeproof-scope=threads=4")
    larger.assert_outcomes(passed=2)


def test_a_property_of_a_user_is_an_item_of_the_system(pytester):
    pytester.makepyfile(twice=PROPERTIES)
    asked = [*LOAD, "--kubeproof-property-file=twice.py", "--kubeproof-system=node-listing"]
    pytester.runpytest(*asked).assert_outcomes(passed=1)
    old = pytester.runpytest(*asked, "--kubeproof-release=1.18.4")
    old.assert_outcomes(failed=1)
    old.stdout.fnmatch_lines(["*again: kubeproof check node-listing --release 1.18.4 --property-file *twice.py*"])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--kubeproof-machine=my_lock.py", "--kubeproof-release=1.31"], "--kubeproof-release: --kubeproof-machine is"),
        (["--kubeproof-machine=none.py"], "none.py: cannot be read"),
        (["--kubeproof-property-file=my_lock.py"], "expected one --kubeproof-system"),
        (
            ["--kubeproof-property-file=x.py", "--kubeproof-system=scheduling", "--kubeproof-fix=y.py"],
            "--kubeproof-fix: --kubeproof-property-file is there too",
        ),
    ],
)
def test_what_does_not_go_with_a_file_of_a_user_is_a_usage_error(pytester, options, expected):
    pytester.makepyfile(my_lock=LOCK)
    found = pytester.runpytest(*LOAD, *options)
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    assert expected in found.stderr.str()
