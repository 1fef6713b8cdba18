"""Files that are something else than was asked for: they are named as what they are, and judged by nothing."""

import json

import pytest
from hypothesis import given, strategies as st

from kubeproof.advise.cpu_state.other_files import what_it_is
from kubeproof.advise.cpu_state.reading import inspect_state
from kubeproof.errors import InputError
from tests.conftest import DATA
from tests.kubeproof.advise.test_topology_files import LISTING, NUMACTL, PARSABLE, TABLE

MEMORY = {"policyName": "Static", "machineState": {"0": {"numberOfAssignments": 0, "cells": [0]}}, "checksum": 1}
DEVICES = {"Data": {"PodDeviceEntries": None, "RegisteredDevices": {"nvidia.com/gpu": ["GPU-1"]}}, "Checksum": 1}
CLAIMS = {"kind": "DRACheckpoint", "apiVersion": "checkpoint.dra.kubelet.k8s.io/v1", "ClaimInfoStateList": None}
ENTRIES = {"entries": {"uid": {"ContainerResources": {}}}}
SUMMARY = "Architecture:        x86_64\nCPU(s):              8\nOn-line CPU(s) list: 0-7\n"
CONFIGURATION = "apiVersion: kubelet.config.k8s.io/v1beta1\ncpuManagerPolicy: static\nkind: KubeletConfiguration\n"


def of_data(data: object) -> str:
    return json.dumps({"data": json.dumps(data), "checksum": 1})


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (json.dumps(MEMORY), "a memory_manager_state"),
        ('{"policyName":"None","machineState":{},"checksum":4236770233}', "a memory_manager_state"),
        (json.dumps(MEMORY, indent=1)[:90], "a memory_manager_state"),
        (json.dumps(DEVICES), "a kubelet_internal_checkpoint"),
        (json.dumps(DEVICES)[:80], "a kubelet_internal_checkpoint"),
        (json.dumps({"version": "v1", "entries": [], "checksum": 1}), "a dra_manager_state"),
        (json.dumps({"Data": json.dumps(CLAIMS), "Checksum": 1}), "a dra_manager_state"),
        (json.dumps({"allocationEntries": {}, "checksum": 1}), "a pod_status_manager_state"),
        (json.dumps({"resizeStatusEntries": {}, "checksum": 1}), "a pod_status_manager_state"),
        (of_data({"allocationEntries": {}}), "a pod_status_manager_state"),
        (of_data(ENTRIES), "an allocated_pods_state, an actuated_pods_state"),
        (of_data({}), "an allocated_pods_state, an actuated_pods_state"),
        ('{"startTime":"2024-01-01T00:00:00Z","endTime":"0001-01-01T00:00:00Z"}', "a graceful_node_shutdown_state"),
        ('{"version":"v1","name":"a","namespace":"b","data":{},"checksum":1}', "a sandbox checkpoint of dockershim"),
        ('{"kubeletconfig":{"cpuManagerPolicy":"none"}}', "a kubelet's configuration"),
        (CONFIGURATION, "a kubelet's configuration"),
        ('{"kind":"KubeletConfiguration","apiVersion":"kubelet.config.k8s.io/v1beta1"}', "a kubelet's configuration"),
        ('{"kind":"PodList","apiVersion":"v1","items":[]}', "a PodList of the Kubernetes API"),
        ("apiVersion: v1\nitems: []\nkind: List\n", "a List of the Kubernetes API"),
        (TABLE.split("\n", 1)[1], "the output of lscpu -e"),
        (PARSABLE, "the output of lscpu -p"),
        (SUMMARY, "the output of lscpu"),
        (LISTING, "a listing of /sys"),
        (NUMACTL, "the output of numactl -H"),
        ((DATA / "lscpu-2.38-two-sockets.json").read_text(), "the output of lscpu -J -e"),
        ((DATA / "lscpu-2.39-summary.json").read_text(), "the output of lscpu -J"),
        ((DATA / "machine-info-1s-2n.json").read_text(), "a cAdvisor MachineInfo"),
        ('KUBELET_KUBEADM_ARGS="--cpu-manager-policy=static"\n', "the flags of a kubelet"),
        ("E0525 05:33:16.571249   14083 cpu_manager.go:224] Could not initialize", "a log"),
    ],
)  # fmt: skip
def test_each_is_named_and_none_is_judged(text: str, what: str) -> None:
    found = what_it_is(text)
    assert found is not None
    assert found.startswith(what)
    with pytest.raises(InputError) as caught:
        inspect_state(text.encode(), "f")
    assert str(caught.value) == f"f: this is {found}: expected the kubelet's cpu_manager_state"


@pytest.mark.parametrize("name", ["v1", "v2", "report"])
def test_a_state_file_is_none_of_them(name: str) -> None:
    assert what_it_is((DATA / f"cpu-state-{name}.json").read_text()) == "a cpu_manager_state"
    assert what_it_is((DATA / f"cpu-state-{name}.json").read_text()[:50]) is None


@given(st.text(max_size=80))
def test_any_text_is_named_or_not(text: str) -> None:
    what_it_is(text)
