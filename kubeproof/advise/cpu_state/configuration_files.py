"""Reads a kubelet's configuration: a KubeletConfiguration, a ConfigMap with one, kubeadm's file, /configz, or flags.

Go: DecodeKubeletConfiguration in pkg/kubelet/kubeletconfig/util/codec. A field that the kubelet does not know is passed
over, in all releases: from 1.18 on decoding is strict at first, and then lenient. Names of fields are case-sensitive.
"""

import os
import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from attrs import evolve

from kubeproof.advise.cpu_state.configuration import NOT_GIVEN, Configuration, Flags, with_flags
from kubeproof.advise.cpu_state.other_files import what_it_is
from kubeproof.errors import InputError
from kubeproof.input.documents import Expected, parse_each
from kubeproof.input.files import read_bytes, shown
from kubeproof.visible import shortened
from model.cpu.policy.types import Options

KIND = "KubeletConfiguration"
GROUP = "kubelet.config.k8s.io/"
VERSION = f"{GROUP}v1beta1"
MAX_BYTES = 1 << 20
WHAT = f"a {KIND}, a ConfigMap with one, what /configz of the kubelet answers, or its flags"
_EXPECTED = Expected("", WHAT, MAX_BYTES, MAX_BYTES)

# The fields that are read, with their Go types.
_TEXT, _TEXTS, _BOOLS = "string", "map[string]string", "map[string]bool"
FIELDS = {
    "cpuManagerPolicy": _TEXT,
    "cpuManagerPolicyOptions": _TEXTS,
    "reservedSystemCPUs": _TEXT,
    "systemReserved": _TEXTS,
    "kubeReserved": _TEXTS,
    "systemReservedCgroup": _TEXT,
    "kubeReservedCgroup": _TEXT,
    "topologyManagerPolicy": _TEXT,
    "featureGates": _BOOLS,
}
# The fields with such names that are not read.
_OTHERS = {
    "cpuManagerReconcilePeriod", "qosReserved", "reservedMemory", "topologyManagerScope",
    "topologyManagerPolicyOptions",
}  # fmt: skip
_OF_CPU_MANAGER = re.compile("cpumanager|reserved|topologymanager|featuregate", re.IGNORECASE)
# What the fields of such a flag are called in the file (#92585, #114673).
_FLAGS = {"reservedcpus": "reservedSystemCPUs"}


def read_configuration(path: str | os.PathLike[str]) -> Configuration:
    """The configuration in the file at `path`; `-` reads standard input. Raises InputError."""
    return configuration_in(read_bytes(path, MAX_BYTES, WHAT), shown(path))


def configuration_in(data: bytes, name: str) -> Configuration:
    """The configuration in `data`. Errors begin with `name`."""
    flags = _flags(data)
    if flags:
        return _of_flags(flags, name)
    documents = [*parse_each(data, name, _EXPECTED)]
    found = [each for document in documents for each in _configurations(document, name)]
    parts = [] if found else [each for document in documents for each in _parts(document)]
    if len(parts) == 1:
        return _decoded(parts[0], False, name) if parts[0].keys() & FIELDS else _of_flags(parts[0], name)
    if not found:
        other = what_it_is(data.decode("utf-8", "replace"))
        raise InputError(f"{name}: {f'this is {other}' if other else f'not a {KIND}'}: expected {WHAT}")
    if len(found) > 1:
        raise InputError(f"{name}: {len(found)} {KIND}s: expected one")
    return _decoded(*found[0], name)


_FLAG = re.compile(rb"""--(?P<name>[a-z-]+)(?:=|\s+)["']?(?P<value>[^\s"']+)""")
_FLAG_FIELDS = {
    "cpu-manager-policy": "policy", "cpu-manager-policy-options": "policy_options", "reserved-cpus": "reserved_cpus",
    "system-reserved": "system_reserved", "kube-reserved": "kube_reserved",
    "topology-manager-policy": "topology_manager_policy", "feature-gates": "feature_gates",
}  # fmt: skip


def _flags(data: bytes) -> dict[str, str]:
    """The flags of a kubelet's command line, as ps, a unit of systemd or kubeadm-flags.env has it."""
    if KIND.encode() in data:
        return {}
    found = {each["name"].decode(): each["value"].decode("utf-8", "replace") for each in _FLAG.finditer(data)}
    return {_FLAG_FIELDS[name]: value for name, value in found.items() if name in _FLAG_FIELDS}


def _of_flags(flags: dict[str, str], name: str) -> Configuration:
    made = with_flags(NOT_GIVEN, Flags(**flags))
    note = f"{name} has flags of a kubelet: what its configuration file says besides is not known"
    return evolve(made, policy_by=None if made.policy is None else "flags in --config", notes=(note,))


def _parts(value: Any) -> Iterator[dict[str, Any]]:
    """What installers hand on to a kubelet, wherever it stands: fields of its configuration, or flags.

    Such as spec.kubeletConfig of OpenShift, kubelet.extraConfig of Talos, extra_args of RKE, kubelet-arg of k3s.
    """
    if isinstance(value, list):
        pairs = dict(each.removeprefix("--").split("=", 1) for each in value if isinstance(each, str) and "=" in each)
        if _kubelet_flags(pairs):
            yield _kubelet_flags(pairs)
            return
    elif isinstance(value, dict):
        if value.keys() & (FIELDS.keys() - {"featureGates"}):
            yield value
            return
        if _kubelet_flags(value):
            yield _kubelet_flags(value)
            return
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _parts(each)


