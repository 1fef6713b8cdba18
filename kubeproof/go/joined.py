"""All that was played on one checkout, beside the verdict on a fix: operations of components, and kept runs."""

from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from kubeproof.errors import InputError
from kubeproof.fix.fix import Fix
from kubeproof.go.judge import NO_RELEASE, NOT_TOLD, Judgement, judge
from kubeproof.go.kept_runs import PLAYED, KeptRun, kept_runs_of
from kubeproof.go.record import RESULTS
from kubeproof.input.files import shown


@frozen
class OfCheckout:
    """What a folder says of a checkout."""

    # Of the operations; None if none were recorded there.
    judgement: Judgement | None
    # Of the kept runs; () if none were played there.
    runs: tuple[KeptRun, ...]


def of_checkout(folders: Sequence[Path], release: str | None, fix: Fix | None) -> tuple[OfCheckout, ...]:
    """What each folder of `kubeproof go record` and `kubeproof go test` says. Raises InputError."""
    return tuple(_of_folder(folder, release, fix) for folder in folders)


def _of_folder(folder: Path, release: str | None, fix: Fix | None) -> OfCheckout:
    runs: tuple[KeptRun, ...] = ()
    if (folder / PLAYED).is_file():
        if release is None:
            raise InputError(NO_RELEASE)
        runs = kept_runs_of(folder, release, fix)
        if not (folder / RESULTS).is_file():
            return OfCheckout(None, runs)
    elif not (folder / RESULTS).is_file():
        raise InputError(
            f"{shown(folder)}: neither {RESULTS} nor {PLAYED} is there: expected the folder of `kubeproof go record`, "
            "or of a driver of `kubeproof go test`, after its command was run"
        )
    return OfCheckout(judge(folder, release, fix), runs)


def joined_status(checkouts: Sequence[OfCheckout]) -> int:
    """0 if all that was played goes as with the fix, 1 if something does not, 3 if nothing tells the two apart."""
    judgements = [each.judgement for each in checkouts if each.judgement is not None]
    runs = [run for each in checkouts for run in each.runs]
    if any(run.difference for run in runs) or any(each.exit_status == 1 for each in judgements):
        return 1
    told = any(run.told for run in runs) or any(each.exit_status == 0 for each in judgements)
    unknown = any(each.exit_status == 3 and each.verdict != NOT_TOLD for each in judgements)
    return 0 if told and not unknown else 3
