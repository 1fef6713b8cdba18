"""Reading verdicts in tests."""

from kubeproof.validate.verdict import Part, Validation


def only(verdict: Validation) -> Part:
    """The one part of a fix that is judged in one system."""
    (part,) = verdict.parts
    return part
