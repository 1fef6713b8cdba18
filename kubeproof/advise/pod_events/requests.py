"""What a pod asks of a node, in the scheduler's units. Pure functions.

Go: resourcehelper.PodRequests. It is the sum over containers and sidecars. If an init container and the sidecars before
it ask for more, it is their sum. The overhead is added.
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
    # The requests of the whole pod replace those of its containers.
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
