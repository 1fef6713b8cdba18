"""Addresses of upstream's issues and pull requests, by number."""

_UPSTREAM = "https://github.com/kubernetes/kubernetes"


def issues(*numbers: int) -> tuple[str, ...]:
    return tuple(f"{_UPSTREAM}/issues/{number}" for number in numbers)


def pulls(*numbers: int) -> tuple[str, ...]:
    return tuple(f"{_UPSTREAM}/pull/{number}" for number in numbers)
