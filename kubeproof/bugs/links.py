"""Addresses of upstream's issues and pull requests, by number, and of issues of other repositories as they are."""

_UPSTREAM = "https://github.com/kubernetes/kubernetes"


def issues(*known: int | str) -> tuple[str, ...]:
    """The addresses of issues: a number is one of upstream's, a text is an address already."""
    return tuple(each if isinstance(each, str) else f"{_UPSTREAM}/issues/{each}" for each in known)


def pulls(*numbers: int) -> tuple[str, ...]:
    return tuple(f"{_UPSTREAM}/pull/{number}" for number in numbers)


def number_of(address: str) -> str:
    """`#1234` of an address of upstream; of another repository with its name.

    >>> number_of("https://github.com/kubernetes-sigs/scheduler-plugins/issues/713")
    'kubernetes-sigs/scheduler-plugins#713'
    """
    repository, _, number = address.removeprefix("https://github.com/").partition("/issues/")
    if not number:
        repository, _, number = repository.partition("/pull/")
    return f"#{number}" if address.startswith(f"{_UPSTREAM}/") else f"{repository}#{number}"
