"""The TLC engine: puts the TLA+ form of a system to TLC, and gives results and traces as every engine does.

`check` and `count` of `engine` are what others call: they run TLC. `java` finds Java and the jar, and `launch` starts a
program of the jar. `question` writes the .cfg. `messages` and `values` read what TLC prints. `answer` judges what TLC
printed. `traces` turns an error trace of TLC into a run of the machine. `distributed` runs TLC's server, or a worker
of it.
"""

from kubeproof.engines.tlc.engine import LONG_RUN, SHORT_RUN, check, count
from kubeproof.engines.tlc.traces import DisagreementError

__all__ = ["LONG_RUN", "SHORT_RUN", "DisagreementError", "check", "count"]
