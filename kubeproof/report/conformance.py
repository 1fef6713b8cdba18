"""The replays of recordings, and what a user's checkout does, as text and as JSON."""

import json
from collections.abc import Sequence
from typing import Any

from attrs import asdict, evolve

from kubeproof.conform.conform import Divergence, Replay
from kubeproof.go.held_against import AS_FIX, AS_RELEASE, NOT_TOLD, HeldAgainst, OfCheckout, joined_status
from kubeproof.go.held_runs import HeldRun
from kubeproof.systems.releases import newer_note
from model.releases import Release, ReleaseError, parse_release

SHOWN = 10  # divergences of a file that are shown in full


def conformance_text(replays: Sequence[Replay]) -> str:
    """A line for each file, then what was not played, then its divergences: file, case, operation, expected, got."""
    lines = []
    for replay in replays:
        verdict = "no divergence" if not replay.divergences else f"{len(replay.divergences)} cases diverge"
        lines.append(
            f"{replay.file}: {replay.system} {replay.release}: {replay.cases} cases, "
            f"{replay.operations} operations, {verdict}"
        )
        lines += [f"  {cases} cases not covered: {reason}" for reason, cases in replay.not_covered.items()]
        for divergence in replay.divergences[:SHOWN]:
            lines += divergence_lines(divergence)
        if len(replay.divergences) > SHOWN:
            lines.append(f"  … and {len(replay.divergences) - SHOWN} more cases")
    cases = sum(replay.cases for replay in replays)
    diverging = sum(len(replay.divergences) for replay in replays)
    uncovered = sum(replay.uncovered for replay in replays)
    not_covered = f", {uncovered} not covered" if uncovered else ""
    files = "1 file" if len(replays) == 1 else f"{len(replays)} files"
    lines.append(f"{cases} cases in {files}, {diverging} diverge{not_covered}")
    return "\n".join(lines)


def divergence_lines(divergence: Divergence) -> list[str]:
    """Where, what was played, and the fields in which expected and got differ."""
    place = (
        f"  {divergence.file}: case {divergence.case}, operation {divergence.operation}: {json.dumps(divergence.op)}"
    )
    return [place, *differing_lines(divergence)]


def differing_lines(divergence: Divergence) -> list[str]:
    """The fields in which expected and got differ."""
    return [
        f"    {key}: expected {_show(divergence.expected, key)}, got {_show(divergence.got, key)}"
        for key in divergence.differing()
    ]


def _show(observed: dict[str, object], key: str) -> str:
    return json.dumps(observed[key]) if key in observed else "nothing"


def held_text(held: HeldAgainst) -> str:
    """The verdict, what was played, and the shortest case that differs."""
    results, asked = held.results, held.asked
    header = results.header
    lines = [
        _verdict(held),
        "",
        f"Component  {header['component']}, {header['package']}, driven by {', '.join(header['halves'].values())}",
        f"Played     {asked.cases} cases, {asked.operations} operations, with {header['go']}",
    ]
    if results.stopped:
        lines.append(f"Stopped    before the last case: {results.stopped}")
    lines += [f"Left out   {cases} cases: {reason}" for reason, cases in asked.not_covered.items()]
    if held.of_fix is not None:
        told = len(held.of_release.divergences)
        lines.append(f"Told apart {told} cases answer otherwise than {held.release} without the fix")
    shortest = held.shortest
    if shortest is not None:
        lines += ["", *_case_lines(held, shortest)]
    return "\n".join(lines)


def _verdict(held: HeldAgainst) -> str:
    component, release, fix = held.results.header["component"], held.release, held.fix
    match held.verdict:
        case verdict if verdict == AS_RELEASE and fix is None:
            return f"The checkout's {component} does what {release} does."
        case verdict if verdict == AS_RELEASE:
            return f"The checkout's {component} does what {release} does, without {fix}."
        case verdict if verdict == AS_FIX:
            return f"The checkout's {component} does what {release} does with {fix}."
        case verdict if verdict == NOT_TOLD:
            return f"These operations do not tell {release} from {release} with {fix}: the checkout does what both do."
    count = len(held.asked.divergences)
    expected = release if fix is None else f"{release} with {fix}"
    return f"The checkout's {component} differs from {expected}: {count} of {held.asked.cases} cases."


