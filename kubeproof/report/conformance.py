"""The replays of recordings as text."""

import json
from collections.abc import Sequence

from kubeproof.conform.conform import Divergence, Replay

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
