"""A proof for every size under one power more of the environment: which powers keep the proof, and which break it."""

from time import monotonic

from kubeproof.engines.smt.induction import prove
from kubeproof.engines.watch import Watch
from kubeproof.verdict.result import Outcome
from properties.smt.form import Proof

SECONDS = 10.0  # for each power


def besides(proof: Proof, *, seconds: float = SECONDS, watch: Watch = Watch()) -> str:  # noqa: B008 frozen
    """One line on the powers that are off: with which of them, one at a time, `proof` holds, and which break it.

    "" if no power is off. A power that breaks the proof need not break the property: that is for the bounded and the
    explicit engine to say. `seconds` is the time for each power, `watch` is for all.
    """
    if proof.together is not None and len(proof.besides) > 1:
        before, after = _said(proof, proof.together(), watch.left(seconds))
        if before == HOLDS:
            return f"{before}{', '.join(proof.besides)}{after}"
    said: dict[tuple[str, str], list[str]] = {}
    for power, made in proof.besides.items():
        watch.tell(f"proof '{proof.name}' with {power} too")
        said.setdefault(_said(proof, made(), watch.left(seconds)), []).append(power)
    # What keeps the proof, then what breaks it, then what is not known.
    order = sorted(said, key=lambda around: (around[0] != HOLDS, around[0] != BROKEN))
    return "; ".join(f"{before}{', '.join(said[before, after])}{after}" for before, after in order)


HOLDS, BROKEN = "holds with ", "broken by "


def _said(proof: Proof, wider: Proof | str, seconds: float) -> tuple[str, str]:
    """What is said before and after the names of the powers."""
    if isinstance(wider, str):
        return "no proof with ", f": {wider}"
    outcome = _outcome(wider, seconds)
    if outcome is Outcome.VIOLATED:
        return BROKEN, ""
    if outcome is Outcome.INCONCLUSIVE:
        return "", f" not decided within {seconds:.3g} s"
    machines = wider.details.get("CPUs")
    return HOLDS, "" if machines == proof.details.get("CPUs") else f" on {machines} CPUs"


def _outcome(proof: Proof, seconds: float) -> Outcome:
    """The first answer that is not the expected one."""
    end = monotonic() + seconds
    for obligation in proof.obligations:
        left = end - monotonic()
        if left <= 0:
            return Outcome.INCONCLUSIVE
        (answer,) = prove([obligation], timeout=left)
        if answer.outcome is not Outcome.HOLDS:
            return answer.outcome
    return Outcome.HOLDS
