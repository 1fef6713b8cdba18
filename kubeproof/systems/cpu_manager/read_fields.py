"""The fields of pods and of the kubelet's configuration that the CPU manager's rules read, and the powers."""

from kubeproof.systems.read_fields import ReadField

READ_FIELDS = (
    ReadField("Pod.metadata.uid", ("pods",), "a static pod that keeps its UID"),
    ReadField("Pod.metadata.deletionTimestamp", ("pods",), "a grace period: a pod that is deleted stops at once"),
    ReadField("Pod.status.phase", ("jobs",)),
    ReadField("Pod.status.containerStatuses[].containerID", ("exits", "removals")),
    ReadField("Pod.spec.containers[].name", ("containers",)),
    ReadField(
        "Pod.spec.containers[].resources",
        ("size",),
        "a resize of a running pod, and requests that differ from limits: the container shares then",
    ),
    ReadField(
        "Pod.spec.resources",
        ("pod_level",),
        "requests that differ from limits, and PodLevelResourceManagers (1.36, off by default), with which a pod has "
        "CPUs of its own",
    ),
    ReadField(
        "Pod.status.containerStatuses[].allocatedResources",
        left_out="1.33 and 1.34 read it in place of the request; the kubelet sets it to the request",
    ),
    ReadField("Pod.spec.initContainers", ("init",)),
    ReadField("Pod.spec.initContainers[].restartPolicy", ("sidecars",)),
    ReadField("Node.status.allocatable", ("rereserve", "reserved")),
    ReadField("cpu_manager_state", ("restarts", "crashes", "wipes")),
    ReadField(
        "/sys/devices/system/cpu", ("cores", "threads", "hotplug", "offline"), "more than one socket or NUMA node"
    ),
    ReadField("KubeletConfiguration.cpuManagerPolicy", ("repolicy",)),
    ReadField(
        "KubeletConfiguration.cpuManagerPolicyOptions", ("full_pcpus", "strict_reservation"), "the other options"
    ),
)
