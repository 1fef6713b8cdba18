"""Reads the flags of a scheduler's static pod. Raises InputError only."""

from attrs import frozen

from kubeproof.advise.pod_events.fields import Fields
from kubeproof.advise.scheduler_memory.question import version_in_image
from kubeproof.advise.scheduler_memory.scheduler_pod import is_scheduler, words_of_flags
from kubeproof.errors import InputError

_UPSTREAM_IMAGES = tuple(
    f"{registry}/kube-scheduler"
    for registry in ("registry.k8s.io", "k8s.gcr.io", "gcr.io/google_containers", "gcr.io/google-containers")
)
# The kinds that have a pod's template.
WITH_TEMPLATE = ("Deployment", "DaemonSet", "StatefulSet", "ReplicaSet")


@frozen
class SchedulerFlags:
    """What the command line of a kube-scheduler says."""

    file: str
    # The tag of the image, such as v1.28.3, or "".
    version: str
    # Flag -> its last value, without the dashes.
    flags: dict[str, str]
    # Whether it is the image that Kubernetes publishes.
    upstream_image: bool = False

    def get(self, flag: str) -> str:
        return self.flags.get(flag, "")


def read_flags(item: Fields) -> SchedulerFlags:
    """The flags of the container that runs kube-scheduler: of a pod, or of what makes such pods."""
    pod = item.map("spec").map("template") if item.text("kind") in WITH_TEMPLATE else item
    container = next((each for each in pod.map("spec").maps("containers") if is_scheduler(each)), None)
    if container is None:
        raise InputError(
            f"{item.file}: spec.containers: no container runs kube-scheduler: expected the scheduler's pod"
        )
    flags: dict[str, str] = {}
    for word, following in words_of_flags(container):
        if not word.startswith("--"):
            continue
        name, mark, value = word[2:].partition("=")
        flags[name] = value if mark else ("true" if following.startswith("--") else following or "true")
    image = container.text("image")
    upstream = image.partition(":")[0].partition("@")[0] in _UPSTREAM_IMAGES
    return SchedulerFlags(item.file, version_in_image(image), flags, upstream)
