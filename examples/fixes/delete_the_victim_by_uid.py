"""A fix of PREEMPT-NAMESAKE: the DELETE of a victim has the victim's UID as its precondition.

The API server refuses the DELETE if a pod of that name was created anew. Nobody has proposed this upstream. Try it:

    kubeproof validate examples/fixes/delete_the_victim_by_uid.py --release 1.31.13 --engine explicit
"""

CURES = "PREEMPT-NAMESAKE"


def delete_names_uid() -> bool:
    """util.go DeletePod, with `metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(pod.UID))}`."""
    return True
