"""The scopes of cpu-manager."""

from kubeproof.systems.scopes import Counted, Scopes
from model.systems.cpu_manager import CPUManagerScope

SCOPES = Scopes(
    default=CPUManagerScope(
        cores=2, pods=2, containers=2, size=1, init=1, removals=1, restarts=1, crashes=1, hotplug=1
    ),
    besides=(CPUManagerScope(cores=4, threads=2, pods=2, containers=1, size=2, full_pcpus=1),),
    fix=CPUManagerScope(cores=4, pods=2, containers=1, size=1, exits=1, restarts=1),
    fix_narrow=(
        CPUManagerScope(cores=3, pods=1, containers=2, size=2, init=1, sidecars=1, jobs=1, exits=1, restarts=1),
        CPUManagerScope(cores=4, pods=1, containers=2, size=2, init=1, exits=1, removals=1, restarts=1),
        CPUManagerScope(cores=4, pods=1, containers=2, size=2, init=1, exits=1, removals=1, restarts=1, turned=1),
        CPUManagerScope(cores=3, pods=2, containers=1, size=1, restarts=1, hotplug=1),
        CPUManagerScope(cores=3, pods=2, containers=1, size=1, restarts=1, crashes=1),
        CPUManagerScope(cores=3, pods=1, containers=1, size=1, restarts=1, offline=1),
        CPUManagerScope(cores=3, pods=1, containers=1, size=1, restarts=1, hotplug=1, rereserve=1),
        CPUManagerScope(cores=3, threads=2, reserved=2, pods=1, containers=2, size=2, init=1, restarts=1, full_pcpus=1),
    ),
    large=CPUManagerScope(
        cores=5, pods=3, containers=2, size=2, init=1, jobs=1, exits=2, removals=1, restarts=2, crashes=1, hotplug=1
    ),
    searched=("cores", "pods"),
    least={"threads": 1, "reserved": 1, "containers": 1, "size": 1},
    report=CPUManagerScope(
        cores=3, pods=1, containers=2, size=2, init=1, exits=1, removals=1, restarts=1, crashes=1, hotplug=1
    ),
    newest=CPUManagerScope(cores=2, pods=2, containers=1, size=1, exits=1, restarts=1),
    comes_with={
        "init": {"containers": 2},
        "sidecars": {"containers": 2},
        "removals": {"containers": 2, "init": 1},
        **{power: {"restarts": 1} for power in ("hotplug", "offline", "rereserve", "repolicy", "wipes")},
    },
    # Not by `numbering`: one run takes CPUs as under several numberings, so what it violates no machine may show.
    finer={"turned": ("init", "sidecars")},
    not_for_files={"numbering": "what chooses the CPUs then is no data that the process of a file can be given"},
    grains=("numbering", "turned"),
    mutants=(
        CPUManagerScope(cores=2, pods=1, containers=1, size=1, restarts=1, crashes=1),
        CPUManagerScope(cores=3, pods=1, containers=1, size=1, restarts=1, offline=1),
        CPUManagerScope(cores=2, threads=2, pods=1, containers=1, size=2, exits=1, restarts=1, full_pcpus=1),
        CPUManagerScope(cores=2, pods=1, containers=1, size=1, restarts=1, hotplug=1, rereserve=1),
        CPUManagerScope(cores=2, pods=1, containers=1, size=1, restarts=1, repolicy=1, wipes=1),
        CPUManagerScope(cores=3, threads=2, reserved=2, pods=1, containers=2, size=2, init=1, restarts=1, full_pcpus=1),
        CPUManagerScope(cores=3, pods=1, containers=2, size=1, init=1, removals=1, restarts=1),
        CPUManagerScope(cores=2, pods=2, containers=1, size=1, exits=1, restarts=1),
        CPUManagerScope(cores=3, pods=1, containers=2, size=2, init=1, sidecars=1, exits=1, restarts=1),
        CPUManagerScope(cores=3, pods=2, containers=1, size=1, restarts=1, crashes=1),
        CPUManagerScope(cores=3, pods=1, containers=2, size=2, init=1, sidecars=1, jobs=1, exits=1, restarts=1),
        CPUManagerScope(
            cores=3, pods=1, containers=1, size=1, restarts=1, hotplug=1, rereserve=1, strict_reservation=1
        ),
        CPUManagerScope(cores=3, pods=1, containers=2, size=1, init=1, restarts=1, pod_level=1),
    ),
    few_powers=(
        CPUManagerScope(cores=3, pods=2, containers=2, size=1, init=1),
        CPUManagerScope(cores=2, pods=2, containers=1, size=1, exits=1, restarts=1),
        CPUManagerScope(cores=3, pods=3, containers=1, size=1, exits=1),
        CPUManagerScope(cores=3, pods=1, containers=2, size=2, init=1, sidecars=1, exits=1, restarts=1),
        CPUManagerScope(cores=3, pods=1, containers=2, size=1, init=1, removals=1, restarts=1),
        CPUManagerScope(cores=2, pods=1, containers=1, size=1, restarts=1, crashes=1),
        CPUManagerScope(cores=2, pods=1, containers=1, size=1, restarts=1, hotplug=1, rereserve=1),
        CPUManagerScope(cores=2, pods=1, containers=1, size=1, restarts=1, repolicy=1, wipes=1),
        CPUManagerScope(cores=3, threads=2, pods=1, containers=2, size=2, restarts=1, offline=1, wipes=1),
        CPUManagerScope(cores=2, threads=2, pods=1, containers=1, size=2, exits=1, restarts=1, full_pcpus=1),
        CPUManagerScope(cores=2, pods=2, containers=1, size=1, restarts=1, strict_reservation=1),
    ),
)

_EVERYTHING_OF_A_POD = CPUManagerScope(
    cores=2, pods=1, containers=2, size=1, init=1, exits=1, removals=1, restarts=1, crashes=1, jobs=1
)
COUNTED = Counted(
    releases=("1.18.0", "1.18.4", "1.21.0", "1.22.0", "1.24.0", "1.24.10", "1.32.0"),
    small=(CPUManagerScope(cores=2, containers=1, size=1, restarts=1, crashes=1),),
    large=(
        (_EVERYTHING_OF_A_POD, "1.18.0"),
        (_EVERYTHING_OF_A_POD, "1.24.10"),
        (CPUManagerScope(cores=2, containers=1, size=1, restarts=1, hotplug=1, rereserve=1, wipes=1), "1.24.10"),
        (CPUManagerScope(cores=3, containers=2, size=1, init=1, exits=1), "1.24.10"),
    ),
)
