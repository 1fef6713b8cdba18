"""What was played on a checkout, held against a release of the model, and against the release with a fix."""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import combinations
from pathlib import Path
from typing import Any

from attrs import fields, frozen

from kubeproof.conform.conform import PLAYERS, Divergence, Replay, minors_of, replay_cases
from kubeproof.conform.recorded_rules import in_place_of
from kubeproof.errors import InputError
from kubeproof.fix.fix import Fix, in_places
from kubeproof.go.held_runs import PLAYED, HeldRun, held_runs_of
from kubeproof.go.record import RESULTS
from kubeproof.go.registry import DRIVERS
from kubeproof.go.results import Played, Results, read_results
from kubeproof.input.files import shown
from kubeproof.systems.releases import release_named
from model.releases import Release, has_rules, rules_for

NO_RELEASE = "--checkout-results: expected --release with it: the release that the checkout is made from"
AS_RELEASE = "as the release"
AS_FIX = "as the release with the fix"
NOT_TOLD = "not told apart"
DIFFERS = "differs"


@frozen
class HeldAgainst:
    """What a checkout does, by the results of the operations of a component."""

    results: Results
    release: Release
    # How the fix is named to people; None if none was given.
    fix: str | None
    of_release: Replay
    # The same cases under the release with the fix.
    of_fix: Replay | None

    @property
    def verdict(self) -> str:
        """One of AS_RELEASE, AS_FIX, NOT_TOLD (no operation tells the fix from the release) and DIFFERS."""
        if self.of_fix is not None and not self.of_fix.divergences:
            return AS_FIX if self.of_release.divergences else NOT_TOLD
        return DIFFERS if self.of_release.divergences else AS_RELEASE

    @property
    def exit_status(self) -> int:
        """0 if the checkout does what was asked for, 1 if not, 3 if the operations do not say."""
        if self.verdict == NOT_TOLD or (
            not self.asked.divergences and (self.asked.not_covered or self.results.stopped)
        ):
            return 3
        return 0 if self.verdict == (AS_RELEASE if self.fix is None else AS_FIX) else 1

    @property
    def asked(self) -> Replay:
        """The replay under the rules that were asked for: with the fix if there is one."""
        return self.of_release if self.of_fix is None else self.of_fix

    @property
    def shortest(self) -> Divergence | None:
        """Of the cases that differ, the one with the fewest operations up to the difference."""
        return min(self.asked.divergences, key=lambda each: (each.operation, each.case), default=None)

    def operations(self, divergence: Divergence) -> list[dict[str, Any]]:
        """The operations of a case up to the one that differs."""
        return self._case(divergence)["ops"][: divergence.operation + 1]

    def config(self, divergence: Divergence) -> dict[str, Any]:
        return self._case(divergence)["config"]

    def _case(self, divergence: Divergence) -> Played:
        return next(case for _, case in self.results.cases if case["case"] == divergence.case)


def held_against(folder: Path, release: str | None, fix: Fix | None = None) -> HeldAgainst:
    """Hold the results in `folder` against `release`, and against `release` with `fix`. Raises InputError."""
    if release is None:
        raise InputError(NO_RELEASE)
    results = read_results(folder)
    component = results.header["component"]
    if component not in PLAYERS:
        raise InputError(
            f"{results.file}: {component} is recorded, and not judged: expected one of {', '.join(PLAYERS)}"
        )
    at = release_named(release, minors=minors_of(PLAYERS[component]))
    replaced = () if fix is None else _in_places(fix, component, at)
    before = _replay(results, str(at))
    after = None
    if fix is not None:
        with ExitStack() as stack:
            for field, rule in replaced:
                stack.enter_context(in_place_of(field, rule))
            after = _replay(results, str(at))
    return HeldAgainst(results, at, None if fix is None else fix.label, before, after)


def _replay(results: Results, release: str) -> Replay:
    return replay_cases(results.file, ((place, {**case, "release": release}) for place, case in results.cases))


def _in_places(fix: Fix, component: str, release: Release) -> tuple[tuple[str, Any], ...]:
    """(field, rule) of each rule of `fix` that the component has. Raises InputError if there is none."""
    classes = [each for each in DRIVERS[component].rules if has_rules(each, release)]
    known = [field.name for each in classes for field in fields(each)]
    if not set(known) & set(fix.rules):
        expected = ", ".join(known) or "a fix without results of this component"
        raise InputError(f"{fix.label}: no rule of {component}: expected one of {expected}")
    found = [in_places(fix, rules_for(each, release)) for each in classes]
    return tuple((field, rule) for each in found for field, rule in each.items())


# Of a case with so many operations, or fewer, every shorter one is proposed.
_EVERY = 11


def shorter(ops: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Shorter cases that end with the same operation, the shortest first.

    Those of a short case are all there are. Of a long one some operations in a row are dropped, or any two.
    """
    *before, last = ops
    every = range(len(before))
    if len(ops) <= _EVERY:
        kept = [each for size in every for each in combinations(every, size)]
    else:
        rows = [range(start, stop) for start in every for stop in range(start + 1, len(before) + 1)]
        dropped = {tuple(row) for row in rows} | set(combinations(every, 2))
        kept = sorted((tuple(i for i in every if i not in out) for out in dropped), key=lambda each: (len(each), each))
    for each in kept:
        yield [*(before[i] for i in each), last]


def shorter_operations(held: HeldAgainst) -> str:
    """A file of operations: the shorter cases of the shortest case that differs. Raises InputError if none does."""
    divergence = held.shortest
    if divergence is None:
        raise InputError("--shorter: nothing differs: leave the option out")
    config = held.config(divergence)
    cases = [held.operations(divergence), *shorter(held.operations(divergence))]
    return "".join(json.dumps({"case": i, "config": config, "ops": ops}) + "\n" for i, ops in enumerate(cases))


@frozen
class OfCheckout:
    """What a folder says of a checkout."""

    # Of the operations; None if none were recorded there.
    held: HeldAgainst | None
    # Of the kept runs; () if none were played there.
    runs: tuple[HeldRun, ...]


def of_checkout(folders: Sequence[Path], release: str | None, fix: Fix | None) -> tuple[OfCheckout, ...]:
    """What each folder of `kubeproof go record` and `kubeproof go test` says. Raises InputError."""
    return tuple(_of_folder(folder, release, fix) for folder in folders)


def _of_folder(folder: Path, release: str | None, fix: Fix | None) -> OfCheckout:
    runs: tuple[HeldRun, ...] = ()
    if (folder / PLAYED).is_file():
        if release is None:
            raise InputError(NO_RELEASE)
        runs = held_runs_of(folder, release, fix)
        if not (folder / RESULTS).is_file():
            return OfCheckout(None, runs)
    elif not (folder / RESULTS).is_file():
        raise InputError(
            f"{shown(folder)}: neither {RESULTS} nor {PLAYED} is there: expected the folder of `kubeproof go record`, "
            "or of a driver of `kubeproof go test`, after its command was run"
        )
    return OfCheckout(held_against(folder, release, fix), runs)


def joined_status(checkouts: Sequence[OfCheckout]) -> int:
    """0 if all that was played goes as with the fix, 1 if something does not, 3 if nothing tells the two apart."""
    components = [each.held for each in checkouts if each.held is not None]
    runs = [run for each in checkouts for run in each.runs]
    if any(run.difference for run in runs) or any(each.exit_status == 1 for each in components):
        return 1
    told = any(run.told for run in runs) or any(each.exit_status == 0 for each in components)
    unknown = any(each.exit_status == 3 and each.verdict != NOT_TOLD for each in components)
    return 0 if told and not unknown else 3
