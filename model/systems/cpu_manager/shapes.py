"""What pods of a scope may look like, and what the scheduler counts of them.

A shape is a text such as `init 2, app 1`: the containers in their order, with the CPUs each asks for. `shared` instead
of a number is half a CPU: the pod stays Guaranteed, and the container runs in the shared pool. `pod-level: app 1` is a
pod with resources of its own, as many CPUs as its containers ask for. `z-app 1` is an app container whose name comes
after those of the init containers and sidecars, where that of `app 1` comes before them.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product

from model.cpu.policy.pods import ContainerSpec, PodSpec, quantity
from model.systems.cpu_manager.scope import CPUManagerScope

SHARED = "500m"
POD_LEVEL = "pod-level: "
LAST_BY_NAME = "z-app"


@lru_cache(maxsize=4096)
def pod_spec(uid: str, shape: str) -> PodSpec:
    """The pod `uid` of that shape. Its containers are called i0, s0, a0, z0, … by kind and number."""
    counts: dict[str, int] = {}
    containers: dict[str, list[ContainerSpec]] = {"init": [], "app": []}
    pod_level = shape.startswith(POD_LEVEL)
    for part in shape.removeprefix(POD_LEVEL).split(", "):
        kind, size = part.split(" ")
        number = counts.setdefault(kind, 0)
        counts[kind] += 1
        cpu = SHARED if size == "shared" else size
        spec = ContainerSpec(f"{kind[0]}{number}", cpu, restartable=kind == "sidecar")
        containers["app" if kind in ("app", LAST_BY_NAME) else "init"].append(spec)
    init, app = tuple(containers["init"]), tuple(containers["app"])
    return PodSpec(uid, init, app, guaranteed=not pod_level, pod_level=True if pod_level else None)


@lru_cache(maxsize=4096)
def scheduler_request(spec: PodSpec) -> Fraction:
    """The CPUs that the scheduler counts: the apps' and sidecars' together, or more if an init container needs more."""
    sidecars = peak = Fraction(0)
    for container in spec.init:
        if container.restartable:
            sidecars += quantity(container.cpu)
        else:
            peak = max(peak, sidecars + quantity(container.cpu))
    return max(peak, sidecars + sum((quantity(c.cpu) for c in spec.app), Fraction(0)))


@lru_cache(maxsize=64)
def shapes(scope: CPUManagerScope, sidecars: bool, pod_level: bool) -> tuple[str, ...]:
    """Every shape of the scope that an empty machine has room for, the smallest first.

    Pods with resources of their own come last. `sidecars`, `pod_level`: the release has such containers and such pods.
    """
    sizes = ["shared", *(str(size) for size in range(1, scope.size + 1))]
    room = scope.cores * scope.threads - scope.reserved
    found = []
    for kinds in _kinds(scope, sidecars):
        for chosen in product(sizes, repeat=len(kinds)):
            shape = ", ".join(f"{kind} {size}" for kind, size in zip(kinds, chosen, strict=True))
            if scheduler_request(pod_spec("p", shape)) <= room:
                found.append(shape)
    of_their_own = [f"{POD_LEVEL}{shape}" for shape in found] if scope.pod_level and pod_level else []
    return (*found, *of_their_own)


def _kinds(scope: CPUManagerScope, sidecars: bool) -> Iterator[tuple[str, ...]]:
    app = LAST_BY_NAME if scope.turned else "app"
    before = [kind for kind, on in (("init", scope.init), ("sidecar", scope.sidecars and sidecars)) if on]
    for total in range(1, scope.containers + 1):
        for apps in range(total, 0, -1):
            for first in product(before, repeat=total - apps):
                yield (*first, *(app,) * apps)
