"""Four documented bugs of the CPU manager that no run of the system shows: their texts.

They take two releases, two goroutines, or several NUMA nodes; the system has one of each. What shows them stands in
cpu_demonstrations.py.
"""

from kubeproof.bugs import cpu_demonstrations as demonstrations
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.links import issues, pulls

CPU_COMPONENT_BUGS: tuple[ComponentBug, ...] = (
    ComponentBug(
        id="CPU-CHECKPOINT-V1-CHECKSUM",
        title="A kubelet of another release calls the checkpoint corrupted",
        release="1.18.0",
        consequence="After an upgrade or a downgrade the kubelet does not start, although the node is well.",
        mechanism=(
            "The checksum is computed of the object as go-spew prints it, with the name of its Go type. #84462 "
            "brought a second format and renamed the type of the first, so that no checksum of an older kubelet was "
            "right any more; #86689 puts the old name back before it computes the checksum. 1.17 knows nothing of the "
            "second format. And entries of the first name containers by ids, which the newer kubelet looks up among "
            "the containers that the runtime has: one that is not there is an error."
        ),
        issues=issues(86676),
        fixes=pulls(86689),
        mitigation="Drain the node, delete /var/lib/kubelet/cpu_manager_state, start the kubelet of the other release.",
        demonstrate=demonstrations.checkpoint_of_1_17,
        rules=("store_checkpoint", "get_checkpoint", "verify_checkpoint", "migrate_checkpoint"),
        variants=(("1.18's development between #84462 and #86689", demonstrations.checkpoint_before_86689),),
        notes=(
            "No release has the upgrade's part of it: #86689 came before 1.18.0. Going back to 1.17, and a container "
            "that is gone (after a reboot, say), remain.",
            "What is not a right file of the first format is tried as one of the second, and it is that error which is "
            "reported: for a file with entries it is about JSON, and only an idle node's is `checkpoint is corrupted`.",
        ),
    ),
    ComponentBug(
        id="CPU-CONTAINERMAP-RACE",
        title="Two goroutines use the containerMap at once",
        release="1.18.0",
        consequence="The kubelet's process ends: fatal error: concurrent map read and map write.",
        mechanism=(
            "`reconcileState` looks into the containerMap, and adds to it, without the manager's lock, while "
            "admissions and the hooks of containers remove from it."
        ),
        issues=(),
        fixes=pulls(97427),
        mitigation="None; the kubelet is started again by its supervisor.",
        demonstrate=demonstrations.container_map_race,
        rules=("manager_accesses",),
        notes=(
            "A race is a property of the sources: who touches what under which lock was read in them, function by "
            "function, and the pairs are computed from that.",
        ),
    ),
    ComponentBug(
        id="CPU-HINTS",
        title="Topology hints leave out CPUs that the container would get",
        release="1.18.4",
        consequence=(
            "Under the topology manager's policies restricted and single-numa-node the pod is refused, though its "
            "CPUs are there."
        ),
        mechanism=(
            "`GetTopologyHints` gives an empty list for a container that is in the state with another number of CPUs "
            "than it asks for. It did not count the CPUs that `Allocate` lets an app container take over from its "
            "pod's init containers. And a hint had to be on the fewest sockets to be preferred, not only on the "
            "fewest NUMA nodes."
        ),
        issues=issues(123971),
        fixes=pulls(90980, 93189, 99276),
        mitigation=(
            "The topology manager's policy best-effort; for an entry of another size, drain the node and delete "
            "/var/lib/kubelet/cpu_manager_state."
        ),
        demonstrate=demonstrations.hints,
        rules=("generate_cpu_topology_hints", "hinted_entry", "allocate", "manager_allocate", "update_cpus_to_reuse"),
        notes=(
            "Up to 1.18.3 no CPUs are kept for reuse (up to 1.17 nothing is allocated at admission, then an init "
            "container's CPUs go back to the shared pool at once), so there is nothing to be left out.",
            "1.16 has no look at the state's entries when it computes hints. From 1.17 on the empty list for an entry "
            "of another size stays in every release up to 1.31.",
            "#123971, which is open, is the refusal of a running pod after a restart of the kubelet.",
        ),
    ),
    ComponentBug(
        id="CPU-LATE-ALLOC",
        title="CPUs are taken at the start of a container, by a hint that is out of date",
        release="1.17.0",
        consequence=(
            "A container of a pod that was admitted for one NUMA node, where its devices are, runs on another one, or "
            "on two."
        ),
        mechanism=(
            "The hints are computed at the pod's admission, and `AddContainer` takes the CPUs when the container is "
            "about to start. Two pods that are admitted before either starts get their hints from one and the same "
            "state. What is not left on the hint's nodes `allocateCPUs` takes elsewhere, without an error. From 1.18 "
            "on `Allocate` takes the CPUs at admission."
        ),
        issues=issues(83476),
        fixes=pulls(87759),
        mitigation="Create pods that need their alignment one after the other.",
        demonstrate=demonstrations.late_allocation,
        rules=("generate_cpu_topology_hints", "allocate", "manager_allocate"),
        notes=(
            "1.13 to 1.15 have no hints that could be broken. There, too, CPUs are taken late, but pods that the "
            "scheduler has counted find enough of them, unless another bug took them.",
        ),
    ),
)
