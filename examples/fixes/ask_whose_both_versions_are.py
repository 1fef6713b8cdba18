"""A fix of QUEUE-UPDATE-OTHER-SCHEDULER: the one handler of 1.35 on asks of both versions of a pod whose they are.

Up to 1.34 the filters before the handlers asked so. Nobody has proposed this upstream yet. Try it:

    kubeproof validate examples/fixes/ask_whose_both_versions_are.py --release 1.36.2 --engine explicit \
      --system scheduling-cycle \
      --scope 'only pods=1,nodes=1,room=1,goroutines=1,deletes=1,recreates=1,relists=1,unknown_profile=1'
"""

from model.objects import Pod
from model.scheduler.eventhandlers import each_own_version

CURES = "QUEUE-UPDATE-OTHER-SCHEDULER"


def own_versions(old: Pod | None, new: Pod | None) -> tuple[Pod | None, Pod | None]:
    """eventhandlers.go updatePod: a version of another scheduler is, for the queue, not there."""
    return each_own_version(old, new)
