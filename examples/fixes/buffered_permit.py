"""One half of what 1.18 does for waiting pods: the channel has room for one signal. Permit stays in the goroutine.

No signal is lost any more. But a plugin that knows of groups looks for waiting pods while another pod, for which it has
said Wait, is not in the map yet. Then nobody allows the two (#88179). Try:

    kubeproof validate examples/fixes/buffered_permit.py --release 1.17.10
"""

from model.scheduler.waiting_pods import WaitingPod


def signal_arrives(waiting: WaitingPod) -> bool:
    return not waiting.signal