def _case_lines(held: HeldAgainst, divergence: Divergence) -> list[str]:
    operations = held.operations(divergence)
    count = "1 operation" if len(operations) == 1 else f"{len(operations)} operations"
    lines = [f"The shortest case that differs is case {divergence.case}, with {count}:"]
    config = held.config(divergence)
    if config:
        lines.append(f"  config {json.dumps(config)}")
    lines += [f"  {i:>3}  {json.dumps(op)}" for i, op in enumerate(operations)]
    lines += _difference(divergence)
    if len(operations) > 1:
        lines.append(
            "A shorter case may differ too: --shorter FILE writes them, for `kubeproof go record --operations`."
        )
    return lines


def _difference(divergence: Divergence) -> list[str]:
    """What the checkout answered, and what the model does."""
    seen = divergence.expected
    ends = {"hang": "does not answer", "panic": f"panics: {seen.get('panic')}"}
    said = next((text for key, text in ends.items() if key in seen), None)
    if said is not None:
        return [f"In operation {divergence.operation} the checkout {said}"]
    # The model's answer is what is expected of a checkout; a recording is what is expected of the model.
    turned = evolve(divergence, expected=divergence.got, got=divergence.expected)
    return [
        f"After operation {divergence.operation} (expected: the model; got: the checkout):",
        *differing_lines(turned),
    ]


def held_notes(held: HeldAgainst) -> list[str]:
    """That the release is judged as another, and that the tree says of itself that it is of another minor."""
    notes = list(newer_note(held.release))
    said = held.results.header["tree_says"]
    try:
        minor = parse_release(said, range(1, 1000)).minor if said else held.release.minor
    except ReleaseError:
        return notes
    if minor == held.release.minor:
        return notes
    return [*notes, f"the tree says of itself that it is {said}, and is held against {held.release}"]


def held_json(held: HeldAgainst) -> dict[str, Any]:
    """The document of `conform --checkout-results --json`."""
    shortest = held.shortest
    return {
        "header": held.results.header,
        "release": str(held.release),
        "fix": held.fix,
        "verdict": held.verdict,
        "of_release": asdict(held.of_release),
        "of_fix": None if held.of_fix is None else asdict(held.of_fix),
        "shortest": None
        if shortest is None
        else {
            "case": shortest.case,
            "config": held.config(shortest),
            "ops": held.operations(shortest),
            "checkout": shortest.expected,
            "model": shortest.got,
        },
    }


def kept_runs_text(runs: Sequence[HeldRun], release: Release, fix: str | None) -> str:
    """In how many kept runs the checkout does what is expected, and where it does not."""
    asked = str(release) if fix is None else f"{release} with {fix}"
    wrong = [run for run in runs if run.difference]
    lines = [f"Kept runs  {len(runs) - len(wrong)} of {len(runs)} go as in {asked}"]
    if fix is not None:
        told = [run.bug.id for run in runs if run.told]
        goes = "goes" if len(told) < 2 else "go"
        lines.append(f"Told apart {', '.join(told) or 'no run'} {goes} otherwise without the fix")
    lines += [f"  {run.bug.id}: {run.difference}" for run in wrong]
    return "\n".join(lines)


def kept_runs_json(runs: Sequence[HeldRun]) -> list[dict[str, Any]]:
    """The kept runs in the document of `validate --json`."""
    return [
        {
            "bug": run.bug.id,
            "checkout": asdict(run.checkout),
            "of_release": asdict(run.release),
            "of_fix": None if run.fix is None else asdict(run.fix),
            "difference": run.difference,
        }
        for run in runs
    ]


def beside_verdict(checkouts: Sequence[OfCheckout], release: Release, fix: str) -> str:
    """The part of the checkout in the verdict on a fix: what it does, and how strongly this was established."""
    lines = []
    for each in checkouts:
        if each.held is not None:
            lines += [held_text(each.held), ""]
        if each.runs:
            lines += [kept_runs_text(each.runs, release, fix), ""]
    lines.append(
        {
            1: "The verdict above is about the rule only: the checkout does something else.",
            3: "The verdict above is about the rule only: nothing that was played shows whether the checkout has it.",
            0: "The checkout: tested on what was played, no more. The verdict above is about its rule too.",
        }[joined_status(checkouts)]
    )
    return "\n".join(lines)
