"""Whether a documented bug is known upstream."""

from kubeproof.bugs.load import AnyBug


def known_upstream(bug: AnyBug) -> bool:
    """Whether an issue or a pull request upstream is known that is about `bug`."""
    return bool(bug.issues or bug.fixes)
