"""What a pod asks of a node, in the units in which the scheduler counts. Pure functions.

Go: resourcehelper.PodRequests: the sum over containers and sidecars, or what an init container takes beside the
sidecars that were started before it if that is more; plus the overhead.
"""

from collections import Counter

from kubeproof.advise.pod_events.fields import Fields
from kubeproof.advise.pod_events.quantity import QuantityError, counted


def pod_requests(spec: Fields) -> tuple[tuple[str, int], ...]:
    """The requests of a pod's `spec`, sorted by resource, those of 0 left out. Raises InputError."""
    total: Counter[str] = Counter()
    for container in spec.maps("containers"):
        total.update(amounts(container.map("resources"), "requests"))
    sidecars: Counter[str] = Counter()
    peak: Counter[str] = Counter()
    for container in spec.maps("initContainers"):
        asked = amounts(container.map("resources"), "requests")
        if container.text("restartPolicy") == "Always":
            sidecars.update(asked)
            peak |= sidecars
        else:
            peak |= Counter(asked) + sidecars
    total.update(sidecars)
    total |= peak
    # Requests of the pod as a whole stand for those of its containers.
    total.update({name: amount - total[name] for name, amount in amounts(spec.map("resources"), "requests").items()})
    total.update(amounts(spec, "overhead"))
    return tuple(sorted((name, amount) for name, amount in total.items() if amount > 0))


def amounts(of: Fields, key: str) -> dict[str, int]:
    """The quantities of a mapping such as resources.requests. Raises InputError."""
    found = {}
    for name, text in of.texts(key).items():
        try:
            found[name] = counted(name, text)
        except QuantityError:
            raise of.map(key).refuse(name, "a quantity such as 500m or 1Gi", text) from None
    return found