def _kubelet_flags(pairs: dict[Any, Any]) -> dict[str, str]:
    """The flags that concern the CPU manager, if one of them is no other component's."""
    found = {_FLAG_FIELDS[name]: str(value) for name, value in pairs.items() if name in _FLAG_FIELDS}
    return found if found.keys() - {"feature_gates"} else {}


def _configurations(value: Any, name: str) -> Iterator[tuple[dict[str, Any], bool]]:
    """Each configuration in a document, and whether it is whole."""
    if not isinstance(value, dict):
        return
    kind = value.get("kind")
    if kind == KIND:
        version = value.get("apiVersion")
        if version != VERSION:
            raise InputError(f"{name}: apiVersion {shortened(str(version))}: expected {VERSION}")
        yield value, True
    elif kind == "ConfigMap" and isinstance(value.get("data"), dict):
        for key, text in value["data"].items():
            if isinstance(text, str) and GROUP in text:
                place = f"{name}: data[{shortened(str(key))}]"
                for document in parse_each(text.encode("utf-8", "replace"), place, _EXPECTED):
                    yield from _configurations(document, name)
    elif kind is None and isinstance(value.get("kubeletconfig"), dict):
        yield value["kubeletconfig"], True
    elif kind is None and not value.keys().isdisjoint(FIELDS):
        yield value, False


def _decoded(top: dict[str, Any], whole: bool, name: str) -> Configuration:
    notes = [] if whole else [f"{name} is not a whole {KIND}: what is not in it is not known"]
    notes += [note for key in top if (note := _unknown(str(key), name))]
    policy = top.get("cpuManagerPolicy")
    policy = (policy if isinstance(policy, str) else None) or ("none" if whole else None)
    by = None if policy is None else "--config"
    made = Configuration(policy=policy, policy_by=by, whole=whole, notes=tuple(notes))
    for field, kind in FIELDS.items():
        wrong = _wrong_kind(top.get(field), kind)
        if wrong is not None:
            return evolve(made, undecoded=(field, *wrong))
    known = {name for name, field in _OF_FILE.items() if top.get(field) not in (None, "", {})}
    pairs = _pairs(top, "cpuManagerPolicyOptions")
    return evolve(
        made,
        options=() if pairs is None and whole else pairs,
        reserved_cpus=_text(top, "reservedSystemCPUs") or None,
        system_reserved=_cpu(top, "systemReserved"),
        kube_reserved=_cpu(top, "kubeReserved"),
        reserved_cgroup=bool(_text(top, "systemReservedCgroup") or _text(top, "kubeReservedCgroup")),
        topology_manager_policy=_text(top, "topologyManagerPolicy") or ("none" if whole else None),
        gates=dict(top.get("featureGates") or {}),
        of_file=frozenset(known),
    )


_OF_FILE = {
    "options": "cpuManagerPolicyOptions", "reserved_cpus": "reservedSystemCPUs",
    "topology_manager_policy": "topologyManagerPolicy",
}  # fmt: skip


def _unknown(key: str, name: str) -> str | None:
    """What is said of a field that looks like one that is read, and that the kubelet passes over."""
    if key in FIELDS or key in _OTHERS or not _OF_CPU_MANAGER.search(key):
        return None
    meant = [_FLAGS[key.lower()]] if key.lower() in _FLAGS else [*get_close_matches(key, [*FIELDS, *_OTHERS], 1, 0.7)]
    return f"{name}: the kubelet passes over {shortened(key)}: a {KIND} has {meant[0] if meant else 'no such field'}"


_KINDS = ((bool, "bool"), (int | float, "number"), (str, "string"), (list, "array"), (dict, "object"))


def _wrong_kind(value: Any, kind: str) -> tuple[str, str] | None:
    """What JSON has where Go's decoder wants another type, and this type; None: nothing is wrong."""
    if value is None:
        return None
    if kind == _TEXT:
        return None if isinstance(value, str) else (_kind(value), _TEXT)
    if not isinstance(value, dict):
        return _kind(value), kind
    inner = str if kind == _TEXTS else bool
    wrong = next((each for each in value.values() if each is not None and not isinstance(each, inner)), None)
    return None if wrong is None else (_kind(wrong), "string" if inner is str else "bool")


def _kind(value: Any) -> str:
    return next(name for kind, name in _KINDS if isinstance(value, kind))


def _text(top: dict[str, Any], field: str) -> str | None:
    value: str | None = top.get(field)
    return value


def _pairs(top: dict[str, Any], field: str) -> Options | None:
    value = top.get(field)
    return None if value is None else tuple((str(name), each or "") for name, each in value.items())


def _cpu(top: dict[str, Any], field: str) -> str | None:
    value: str | None = (top.get(field) or {}).get("cpu")
    return value
