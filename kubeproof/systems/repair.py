"""A repair: a rule that no modelled release has, and that takes a documented bug away.

A bug that no release cures is told from others by its repair. The repairs of a system are in
`kubeproof/systems/SYSTEM/described.py`. Nobody proposes a repair as a fix: its only use is to name a violation.
"""

from collections.abc import Callable
from typing import Any

from attrs import frozen


@frozen
class Repair:
    """One rule of one bug."""

    # The id of the bug, e.g. "QUEUE-INFLIGHT-DUP".
    bug: str
    # The rule field.
    field: str
    # The rule of a release that has the bug.
    faulty: Callable[..., Any]
    # The same rule without the bug.
    rule: Callable[..., Any]
