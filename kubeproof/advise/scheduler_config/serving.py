"""What is refused of leader election, the connection to the API server, and the addresses that are served.

Go: `ValidateLeaderElectionConfiguration` in staging/src/k8s.io/component-base/config/validation/validation.go, `New`
in client-go/tools/leaderelection/resourcelock/interface.go, `ValidateKubeSchedulerConfiguration`. Read of 1.15 to 1.36.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kubeproof.advise.scheduler_config.decoding import parse_duration
from kubeproof.advise.scheduler_config.refusal import Refusal

_SECOND = 10**9
_DURATIONS = {"leaseDuration": 15 * _SECOND, "renewDeadline": 10 * _SECOND, "retryPeriod": 2 * _SECOND}
# The first minor that takes a lock no more, and what the scheduler says to do.
_REMOVED = {"endpoints": 24, "configmaps": 24, "endpointsleases": 28, "configmapsleases": 28}


def serving_refused(top: Mapping[str, Any], minor: int) -> Iterator[Refusal]:
    """What the validation says. `top`: the fields of the configuration."""
    burst = (top.get("clientConnection") or {}).get("burst")
    if burst is not None and burst < 0:
        yield Refusal(f"clientConnection.burst: Invalid value: {burst}: must be non-negative")
    yield from _election(top.get("leaderElection") or {}, minor)
    if minor < 23:
        return
    for key in ("healthzBindAddress", "metricsBindAddress"):
        address = top.get(key) or ""
        port = address.rpartition(":")[2]
        if address and port != "0" and port.isdecimal():
            text = "must be empty or with an explicit 0 port"
            yield Refusal(f"{key}: Invalid value: {address}: {text}", f"take {key} out: --secure-port serves instead")


def _elects(election: Mapping[str, Any]) -> bool:
    return election.get("leaderElect") is not False


def _election(election: Mapping[str, Any], minor: int) -> Iterator[Refusal]:
    if not _elects(election):
        return
    spans = {}
    for key, usual in _DURATIONS.items():
        text = election.get(key)
        # 0 is not set.
        spans[key] = (parse_duration(text) if isinstance(text, str) else None) or usual
        if spans[key] < 0:
            yield Refusal(f"leaderElection.{key}: Invalid value: {text}: must be greater than zero")
    if spans["leaseDuration"] <= spans["renewDeadline"]:
        said = "LeaseDuration must be greater than RenewDeadline"
        said = "must be greater than `RenewDeadline`" if minor >= 34 else said
        yield Refusal(f"leaderElection.leaseDuration: Invalid value: {election.get('renewDeadline', '10s')}: {said}")


def lock_refused(top: Mapping[str, Any], minor: int) -> Iterator[Refusal]:
    """What is said of the lock, after the validation."""
    election = top.get("leaderElection") or {}
    lock = election.get("resourceLock") or "leases"
    if not _elects(election):
        return
    start = "couldn't create resource lock: "
    if lock in _REMOVED and minor >= _REMOVED[lock]:
        yield Refusal(f"{start}{lock} lock is removed, …", "set leaderElection.resourceLock: leases")
    elif lock not in (*_REMOVED, "leases"):
        yield Refusal(f"{start}Invalid lock-type {lock}", "set leaderElection.resourceLock: leases")
