"""What a run of `kubeproof growth` is asked for, read from the options."""

from attrs import frozen

from kubeproof.errors import InputError
from kubeproof.growth.run import Load
from kubeproof.growth.scheduler import GATE, rules_of
from kubeproof.growth.workloads import POWERS, WORKLOADS
from kubeproof.systems.gates import read_gates, refuse
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from model.gates import HINTS
from model.releases import LAST_PATCH, Release, ReleaseError, release_or_newest

SUBJECT = QUEUEING_HINTS.name
# The releases whose queue has pods in flight, as far as they are modelled.
MINORS = QUEUEING_HINTS.minors
NO_POWERS = "none"


@frozen
class Runs:
    """The runs that were asked for."""

    releases: tuple[Release, ...]
    # None: each release with the gate on and, where nobody locks the gate, with the gate off.
    gate: bool | None
    load: Load

    def gates_of(self, release: Release) -> tuple[bool, ...]:
        """With which values of the gate the release is run."""
        if self.gate is not None:
            return (self.gate,)
        return (True,) if HINTS.is_locked(release) else (True, False)


def _release(text: str, option: str) -> Release:
    try:
        release = release_or_newest(text, MINORS)
        # The first pre-releases of 1.28 have no gate.
        rules_of(release)
    except ReleaseError as wrong:
        raise InputError(f"{option}: {wrong}") from None
    return release


def _powers(text: str) -> frozenset[str]:
    names = [] if text == NO_POWERS else text.split(",")
    for name in names:
        if name not in POWERS:
            known = ", ".join(POWERS)
            raise InputError(f"--with: '{name}' is not an environment action: expected some of {known}, or {NO_POWERS}")
    return frozenset(names)


def asked(
    subject: str,
    release: str | None,
    against: str | None,
    gates: str | None,
    workload: str,
    powers: str,
    *,
    pods: int,
    events: int,
) -> Runs:
    """The runs that the options ask for. Raises InputError."""
    if subject != SUBJECT:
        raise InputError(f"'{subject}' is nothing that grows: expected {SUBJECT}")
    if workload not in WORKLOADS:
        raise InputError(f"--workload: '{workload}' is not a workload: expected one of {', '.join(WORKLOADS)}")
    named = [("--release", release or f"1.{MINORS[-1]}.{LAST_PATCH[MINORS[-1]]}")]
    named += [("--against", each) for each in (against.split(",") if against else ())]
    releases = [_release(text, option) for option, text in named]
    gate = read_gates(gates or "", known=(GATE,), whose="this command").get(GATE)
    if gate is False:
        for each in releases:
            refuse(HINTS, each, is_on=False)
    return Runs(
        # Each once, in the order in which they were named.
        tuple({each.upstream: each for each in releases}.values()),
        gate,
        Load(workload, _powers(powers), pods, events),
    )
