"""`kubeproof go test`: the Go tests of bugs, the overlay that adds them to a checkout, and the command to run."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from attrs import frozen

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import BUGS
from kubeproof.errors import InputError
from kubeproof.go.checkout import Checkout, checkout, has_symbol
from kubeproof.go.driver import Chosen, choose, readable, write_overlay
from kubeproof.go.further_tests import FurtherTest, further_tests_of, go_test_of
from kubeproof.go.generated import form_of, go_test_file
from kubeproof.go.held_runs import PLAYED
from kubeproof.go.record import go_test, out_folder
from kubeproof.go.registry import driver_named
from kubeproof.players.player import CannotPlayError
from kubeproof.players.registry import PLAYERS, player_of
from kubeproof.systems.registry import system_named
from kubeproof.visible import shell_word
from model.releases import Release
from properties.go import go_name


@frozen
class Written:
    """The tests of one package, and how to run them."""

    driver: str
    package: str
    out: Path
    # By bug: the name of the test.
    tests: dict[str, str]
    command: str


@frozen
class AllWritten:
    """What `go test` wrote, and what it could not write."""

    packages: tuple[Written, ...]
    # By bug: why its kept run cannot be played.
    not_written: dict[str, str]


def write_tests(bugs: Iterable[Bug], release: Release | None, folder: Path, out: Path | None) -> AllWritten:
    """Write the test of each bug for the checkout at `folder`, a folder in `out` for each driver. Raises InputError.

    `release`: that of the checkout; None: of each bug its own.
    """
    tree = checkout(folder)
    target = out_folder(Path("kubeproof-test") if out is None else out, tree)
    reasons: dict[str, str] = {}
    by_driver: dict[str, list[Bug]] = {}
    for bug in bugs:
        try:
            by_driver.setdefault(player_of(bug.system).driver, []).append(bug)
        except CannotPlayError as error:
            reasons[bug.id] = str(error)
    packages = []
    for name, own in by_driver.items():
        try:
            chosen = choose(driver_named(name), tree)
        except InputError as error:
            if len(by_driver) == 1:
                raise
            reasons |= {bug.id: str(error) for bug in own}
            continue
        written = _write(name, chosen, tree, own, release, target / name, reasons)
        if written is not None:
            packages.append(written)
    return AllWritten(tuple(packages), reasons)


def write_further_tests(bug: str, folder: Path, out: Path | None) -> AllWritten:
    """Write the tests of a bug that has no kept run. Raises InputError: it has no tests either, or the source."""
    own = further_tests_of(bug)
    if not own:
        raise InputError(f"{bug} is shown on components, and has no Go test")
    tree = checkout(folder)
    target = out_folder(Path("kubeproof-test") if out is None else out, tree) / own[0].driver
    chosen = choose(driver_named(own[0].driver), tree)
    for each in own:
        if not has_symbol(tree.package(chosen.package), each.symbol):
            raise InputError(
                f"--checkout {tree.root}: {each.test} does not know this source: {readable(each.symbol)} is not there"
            )
    target.mkdir(parents=True, exist_ok=True)
    write_overlay(
        chosen,
        tree,
        target,
        {f"zz_{each.file.removesuffix('.go')}_test.go": chosen.driver.source(each.file) for each in own},
    )
    flags = ("-v", "-race") if own[0].race else ("-v",)
    pattern = f"^({'|'.join(each.test for each in own)})$"
    command = go_test(tree, target, chosen.package, pattern, flags)
    command = f"{command} | tee {shell_word(str(target / PLAYED))}"
    tests = {f"{bug} with {each.run}": each.test for each in own}
    return AllWritten((Written(own[0].driver, chosen.package, target, tests, command),), {})


def _write(
    name: str,
    chosen: Chosen,
    tree: Checkout,
    bugs: Iterable[Bug],
    release: Release | None,
    out: Path,
    reasons: dict[str, str],
) -> Written | None:
    """The tests of one driver. What cannot be played is noted in `reasons`; None if nothing can."""
    halves = ", ".join(half.file.removesuffix(".go") for half in chosen.halves.values())
    files: dict[str, str] = {}
    tests: dict[str, str] = {}
    bugs = tuple(bugs)
    wanted: list[tuple[Bug, FurtherTest | None]] = [(bug, each) for bug in bugs for each in further_tests_of(bug.id)]
    for bug, further in [*wanted, *((bug, None) for bug in bugs)]:
        if further is not None and further.file:
            if further.driver == name and has_symbol(tree.package(chosen.package), further.symbol):
                files[f"zz_{further.file.removesuffix('.go')}_test.go"] = chosen.driver.source(further.file)
                tests[f"{bug.id} with {further.run}"] = further.test
            continue
        test = go_test_of(bug, further)
        try:
            text = go_test_file(test, release, chosen.driver.package_clause, halves)
        except CannotPlayError as error:
            reasons[test.of] = str(error)
            continue
        files[f"zz_{test.file.replace('-', '_')}_test.go"] = text
        form = form_of(bug) or ""
        files[f"zz_property_{go_name(form)}_test.go"] = form
        tests[test.of] = test.name
    if not tests:
        return None
    out.mkdir(parents=True, exist_ok=True)
    write_overlay(chosen, tree, out, files)
    pattern = f"^({'|'.join(tests.values())})$" if len(tests) > 1 else f"^{next(iter(tests.values()))}$"
    command = go_test(tree, out, chosen.package, pattern, ("-v",))
    return Written(name, chosen.package, out, tests, f"{command} | tee {shell_word(str(out / PLAYED))}")


def bugs_to_play(release: Release | None) -> Iterator[Bug]:
    """The bugs whose systems have a player and whose properties a form in Go, of `release` if one is named."""
    for bug in BUGS:
        minors = system_named(bug.system).minors
        if bug.system in PLAYERS and (release is None or release.minor >= minors[0]):
            yield bug
