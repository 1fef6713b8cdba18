"""The commands about a user's own checkout of Kubernetes: `kubeproof go ...`."""

from pathlib import Path
from typing import Annotated

import typer

from kubeproof.cli import completion
from kubeproof.cli.app import Json, app
from kubeproof.errors import InputError
from kubeproof.output import out, print_json

go = typer.Typer(
    help="Records and replays on your own checkout of Kubernetes. kubeproof writes nothing into the checkout, and does "
    "not run go.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
app.add_typer(go, name="go")

CheckoutOption = Annotated[
    Path, typer.Option("--checkout", help="The folder of the checkout, or of a module that vendors Kubernetes.")
]
OutOption = Annotated[Path | None, typer.Option("--out", help="The folder to write to, outside of the checkout.")]


@go.command()
def record(
    component: Annotated[str, typer.Argument(help="A component that has a driver, such as cache.")],
    checkout: CheckoutOption,
    out_folder: OutOption = None,
    operations: Annotated[
        Path | None, typer.Option("--operations", help="Play these operations, or those of this recording.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a driver for a component of a checkout, and say which command records the component.

    `kubeproof conform --checkout-results DIR --release R` then says what was recorded.

    Example: `kubeproof go record cache --checkout ../kubernetes --out ../cache`
    """
    from kubeproof.go.record import record as write

    written = write(component, checkout, out_folder, operations)
    if as_json:
        print_json(
            {
                "component": component,
                "package": written.chosen.package,
                "symbols": written.chosen.symbols,
                "files": [str(path) for path in written.files],
                "cases": written.cases,
                "operations": written.operations,
                "command": written.command,
            }
        )
        return
    out.print(f"{component}: {written.chosen.package}")
    for part, half in written.chosen.halves.items():
        out.print(f"  {part}: {half.file}, since the source has {half.told}")
    out.print(f"{written.cases} cases with {written.operations} operations are in {written.out}. Run:\n")
    # Not wrapped: a command is copied.
    out.print(written.command, soft_wrap=True)


ReleaseOption = Annotated[
    str | None,
    typer.Option(
        "--release",
        help="The release of the checkout, such as 1.31.13. Default: that of the bug.",
        autocompletion=completion.releases,
    ),
]


@go.command("test")
def written(
    checkout: CheckoutOption,
    bug: Annotated[
        str | None, typer.Argument(help="Such as CPU-STALE-LAST-UPDATE.", autocompletion=completion.bugs)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="The tests of all bugs that a driver can play.")] = False,
    release: ReleaseOption = None,
    out_folder: OutOption = None,
    as_json: Json = False,
) -> None:
    """Write a Go test that plays the kept run of a bug on a checkout, and say which command runs the test.

    The test asserts the property that the bug violates, on Go's own values: it fails as long as the code has the bug.
    `kubeproof go played` keeps what the test said.

    Example: `kubeproof go test CPU-STALE-LAST-UPDATE --release 1.31.13 --checkout ../kubernetes --out ../tests`
    """
    from kubeproof.bugs.bug import Bug
    from kubeproof.bugs.catalogue import any_bug_named
    from kubeproof.go.written import bugs_to_play, write_further_tests, write_tests
    from kubeproof.systems.releases import release_named
    from model.releases import EVERY_MINOR

    if every == (bug is not None):
        raise InputError("go test: expected the id of a bug, or --all")
    # A release that the bug's system does not know is compared with the newest one that it knows.
    of = None if release is None else release_named(release, minors=EVERY_MINOR)
    named = None if bug is None else any_bug_named(bug)
    if named is None or isinstance(named, Bug):
        tests = write_tests(bugs_to_play(of) if named is None else [named], of, checkout, out_folder)
    else:
        tests = write_further_tests(named.id, checkout, out_folder)
    if bug is not None and not tests.packages:
        raise InputError("; ".join(f"{name}: cannot be played: {why}" for name, why in tests.not_written.items()))
    if as_json:
        print_json(
            {
                "packages": [
                    {
                        "driver": each.driver,
                        "package": each.package,
                        "out": str(each.out),
                        "tests": each.tests,
                        "command": each.command,
                    }
                    for each in tests.packages
                ],
                "not_written": tests.not_written,
            }
        )
        return
    for each in tests.packages:
        count = f"{len(each.tests)} tests" if len(each.tests) > 1 else "The test"
        out.print(f"{count} of {', '.join(each.tests)} for {each.package}: {each.out}. Run:\n")
        # Not wrapped: a command is copied.
        out.print(each.command + "\n", soft_wrap=True)
    by_reason: dict[str, list[str]] = {}
    for name, why in tests.not_written.items():
        by_reason.setdefault(why, []).append(name)
    for why, names in by_reason.items():
        out.print(f"{', '.join(names)} cannot be played: {why}")


@go.command()
def played(
    bug: Annotated[str, typer.Argument(help="The id of the bug whose test was run.", autocompletion=completion.bugs)],
    results: Annotated[Path, typer.Argument(help="What `go test -v` or `go test -json` printed.")],
    release: Annotated[
        str, typer.Option("--release", help="The release of the checkout.", autocompletion=completion.releases)
    ],
    folder: Annotated[Path, typer.Option("--counterexamples", help="The folder with the kept counterexamples.")] = Path(
        "counterexamples"
    ),
    patched: Annotated[
        bool, typer.Option("--patched", help="The checkout is the release with a patch: nothing is kept.")
    ] = False,
    test: Annotated[
        str | None, typer.Option("--test", help="A further test of the bug. Default: the test of the kept run.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Read what a test of `kubeproof go test` printed, and keep it in counterexamples/BUG/played.json.

    The exit status is 0 if each state was that of the run, and the property failed where the model says so; else 1.
    With --patched nothing is kept, and the exit status is 0 if the property held to the end of the run; else 1.

    Example: `kubeproof go played CPU-STALE-LAST-UPDATE ../tests/cpumanager/played.txt --release 1.31.13`
    """
    from attrs import asdict

    from kubeproof.bugs.bug import Bug
    from kubeproof.bugs.catalogue import any_bug_named
    from kubeproof.go.further_tests import further_tests_of
    from kubeproof.go.played import further_played_on, keep, played_on
    from kubeproof.systems.releases import release_named
    from kubeproof.visible import shortened
    from model.releases import EVERY_MINOR

    named = any_bug_named(bug)
    of = release_named(release, minors=EVERY_MINOR)
    own = next((each for each in further_tests_of(named.id) if each.test == test), None)
    if test is not None and own is None:
        raise InputError(f"--test {shortened(test)}: not a further test of {named.id}")
    if own is not None:
        found = further_played_on(named, own, results, of)
    elif isinstance(named, Bug):
        found = played_on(named, results, of)
    else:
        tests = ", ".join(each.test for each in further_tests_of(named.id)) or "none"
        raise InputError(f"{named.id} is shown on components, and has no kept run: expected --test, one of: {tests}")
    # What a patched checkout does is no fact about the release, so no page may say it.
    path = None if patched else keep(named, found, folder)
    if as_json:
        print_json({"bug": named.id, **asdict(found), "patched": patched, "file": path and str(path)})
    else:
        where = "with a patch, not kept" if path is None else path
        out.print(f"{named.id} on {found.release}: {found.told} ({where})")
        if not found.same:
            out.print(found.result)
        if found.violated:
            what = named.violates if isinstance(named, Bug) else named.id
            out.print(f"{what}: {found.violated}")
    good = found.held if patched else found.same
    raise typer.Exit(0 if good else 1)
