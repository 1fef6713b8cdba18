"""Which pod is asked about: one of the files that waits for a node."""

from kubeproof.advise.preemption.picture import Picture, Pod
from kubeproof.errors import InputError
from kubeproof.visible import shortened, visible

NAMED = 3


def pod_named(picture: Picture, text: str) -> Pod:
    """The pod that `--pod` names. Raises InputError for one that is not there, or does not wait for a node."""
    place = f"--pod {shortened(text)}"
    namespace, slash, name = text.partition("/")
    if not slash or not namespace or not name or "/" in name:
        raise InputError(f"{place}: not a pod's namespace/name: expected one such as default/web-0")
    pod = next((each for each in picture.pods if each.full_name == text), None)
    if pod is None:
        raise InputError(f"{place}: not a pod of {' or '.join(picture.files)}: expected {_waiting(picture)}")
    if pod.node:
        raise InputError(
            f"{place}: not a pod that waits: it has the node {visible(pod.node)}: expected {_waiting(picture)}"
        )
    if pod.terminal or pod.deleting:
        how = f"its phase is {visible(pod.phase)}" if pod.terminal else "it is being deleted"
        raise InputError(f"{place}: not a pod that waits: {how}: expected {_waiting(picture)}")
    return pod


def _waiting(picture: Picture) -> str:
    names = [pod.full_name for pod in picture.pods if not pod.node and not pod.terminal and not pod.deleting]
    if not names:
        return "a pod without a node, and none is in there"
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"one without a node, such as {', '.join(map(visible, names[:NAMED]))}{more}"
