"""Bugs of cpu-manager that the general properties found and the list of documented ones did not have."""

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.cpu_manager_scope import needs
from kubeproof.bugs.links import issues, pulls

CPU_MANAGER_FOUND: tuple[Bug, ...] = (
    Bug(
        id="CPU-STALE-LAST-UPDATE",
        title="A shared container stays on CPUs that have become exclusive, and reconciling never moves it",
        system="cpu-manager",
        release="1.31.0",
        violates="shared-off-exclusive",
        properties=("shared-off-exclusive",),
        consequence=(
            "A latency-critical container shares its exclusive CPUs with a container that restarted at the wrong "
            "moment, until the shared pool changes again. Nothing is logged."
        ),
        mechanism=(
            "From 1.22.0 on `reconcileState` tells a container its CPUs only if they differ from `lastUpdateState`, "
            "what it was last told. A shared container that restarts is created with the pool of that moment "
            "(`PreCreateContainer`), and `AddContainer` notes in `lastUpdateState` the CPUs of exclusive containers "
            "only. If the pool was larger at that moment, and then shrinks back to what the container was last told "
            "before it restarted, the two are equal and it is not told."
        ),
        issues=(),
        fixes=(),
        mitigation="Any change of the shared pool, or a restart of the kubelet, which forgets `lastUpdateState`.",
        given=needs(exits=1),
        powers=("exits",),
        recovers=True,
        stays=True,
        notes=(
            "Read in the Go source: `AddContainer` and `reconcileState` in pkg/kubelet/cm/cpumanager/cpu_manager.go "
            "of 1.22.0 to 1.31; `lastUpdateState` came with #101771. Nobody has run it on a machine, and no upstream "
            "report was found: it is UNCONFIRMED.",
        ),
        unconfirmed=True,
    ),
    Bug(
        id="CPU-STALE-AFTER-RESTART",
        title="A pod is rejected after a restart of the kubelet, for CPUs of a pod that is gone",
        system="cpu-manager",
        release="1.31.0",
        violates="counted-cpus-are-given",
        properties=("counted-cpus-are-given",),
        consequence="UnexpectedAdmissionError for a pod that fits, when pods changed while the kubelet was down.",
        mechanism=(
            "`removeStaleState` does nothing until all sources of pods are ready, which is after the first pods have "
            "been admitted. A pod deleted while the kubelet was down, or just before, still has its entries then."
        ),
        issues=issues(123971),
        fixes=(),
        mitigation="Recreate the rejected pod.",
        given=needs(restarts=1),
        powers=("restarts",),
        notes=(
            "#123971 reports the same guard at work on a pod with init containers that is admitted again. The guard "
            "is the cure of CPU-RESTART-WIPES-STATE.",
        ),
    ),
    Bug(
        id="CPU-SIDECAR-REUSE",
        title="An app container gets the exclusive CPUs of its pod's running sidecar",
        system="cpu-manager",
        release="1.28.0",
        violates="running-exclusive-apart",
        properties=("running-exclusive-apart", "exclusive-sets-disjoint"),
        consequence="Two containers run on the same CPUs, which each has exclusively.",
        mechanism=(
            "Sidecars are restartable init containers (1.28, alpha). `updateCPUsToReuse` takes every init container "
            "for one that ends before the app containers start, and offers its CPUs to them."
        ),
        issues=(),
        fixes=pulls(119447),
        mitigation="Leave the feature gate SidecarContainers off in 1.28, as it is by default.",
        given=needs(containers=2, sidecars=1),
        powers=("sidecars",),
    ),
    Bug(
        id="CPU-OFFLINE-SIBLING",
        title="On a machine with a CPU offline two containers get the same CPU exclusively",
        system="cpu-manager",
        release="1.31.0",
        violates="exclusive-sets-disjoint",
        properties=("exclusive-sets-disjoint", "running-exclusive-apart"),
        consequence="Two containers run on the same CPU, which each has exclusively.",
        mechanism=(
            "`isCoreFree` compares the free CPUs of a core with `CPUsPerCore`, the machine's average rounded down. "
            "With one hyper-thread offline that is 1, so that a core with one of two CPUs free counts as free, and "
            "`takeFullCores` takes all of its CPUs, the allocated one as well. The same holds for machines whose "
            "cores are not alike."
        ),
        issues=(),
        fixes=pulls(124561),
        mitigation="Switch hyper-threading on or off for all cores alike.",
        given=needs(threads=2, pods=1, containers=2, size=2, offline=1, restarts=1, wipes=1),
        powers=(
            "offline",
            "restarts",
            "wipes",
        ),
        notes=("Not merged in any modelled release.",),
    ),
    Bug(
        id="CPU-FULL-PCPUS-READMIT",
        title="With full-pcpus-only a running pod is rejected after a restart of the kubelet",
        system="cpu-manager",
        release="1.31.0",
        violates="counted-cpus-are-given",
        properties=("counted-cpus-are-given",),
        consequence="A restart of the kubelet kills a Guaranteed pod: it fails with SMTAlignmentError.",
        mechanism=(
            "From 1.27 on `Allocate` compares the request with the free physical CPUs before it looks whether the "
            "container has its CPUs already. After a restart every pod is admitted again, and what it holds is not "
            "free."
        ),
        issues=issues(129078),
        fixes=(),
        mitigation="Leave room for the largest container, or leave the option off.",
        given=needs(threads=2, size=2, restarts=1, full_pcpus=1),
        powers=(
            "restarts",
            "full_pcpus",
        ),
    ),
)
