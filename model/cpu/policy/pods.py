"""Pods as the CPU manager sees them, their QoS class, and how many exclusive CPUs a container asks for.

Go: pkg/apis/core/v1/helper/qos/qos.go and `guaranteedCPUs`, `podGuaranteedCPUs` in cpumanager/policy_static.go.
Frozen specs and pure functions. A pod is known by its UID, a container by its name within the pod.
"""

import math
import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from attrs import field, frozen

from model.objects import SELDOM

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:(n|u|m|k|[MGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,2}))?", re.ASCII)
_DECIMAL = {"n": -9, "u": -6, "m": -3, None: 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {prefix: 10 * (i + 1) for i, prefix in enumerate("KMGTPE")}


@frozen(cache_hash=True)
class ContainerSpec:
    """One container. Raises ValueError if the CPU request is not a quantity."""

    name: str
    # The CPU request: a Kubernetes quantity, or a number of CPUs. "0" means no request.
    cpu: str = field(default="1", converter=str)
    # Whether this is an init container with restartPolicy Always, a sidecar. The kubelet knows sidecars from 1.28 on.
    restartable: bool = False

    @cpu.validator
    def _is_quantity(self, _: object, value: str) -> None:
        quantity(value)


@frozen(cache_hash=True)
class PodSpec:
    """One pod."""

    uid: str
    # The init containers, in order, and the app containers.
    init: tuple[ContainerSpec, ...] = ()
    app: tuple[ContainerSpec, ...] = ()
    # Whether each container has limits for CPU and memory that are equal to its requests. If not, there are no limits.
    guaranteed: bool = True
    # Whether the pod has limits for CPU and memory of its own (spec.resources) that are equal to its own requests.
    # None: the pod has no resources of its own.
    pod_level: bool | None = field(default=None, metadata={SELDOM: True})

    @property
    def containers(self) -> tuple[ContainerSpec, ...]:
        """All containers, in the order in which the kubelet admits them."""
        return self.init + self.app

    def container(self, name: str) -> ContainerSpec:
        """The container called `name`. Raises KeyError when the pod has none."""
        for each in self.containers:
            if each.name == name:
                return each
        raise KeyError(f"pod {self.uid} has no container {name}")


@lru_cache(maxsize=4096)
def quantity(text: str) -> Fraction:
    """The number a Kubernetes quantity (`2`, `1500m`, `0.5`, `1e3`, `2Ki`) stands for, rounded up to a billionth.

    Raises ValueError for a text that is not a quantity. Go: resource.ParseQuantity; its cap at 2^63 is not modelled.
    """
    found = _QUANTITY.fullmatch(text)
    if found is None:
        raise ValueError(f"'{text}' is not a quantity: expected one such as 2, 1500m or 0.5")
    number, suffix, exponent = Fraction(found[1]), found[2], found[3]
    if exponent is not None:
        number *= Fraction(10) ** int(exponent)
    elif suffix is not None and suffix.endswith("i"):
        number *= 2 ** _BINARY[suffix[0]]
    else:
        number *= Fraction(10) ** _DECIMAL[suffix]
    return Fraction(_away_from_zero(number * 10**9), 10**9)


def _away_from_zero(number: Fraction) -> int:
    return math.ceil(number) if number >= 0 else math.floor(number)


@lru_cache(maxsize=4096)
def whole_cpus(text: str) -> int:
    """The CPUs of a request that is a whole number, else 0.

    Go compares `Value()*1000` with `MilliValue()`, both rounded away from zero: less than a thousandth is not seen.
    """
    number = quantity(text)
    value = _away_from_zero(number)
    return value if value * 1000 == _away_from_zero(number * 1000) else 0


def is_guaranteed(pod: PodSpec, containers: tuple[ContainerSpec, ...]) -> bool:
    """`GetPodQOS` answers Guaranteed: each of `containers` has CPU limits (not zero) that equal its requests."""
    return pod.guaranteed and bool(containers) and all(quantity(each.cpu) > 0 for each in containers)


def guaranteed_cpus(pod: PodSpec, container: str) -> int:
    """The exclusive CPUs that `container` of `pod` is given; 0: it runs in the shared pool (`guaranteedCPUs`).

    1.16 to 1.31. InPlacePodVerticalScaling is not modelled there: it is off by default up to 1.32.
    """
    return whole_cpus(pod.container(container).cpu) if is_guaranteed(pod, pod.containers) else 0


def guaranteed_cpus_by_app_containers(pod: PodSpec, container: str) -> int:
    """`guaranteed_cpus` while `GetPodQOS` passed over init containers (1.13 to 1.15)."""
    return whole_cpus(pod.container(container).cpu) if is_guaranteed(pod, pod.app) else 0


GuaranteedCPUs = Callable[[PodSpec, str], int]


def pod_guaranteed_cpus(pod: PodSpec, cpus_of: GuaranteedCPUs) -> int:
    """The exclusive CPUs the pod needs at its peak, sidecars running on beside the rest (`podGuaranteedCPUs`, 1.29).

    `cpus_of` is the release's `guaranteed_cpus`.
    """
    by_init = by_restartable = 0
    for container in pod.init:
        requested = cpus_of(pod, container.name)
        if container.restartable:
            by_restartable += requested
        else:
            by_init = max(by_init, by_restartable + requested)
    by_app = sum(cpus_of(pod, container.name) for container in pod.app)
    return max(by_init, by_app + by_restartable)


def pod_guaranteed_cpus_without_sidecars(pod: PodSpec, cpus_of: GuaranteedCPUs) -> int:
    """The largest init container or all app containers together, whichever is more (1.20 to 1.28)."""
    by_init = max((cpus_of(pod, container.name) for container in pod.init), default=0)
    return max(by_init, sum(cpus_of(pod, container.name) for container in pod.app))
