"""What a kubelet's start does differently from release to release: policies by name, containers known, sidecars.

Go: pkg/kubelet/cm/cpumanager/cpu_manager.go NewManager and Start, and buildContainerMapFromRuntime beside it.
"""

from collections.abc import Callable

from attrs import frozen

from model.cpu.manager import ContainerRef
from model.go.errors import GoError

RuntimeContainers = tuple[tuple[str, ContainerRef], ...]
"""((container id, (pod, container)), ...) of the containers that the runtime has, running or not."""


def fall_back_to_none(name: str) -> str | GoError:
    """Up to 1.15: a policy that does not exist is taken for `none`, with an error in the log."""
    return name if name in ("none", "static") else "none"


def refuse_unknown_policy(name: str) -> str | GoError:
    """From 1.16 on (#80294): the kubelet does not start."""
    return name if name in ("none", "static") else GoError(f'unknown policy: "{name}"')


def no_initial_containers(containers: RuntimeContainers) -> RuntimeContainers:
    """Up to 1.17 the manager starts without knowing any container."""
    return ()


def initial_containers_from_runtime(containers: RuntimeContainers) -> RuntimeContainers:
    """From 1.18 on it starts with those that the runtime has, running or not (`buildContainerMapFromRuntime`)."""
    return containers


def run_sidecars() -> bool:
    """From 1.28 on an init container with restartPolicy Always runs on beside the app containers (KEP-753)."""
    return True


def know_no_sidecars() -> bool:
    """Before, the API server drops the field, and it is an init container like others."""
    return False


@frozen(slots=False, kw_only=True, cache_hash=True)
class StartRules:
    """What else a kubelet's start does differently from release to release."""

    policy_named: Callable[[str], str | GoError]
    initial_containers: Callable[[RuntimeContainers], RuntimeContainers]
    sidecars: Callable[[], bool]
