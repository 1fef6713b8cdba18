"""What kubectl shows of a pod's requests, and how a release computes them: `model.scheduler.pod_requests`."""

from collections.abc import Mapping

from kubeproof.advise.pod_events.fields import Fields
from kubeproof.advise.pod_events.quantity import QuantityError, counted
from model.gates import GATES
from model.releases import EVERY_MINOR, Release, known_release, rules_for
from model.scheduler.pod_requests import GATES as OF_REQUESTS, Asked, PodRequests, PodRequestsRules, PodResources

NEWEST = known_release(f"1.{EVERY_MINOR[-1]}")
_INFEASIBLE = "Infeasible"


def requests_in(release: Release | None, given: Mapping[str, bool] | None = None) -> PodRequests:
    """How this release computes requests; None: the newest one. `given`: gates that are set, the others by default."""
    at = NEWEST if release is None else release
    there = (name for name in OF_REQUESTS if GATES[name].default_in(at) is not None)
    return PodRequests(rules_for(PodRequestsRules, at), {name: GATES[name].is_on(at, given) for name in there})


def pod_resources(item: Fields) -> PodResources:
    """All of a pod that decides about its requests. Raises InputError."""
    spec, status = item.map("spec"), item.map("status")
    pending = next((each for each in status.maps("conditions") if each.text("type") == "PodResizePending"), None)
    own = spec.map("resources")
    return PodResources(
        containers=_containers(spec, "containers", status, "containerStatuses"),
        init_containers=_containers(spec, "initContainers", status, "initContainerStatuses"),
        overhead=amounts(spec, "overhead"),
        own=_asked(own, status) if own.value.get("requests") else None,
        resize_infeasible=status.text("resize") == _INFEASIBLE,
        resize_pending_infeasible=pending is not None and pending.text("reason") == _INFEASIBLE,
    )


def _containers(spec: Fields, key: str, status: Fields, in_status: str) -> tuple[Asked, ...]:
    statuses = {each.text("name"): each for each in status.maps(in_status)}
    return tuple(
        _asked(each.map("resources"), statuses.get(each.text("name")), each.text("restartPolicy") == "Always")
        for each in spec.maps(key)
    )


def _asked(resources: Fields, status: Fields | None, restartable: bool = False) -> Asked:
    spec = amounts(resources, "requests")
    if status is None:
        return Asked(spec, restartable=restartable)
    allocated, actual = (status.value.get(key) is not None for key in ("allocatedResources", "resources"))
    return Asked(
        spec,
        allocated=amounts(status, "allocatedResources") if allocated else None,
        actual=amounts(status.map("resources"), "requests") if actual else None,
        in_status=True,
        restartable=restartable,
    )


def amounts(of: Fields, key: str) -> dict[str, int]:
    """The quantities of a mapping such as resources.requests. Raises InputError."""
    found = {}
    for name, text in of.texts(key).items():
        try:
            found[name] = counted(name, text)
        except QuantityError:
            raise of.map(key).refuse(name, "a quantity such as 500m or 1Gi", text) from None
    return found
