"""The TLC engine: a system's TLA+ form put to TLC, its answer and error trace as every engine gives them.

`check` and `count` are the entrance. java finds what to run, question writes the .cfg, process runs,
messages and values read what TLC prints, answer judges it, traces turns an error trace into a run of the machine.
"""

from kubeproof.engines.tlc.engine import check, count
from kubeproof.engines.tlc.traces import DisagreementError

__all__ = ["DisagreementError", "check", "count"]
