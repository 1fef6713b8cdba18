"""Reading verdicts in tests."""

from kubeproof.fix.judgement import Part, Validation


def only(verdict: Validation) -> Part:
    """The one part of a fix that is judged in one system."""
    (part,) = verdict.parts
    return part
