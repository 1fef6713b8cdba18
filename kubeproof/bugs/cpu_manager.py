"""The documented bugs of cpu-manager.

Four others no run of the system shows: CPU-CONTAINERMAP-RACE takes two goroutines (in the system an operation is one
step), CPU-CHECKPOINT-V1-CHECKSUM two releases, CPU-HINTS and CPU-LATE-ALLOC several NUMA nodes (the system's machine
has one). They stand in cpu_components.py.
"""

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.cpu_manager_scope import needs
from kubeproof.bugs.links import issues, pulls

_DRAIN = "Drain the node, delete /var/lib/kubelet/cpu_manager_state, start the kubelet."


CPU_MANAGER_BUGS: tuple[Bug, ...] = (
    Bug(
        id="CPU-STATE-TOPOLOGY",
        title="The kubelet does not start any more once the machine has other CPUs than its state file says",
        system="cpu-manager",
        release="1.31.0",
        violates="kubelet-comes-up",
        properties=("kubelet-comes-up",),
        consequence=(
            "A VM that was given more CPUs comes back without a kubelet: the node stays NotReady, and its pods are "
            "evicted, until somebody deletes the file."
        ),
        mechanism=(
            "`validateState` wants the union of `defaultCpuSet` and all entries of the file to be exactly the CPUs of "
            "the machine. The file is older than the machine's new CPUs, nothing ever adds them to it, and an error "
            "of `Start` ends the kubelet (up to 1.17 it panics). It is so by design in every release."
        ),
        issues=issues(79823, 84333, 71622, 98121, 79603, 67500, 110478),
        fixes=(),
        mitigation=_DRAIN,
        given=needs(size=0, hotplug=1, restarts=1),
        powers=(
            "hotplug",
            "restarts",
        ),
        notes=(
            "A CPU that went offline (`offline=1`), a larger reserved set (`rereserve=1`) and another configured "
            "policy (`repolicy=1`) in place of `hotplug=1` end the same way, each with its own last words.",
            "Deleting the file without draining lets the kubelet start, and gives the CPUs of running exclusive "
            "containers to everybody: with `wipes=2` exclusive-on-its-set is violated.",
        ),
    ),
    Bug(
        id="CPU-FREE-AT-CONTAINER-STOP",
        title="A container that restarts loses its exclusive CPUs",
        system="cpu-manager",
        release="1.18.2",
        violates="exclusive-on-its-set",
        properties=("exclusive-on-its-set",),
        consequence=(
            "A Guaranteed container runs in the shared pool after its first restart, for as long as its pod lives, "
            "and its CPUs go to the next pod."
        ),
        mechanism=(
            "From 1.18.0 on CPUs are allocated once, at the pod's admission, but the container lifecycle hooks "
            "`PreStopContainer` and `PostStopContainer` still call `RemoveContainer` when an instance of the "
            "container stops. The next instance starts without `Allocate`: there is no entry, so it gets the default "
            "set."
        ),
        issues=issues(90303, 91668),
        fixes=pulls(90377),
        mitigation="Recreate the pod.",
        given=needs(exits=1),
        powers=("exits",),
    ),
    Bug(
        id="CPU-INIT-OVERLAP",
        title="The CPUs of an init container are exclusive and shared at the same time",
        system="cpu-manager",
        release="1.18.2",
        violates="cpus-partition-machine",
        properties=("cpus-partition-machine",),
        consequence=(
            "Shared containers run on the CPUs of an init container, and a kubelet that restarts meanwhile refuses "
            "its own state file."
        ),
        mechanism=(
            "So that app containers can reuse them, `Allocate` puts an init container's CPUs back into the default "
            "set as soon as it has entered them for the init container: they are in both."
        ),
        issues=(),
        fixes=pulls(90419),
        mitigation="None but avoiding init containers with exclusive CPUs.",
        given=needs(containers=2, init=1),
        powers=("init",),
    ),
    Bug(
        id="CPU-INIT-REMOVE-FREES-SIBLING",
        title="Removing an init container frees CPUs that an app container of its pod is using",
        system="cpu-manager",
        release="1.23.0",
        violates="cpus-partition-machine",
        properties=("cpus-partition-machine",),
        consequence=(
            "Exclusive CPUs of a running container are in the shared pool, the next pod may get them exclusively, and "
            "the next start of the kubelet fails at `validateState`."
        ),
        mechanism=(
            "App containers inherit the CPUs of init containers that have ended, and both have an entry. "
            "`RemoveContainer` of the init container adds all of its CPUs to the default set, also those that are in "
            "the entry of an app container."
        ),
        issues=issues(105114, 107906),
        fixes=pulls(104837),
        mitigation="Avoid init containers with exclusive CPUs.",
        given=needs(containers=2, init=1, removals=1),
        powers=(
            "init",
            "removals",
        ),
        notes=(
            "From 1.18.4 on nothing in the upstream kubelet calls `RemoveContainer` for a single container any more: "
            "its hooks are empty. The power `removals` stands for a vendor's kubelet that does.",
            "Upstream it takes a crash: `removeStaleState` removes the entries of a gone pod one after the other, and "
            "a kubelet that dies after the app container's and before the init container's leaves a file in which the "
            "init container's CPUs are in the default set as well. The system reaches that file with `crashes=1` in "
            "place of `removals=1` (cores=2, pods=2 in 1.23.0; not in 1.24.0), and the next start refuses it.",
        ),
    ),
    Bug(
        id="CPU-INIT-LEAK",
        title="A pod holds more exclusive CPUs than the scheduler counted for it",
        system="cpu-manager",
        release="1.31.0",
        violates="holds-what-was-counted",
        properties=("holds-what-was-counted",),
        consequence=(
            "Less is free on the node than the scheduler believes: a pod that it binds there is rejected with "
            "UnexpectedAdmissionError."
        ),
        mechanism=(
            "An app container may take the CPUs of its pod's init containers, but nothing makes it prefer them: "
            "`allocateCPUs` takes the best of what is free or reusable, by topology, then by number. What the init "
            "container had besides stays in its entry until the pod ends. Up to 1.15 init containers' CPUs are never "
            "reused, so that a pod holds the sum."
        ),
        issues=issues(94220, 124797, 112228, 86255),
        fixes=(),
        mitigation="Give init containers and app containers the same number of CPUs, on a machine with room to spare.",
        given=needs(containers=2, init=1),
        powers=("init",),
        notes=(
            "In 1.16 and 1.17 a start of an app container removes the init container's entry (#78762), and "
            "`reconcileState` adds it again: CPU-RECONCILE-READD.",
            "In 1.22.0 CPU-STALE-DURING-ADMISSION takes the entries away before a pod can hold too many.",
            "Proposed and not merged: #139552 (prefer reusable CPUs), #131764 (release them when reconciling).",
        ),
    ),
    Bug(
        id="CPU-STALE-DURING-ADMISSION",
        title="While a pod is admitted, the CPUs of its first containers are taken away as stale",
        system="cpu-manager",
        release="1.22.0",
        violates="exclusive-on-its-set",
        properties=("exclusive-on-its-set",),
        consequence=(
            "A Guaranteed pod with several containers: its first container runs in the shared pool, and the second "
            "may get the CPUs that the first was promised."
        ),
        mechanism=(
            "`Allocate` of each container begins with `removeStaleState`, which removes the entries of all pods that "
            "are not active. From 1.22.0 on a pod counts as active when it has a worker (#102344), which it gets "
            "after its admission only."
        ),
        issues=issues(103952, 107348),
        fixes=pulls(103979, 104267),
        mitigation="Stay on 1.21 or go to 1.22.1.",
        given=needs(containers=2),
    ),
    Bug(
        id="CPU-LAST-POD-NOT-RECLAIMED",
        title="The exclusive CPUs of the last admitted pod stay allocated after its deletion",
        system="cpu-manager",
        release="1.31.0",
        violates="gone-pods-return-cpus",
        properties=("gone-pods-return-cpus",),
        consequence="CPUs that nobody uses are in no pool until another pod is admitted on this node.",
        mechanism=(
            "`pendingAdmissionPod` is set by each `Allocate` and never reset, and `removeStaleState` takes the pod in "
            "it for an active one."
        ),
        issues=issues(107074, 118375, 129819),
        fixes=(),
        mitigation="Any pod that is admitted on the node next frees them.",
        given=needs(),
        notes=("Proposed and not merged: #107732, #120661.",),
    ),
    Bug(
        id="CPU-COMPLETED-NOT-RELEASED",
        title="A pod is rejected although the pod that had the CPUs before is gone",
        system="cpu-manager",
        release="1.18.2",
        violates="counted-cpus-are-given",
        properties=("counted-cpus-are-given",),
        consequence="UnexpectedAdmissionError: not enough cpus available to satisfy request, for pods in a row.",
        mechanism=(
            "The scheduler counts the CPUs as free as soon as the old pod is through or deleted. `Allocate` gives "
            "what the state says is free, and the old pod's entries go only when `reconcileState` next runs, every 10 "
            "s. From 1.18.4 on `Allocate` begins with `removeStaleState`."
        ),
        issues=issues(92436),
        fixes=pulls(90377),
        mitigation="Recreate the rejected pod.",
        given=needs(),
        notes=(
            "Where a container that had started ends, the lifecycle hooks of 1.18.0 to 1.18.3 free its CPUs at once "
            "(which is CPU-FREE-AT-CONTAINER-STOP). So the shortest history has a pod that goes before its container "
            "starts.",
            "From 1.17 to 1.31 the same happens after a restart of the kubelet: see CPU-STALE-AFTER-RESTART.",
        ),
    ),
    Bug(
        id="CPU-STATE-DEAD-CONTAINER",
        title="The CPUs of a container that ended while the kubelet was down stay allocated for ever",
        system="cpu-manager",
        release="1.13.0",
        violates="gone-pods-return-cpus",
        properties=("gone-pods-return-cpus",),
        consequence="The node loses CPUs with each such container, until pods stay pending on a node that looks empty.",
        mechanism=(
            "An entry goes only when the container lifecycle hook calls `RemoveContainer`, and nobody calls it for a "
            "container that ended without a kubelet. `reconcileState` looks at containers, never at entries without "
            "one."
        ),
        issues=issues(63018, 76416, 55736, 69092),
        fixes=pulls(68619),
        mitigation=_DRAIN,
        given=needs(restarts=1),
        powers=("restarts",),
        notes=(
            "1.14 to 1.16 remove the entries of containers that are not seen when reconciling (#68619). 1.17 does so "
            "only while some pod is active (`removeStaleState` returns at `len(activePods) == 0`), so that on an "
            "otherwise empty node the entry stays.",
        ),
    ),
    Bug(
        id="CPU-RESTART-WIPES-STATE",
        title="The first reconciliation after a restart of the kubelet removes every entry",
        system="cpu-manager",
        release="1.15.0",
        violates="exclusive-set-kept",
        properties=("exclusive-set-kept",),
        consequence=(
            "Running containers lose their exclusive CPUs: shared containers run on them, a new pod may get them, and "
            "later the containers are moved to other CPUs."
        ),
        mechanism=(
            "`reconcileState` removes the entries of containers that it did not see among the active pods. Right "
            "after a start no source has told the kubelet of any pod, so that it sees none."
        ),
        issues=issues(81324),
        fixes=pulls(81344),
        mitigation="Drain the node before the kubelet is restarted.",
        given=needs(restarts=1),
        powers=("restarts",),
    ),
    Bug(
        id="CPU-RECONCILE-READD",
        title="Reconciling allocates CPUs to a container that is gone already",
        system="cpu-manager",
        release="1.17.0",
        violates="counted-cpus-are-given",
        properties=("counted-cpus-are-given",),
        consequence="A container cannot start, for ever: not enough cpus available to satisfy request.",
        mechanism=(
            "`reconcileState` calls `AddContainer` for each id in the status of a running pod that has no entry, "
            "whether that instance still runs or not. The entry of the dead instance keeps the CPUs from the next "
            "container."
        ),
        issues=issues(89949),
        fixes=pulls(84300),
        mitigation=_DRAIN,
        given=needs(exits=1),
        powers=("exits",),
    ),
    Bug(
        id="CPU-CRASH-BETWEEN-WRITES",
        title="A kubelet that dies during an allocation does not start again",
        system="cpu-manager",
        release="1.31.0",
        violates="restart-unchanged",
        properties=("restart-unchanged",),
        consequence="After a power failure or an OOM kill the node stays NotReady although nothing has changed.",
        mechanism=(
            "`allocateCPUs` takes the CPUs out of the default set, which writes the checkpoint, and `Allocate` enters "
            "them for the container, which writes it again. A file of the first write lacks CPUs of the machine, and "
            "`validateState` refuses it. `RemoveContainer` has the same gap."
        ),
        issues=issues(84783, 136604, 110478),
        fixes=(),
        mitigation=_DRAIN,
        given=needs(crashes=1),
        powers=("crashes",),
        notes=("Proposed and not merged: #125648, #135672, #136605 (one write, atomic).",),
    ),
    Bug(
        id="CPU-CONTAINERMAP-LEAK",
        title="The containerMap keeps the shared containers of pods that are gone",
        system="cpu-manager",
        release="1.23.0",
        violates="gone-pods-are-forgotten",
        properties=("gone-pods-are-forgotten",),
        consequence="The kubelet's memory grows with each container that ever ran on the node.",
        mechanism=(
            "Every container is entered in the containerMap, and `removeStaleState` removes from it only containers "
            "that have an entry in the assignments, so exclusive ones."
        ),
        issues=(),
        fixes=pulls(109103),
        mitigation="Restart the kubelet now and then.",
        given=needs(size=0),
    ),
    Bug(
        id="CPU-ALLOCATABLE",
        title="After a restart the kubelet reports the CPUs that are free now as the allocatable ones",
        system="cpu-manager",
        release="1.23.0",
        violates="allocatable-is-unreserved",
        properties=("allocatable-is-unreserved",),
        consequence="Readers of the podresources API, such as NUMA-aware schedulers, see too small a node.",
        mechanism=(
            "`GetAllocatableCPUs` is computed once, at `Start`, as the default set without the reserved CPUs. After a "
            "restart exclusive CPUs are missing from the default set."
        ),
        issues=(),
        fixes=pulls(112913, 113420, 113421, 113422),
        mitigation="None but the next start of the kubelet on an empty node.",
        given=needs(restarts=1),
        powers=("restarts",),
    ),
    Bug(
        id="CPU-POLICY-NAME",
        title="A misspelt CPU manager policy silently becomes none",
        system="cpu-manager",
        release="1.13.0",
        violates="runs-configured-policy",
        properties=("runs-configured-policy",),
        consequence="The operator believes in exclusive CPUs, and no container gets any.",
        mechanism="`NewManager` logs an unknown policy name and goes on with the policy none.",
        issues=issues(80294),
        fixes=pulls(80294),
        mitigation="Look for the name in the kubelet's log.",
        given=needs(size=0, repolicy=1, restarts=1, wipes=1),
        powers=(
            "repolicy",
            "restarts",
            "wipes",
        ),
        notes=(
            "A file that the static policy wrote would give it away: none refuses it. So it takes a node without one.",
        ),
    ),
)
