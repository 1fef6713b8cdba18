"""A state file judged with the kubelet's configuration: reports of kubelets that did not start, and what files say."""

import json
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from kubeproof.advise.cpu_state import NOT_GIVEN, Configuration, Flags, StateAnswer
from kubeproof.advise.cpu_state.configuration_files import configuration_in
from kubeproof.advise.cpu_state.rendering import render
from kubeproof.errors import InputError
from tests.conftest import DATA
from tests.kubeproof.advise.test_cpu_state import REPORT, V2, Captured, command, error, judge, v1, v2

HEAD = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
NONE = v2("", {}, "none")
STATIC = 'cpuManagerPolicy: static\nreservedSystemCPUs: "0"\n'


def config(text: str) -> Configuration:
    return configuration_in((HEAD + text).encode(), "config.yaml")


def judged(raw: bytes, text: str = "", release: str = "1.31.13", cpus: str = "0-7", **flags: Any) -> StateAnswer:
    return judge(raw, file=config(text) if text else NOT_GIVEN, flags=Flags(**flags), release=release, cpus=cpus)


# --- The configured policy


@pytest.mark.parametrize("release", ["1.19.9", "1.20.2", "1.21.9", "1.27.4"])
def test_a_policy_that_is_not_that_of_the_file(release: str) -> None:
    """talos#7504, rancher#32783, scylla-operator#1265, bottlerocket#1465, kubespray#8535; #95041 the other way."""
    static = {"policy": "static"}
    for flags, text in ((static, ""), ({}, STATIC), (static, STATIC.replace("static", "none"))):
        answer = judged(NONE, text, release, **flags)
        assert 'configured policy "static" differs from state checkpoint policy "none"' in error(answer)
        assert answer.configured_by == ("--policy" if flags else "--config")
        assert any(step.instead and "Configure the policy of the file, none" in step.do for step in answer.to_do)
        assert f"Policy     static ({answer.configured_by}); the file has none" in render(answer)
    back = judged(REPORT, "maxPods: 10\n", release, cpus="0-3")
    assert 'configured policy "none" differs from state checkpoint policy "static"' in error(back)
    assert back.partition is None


def test_without_a_configuration_the_answer_says_which_policy_it_took() -> None:
    answer = judged(NONE)
    assert (answer.consistent, answer.configured_policy, answer.configured_by) == (True, "none", None)
    assert "configured is taken to be that of the file" in render(answer)


def test_up_to_1_17_the_mismatch_is_told_in_the_words_of_the_release() -> None:
    answer = judged(v1("", {}, "none"), release="1.17.17", policy="static")
    assert error(answer).startswith("could not restore state from checkpoint: configured policy")


# --- What is reserved


def test_a_static_policy_without_reserved_cpus_does_not_start() -> None:
    """#70161: the sum of nothing is no reservation, so the other text of NewManager never comes."""
    for text in ("cpuManagerPolicy: static\n", "cpuManagerPolicy: static\nkubeReserved: {memory: 1Gi, cpu: '0'}\n"):
        answer = judged(REPORT, text, cpus="0-3")
        assert error(answer) == "[cpumanager] unable to determine reserved CPU resources for static policy"
        assert [step.command for step in answer.to_do] == [None]
    assert judged(REPORT, cpus="0-3").consistent
    assert judged(NONE, "cpuManagerPolicy: none\n").consistent


@pytest.mark.parametrize(
    ("reserved", "cpus"),
    [("systemReserved: {cpu: 500m}\nkubeReserved: {cpu: 500m}\n", "0"), ("kubeReserved: {cpu: 1500m}\n", "0-1")],
)
def test_a_reserved_amount_is_rounded_up_and_the_kubelet_chooses(reserved: str, cpus: str) -> None:
    answer = judged(REPORT, "cpuManagerPolicy: static\n" + reserved, cpus="0-3")
    assert answer.consistent
    assert answer.reserved is not None
    assert answer.reserved.cpus == cpus
    assert any(f"reserves {cpus}, if each CPU is a core" in note for note in answer.notes)
    # The list comes before the amounts.
    listed = judged(REPORT, "cpuManagerPolicy: static\n" + reserved, cpus="0-3", reserved_cpus="3")
    assert listed.reserved is not None
    assert listed.reserved.cpus == "3"
    flags = judged(REPORT, cpus="0-3", system_reserved="memory=1Gi,cpu=500m", kube_reserved="cpu=1")
    assert flags.reserved is not None
    assert flags.reserved.cpus == "0-1"


@pytest.mark.parametrize(("value", "kind"), [("1", "number"), ("true", "bool"), ("[]", "array")])
def test_a_value_that_the_kubelet_cannot_decode(value: str, kind: str) -> None:
    """kubeasz#1281 and #1286, kubespray#11111."""
    answer = judged(V2, f"cpuManagerPolicy: static\nkubeReserved:\n  cpu: {value}\n", "1.27.4")
    into = "Go struct field KubeletConfiguration.kubeReserved of type string"
    assert error(answer) == f"failed to decode: json: cannot unmarshal {kind} into {into}"
    assert (answer.configured_policy, answer.configured_by) == ("static", "--config")
    assert [step.do for step in answer.to_do] == [
        "Correct the kubelet's configuration: write kubeReserved with values of the type string"
    ]
    # json-iterator words it otherwise.
    older = judged(V2, f"kubeReserved:\n  cpu: {value}\n", "1.22.17")
    assert error(older).startswith("(failed to decode: kubeReserved has a")


@pytest.mark.parametrize(
    ("key", "meant"),
    [("reservedCpus", "reservedSystemCPUs"), ("reservedSystemCpus", "reservedSystemCPUs"),
     ("cpuManagerPolicyOption", "cpuManagerPolicyOptions"), ("kubereserved", "kubeReserved")],
)  # fmt: skip
def test_a_field_that_the_kubelet_passes_over_is_named(key: str, meant: str) -> None:
    """#92585, #114673, website#38614."""
    notes = judged(NONE, f'{key}: "0-4"\nsystemReservedCgroup: /a\n').notes
    assert notes == (f"config.yaml: the kubelet passes over {key}: a KubeletConfiguration has {meant}",)


def test_fields_that_the_release_does_not_know_are_named() -> None:
    answer = judged(v1("0-7", {}), STATIC + "kubeReserved: {cpu: '2'}\n", "1.16.15")
    assert answer.consistent
    assert answer.reserved is not None
    assert answer.reserved.cpus == "0-1"
    assert any("does not know reservedSystemCPUs, which comes with 1.17" in note for note in answer.notes)


@pytest.mark.parametrize(
    ("release", "said"),
    [("1.17.17", "can't use --reserved-cpus with"), ("1.23.17", "can't use reservedSystemCPUs (--reserved-cpus) with"),
     ("1.31.13", "invalid configuration: can't use reservedSystemCPUs")],
)  # fmt: skip
def test_a_list_of_reserved_cpus_and_a_cgroup(release: str, said: str) -> None:
    """#95325."""
    assert error(judged(v1("0-7", {}), STATIC + "kubeReservedCgroup: /kube\n", release)).startswith(said)


def test_amounts_that_are_none() -> None:
    assert error(judged(REPORT, "kubeReserved: {cpu: '-1'}\n")) == (
        'resource quantity for "cpu" cannot be negative: -1'
    )
    listed = error(judged(REPORT, 'reservedSystemCPUs: "0-"\n'))
    assert listed.startswith("(the kubelet finds no list of CPUs: reservedSystemCPUs: '0-'")
    assert error(judged(REPORT, "kubeReserved: {cpu: many}\n")).startswith("(the kubelet finds no quantity of cpu")


# --- Options and gates

NUMA = {"policy_options": "distribute-cpus-across-numa=true", "reserved_cpus": "0"}
ALPHA_OFF = 'CPU Manager Policy Alpha-level Options not enabled, but option "distribute-cpus-across-numa" provided'


@pytest.mark.parametrize(
    ("release", "flags", "said"),
    [
        ("1.21.3", NUMA, "unknown flag: --cpu-manager-policy-options"),
        ("1.22.17", NUMA, "CPU Manager policy options map[distribute-cpus-across-numa:true] require feature gates "
         '"CPUManager", "CPUManagerPolicyOptions" enabled'),
        ("1.22.17", NUMA | {"feature_gates": "AllAlpha=true"},
         'new static policy error: unsupported cpumanager option: "distribute-cpus-across-numa" (true)'),
        ("1.26.15", NUMA, f"new static policy error: {ALPHA_OFF}"),
        ("1.26.15", NUMA | {"feature_gates": "CPUManagerPolicyAlphaOptions=true"}, None),
        ("1.26.15", NUMA | {"feature_gates": "AllAlpha=true"}, None),
        ("1.33.13", NUMA, None),
        ("1.33.13", NUMA | {"feature_gates": "AllBeta=false"},
         f'new static policy error: {ALPHA_OFF.replace("Alpha", "Beta")}'),
        ("1.31.13", NUMA | {"policy_options": "full-pcpu-only=true"},
         'new static policy error: unknown CPU Manager Policy option: "full-pcpu-only"'),
        ("1.31.13", NUMA | {"policy_options": "full-pcpus-only=yes"}, 'new static policy error: bad value for option '
         '"full-pcpus-only": strconv.ParseBool: parsing "yes": invalid syntax'),
        ("1.34.1", NUMA | {"policy_options": "full-pcpus-only=true,distribute-cpus-across-cores=true",
                           "feature_gates": "CPUManagerPolicyAlphaOptions=true"},
         "new static policy error: static policy options full-pcpus-only and distribute-cpus-across-cores can not be "
         "used at the same time"),
        ("1.34.1", {"feature_gates": "CPUManager=true"}, "unrecognized feature gate: CPUManager"),
        ("1.26.15", {"feature_gates": "CPUManager=false"},
         "cannot set feature gate CPUManager to false, feature is locked to true"),
        ("1.33.13", {"feature_gates": "CPUManagerPolicyOptions=false"},
         "cannot set feature gate CPUManagerPolicyOptions to false, feature is locked to true"),
        ("1.22.17", {"feature_gates": "CPUManagerPolicyAlphaOptions=true"},
         "unrecognized feature gate: CPUManagerPolicyAlphaOptions"),
        ("1.17.17", {"topology_manager_policy": "restricted"},
         "invalid configuration: TopologyManager restricted requires feature gate TopologyManager"),
        ("1.17.17", {"topology_manager_policy": "restricted", "feature_gates": "TopologyManager=true"}, None),
        ("1.19.12", {"topology_manager_policy": "strict"}, 'unknown policy: "strict"'),
        ("1.20.2", {"topology_manager_policy": "strict"},
         "invalid configuration: topologyManagerPolicy non-allowable value: strict"),
        ("1.24.17", {"topology_manager_policy": "strict"}, "invalid configuration: topologyManagerPolicy (--topology-"
         'manager-policy) "strict" must be one of: ["none" "best-effort" "restricted" "single-numa-node"]'),
        ("1.31.13", {"policy_options": "align-by-socket=true", "topology_manager_policy": "single-numa-node",
                     "feature_gates": "CPUManagerPolicyAlphaOptions=true"},
         "new static policy error: Topolgy manager single-numa-node policy is incompatible with CPUManager "
         "align-by-socket policy option"),
    ],
)  # fmt: skip
def test_what_the_kubelet_of_a_release_says_of_its_flags(release: str, flags: dict[str, str], said: str | None) -> None:
    raw = v1("0-7", {}) if release == "1.17.17" else v2("0-7", {})
    answer = judged(raw, "", release, **flags)
    assert [refusal.error for refusal in answer.refusals] == ([] if said is None else [said])


@pytest.mark.parametrize(("release", "starts"), [("1.21.3", True), ("1.22.17", False), ("1.36.3", False)])
def test_the_policy_none_has_no_options(release: str, starts: bool) -> None:
    text = "cpuManagerPolicyOptions: {full-pcpus-only: 'true'}\nfeatureGates: {AllAlpha: true}\n"
    answer = judged(NONE, text, release)
    assert answer.would_start == starts
    if not starts:
        options = "map[full-pcpus-only:true]"
        assert error(answer) == f"new none policy error: None policy: received unsupported options={options}"


def test_any_of_several_faulty_options_may_be_named() -> None:
    answer = judged(REPORT, policy_options="a=true,b=true", cpus="0-3")
    unknown = "new static policy error: unknown CPU Manager Policy option"
    assert [refusal.error for refusal in answer.refusals] == [f'{unknown}: "a"', f'{unknown}: "b"']


def test_up_to_1_25_a_gate_switches_the_cpu_manager_off() -> None:
    answer = judged(NONE, STATIC + "featureGates: {CPUManager: false}\n", "1.25.12")
    assert (answer.consistent, answer.manager_on, answer.partition) == (True, False, None)
    assert "it does not read the file" in " ".join(render(answer).split())


def test_strictly_reserved_cpus_are_in_no_set() -> None:
    strict = {"policy_options": "strict-cpu-reservation=true", "reserved_cpus": "0-1"}
    assert judged(v2("2-7", {}), release="1.35.6", **strict).consistent
    answer = judged(v2("0-7", {}), release="1.35.6", **strict)
    assert error(answer) == 'some of strictly reserved cpus: "0-1" are present in defaultCpuSet: "0-7"'
    assert answer.reserved is not None
    assert answer.reserved.not_in_pool == ""
    with pytest.raises(InputError, match="strict-cpu-reservation: the reserved CPUs decide: expected --reserved-cpus"):
        judged(v2("2-7", {}), release="1.35.6", policy_options=strict["policy_options"])


# --- The files


KUBELET = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", "cpuManagerPolicy": "static"}


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "cpuManagerPolicy: static\n",
        json.dumps(KUBELET),
        json.dumps({"kubeletconfig": {"cpuManagerPolicy": "static", "enableServer": True}}),
        "apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\n---\n" + HEAD + "cpuManagerPolicy: static\n",
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  kubelet: |\n    " + (HEAD + "cpuManagerPolicy: static\n").replace(
            "\n", "\n    "),
        json.dumps({"kind": "ConfigMap", "data": {"kubelet": json.dumps(KUBELET)}}),
    ],
)  # fmt: skip
def test_each_form_of_the_file(text: str) -> None:
    found = configuration_in(text.encode(), "f")
    assert (found.policy, found.policy_by, found.whole, found.notes) == ("static", "--config", True, ())


@pytest.mark.parametrize(
    "text",
    [
        'KUBELET_KUBEADM_ARGS="--cpu-manager-policy=static --reserved-cpus=0,1 --kube-reserved=cpu=1"\n',
        "root 1 kubelet --config=/a.yaml --cpu-manager-policy static --reserved-cpus 0,1 --kube-reserved cpu=1",
        "ExecStart=kubelet \\\n  --cpu-manager-policy=static \\\n  --reserved-cpus='0,1' --kube-reserved=cpu=1\n",
    ],
)
def test_a_command_line_of_a_kubelet(text: str) -> None:
    """rancher#32783, #92585 and #122473 show the flags."""
    found = configuration_in(text.encode(), "f")
    assert (found.policy, found.reserved_cpus, found.kube_reserved, found.whole) == ("static", "0,1", "1", False)
    assert found.notes == ("f has flags of a kubelet: what its configuration file says besides is not known",)
    assert 'configured policy "static" differs' in error(judge(NONE, file=found, cpus="0-7"))


def test_a_flag_comes_before_the_field_that_a_release_does_not_know() -> None:
    text = "cpuManagerPolicyOptions: {full-pcpus-only: 'true'}\n" + STATIC
    passed_over = judged(REPORT, text, "1.21.3", cpus="0-3", policy="static")
    assert passed_over.consistent
    assert any("passes over it" in note for note in passed_over.notes)
    refused = judged(REPORT, text, "1.21.3", cpus="0-3", policy_options="full-pcpus-only=true")
    assert error(refused) == "unknown flag: --cpu-manager-policy-options"


@pytest.mark.parametrize(
    "text",
    [
        "machine: {kubelet: {extraConfig: {cpuManagerPolicy: static}}}",  # talos#7504
        "services: {kubelet: {fail_swap_on: false, extra_args: {cpu-manager-policy: static, reserved-cpus: 0}}}",
        "kubelet-arg: [cpu-manager-policy=static, reserved-cpus=0]",
        "kind: KubeletConfig\nspec: {kubeletConfig: {cpuManagerPolicy: static, cpuManagerReconcilePeriod: 5s}}",
        "# grep of #129078\ncpuManagerPolicy: static\ncpuManagerPolicyOptions:\n  full-pcpus-only: 'true'\n",
    ],
)
def test_what_installers_hand_on_to_a_kubelet(text: str) -> None:
    """Where somebody sets the policy, in the forms of talos#7504 and rancher#32783 too."""
    found = configuration_in(text.encode(), "f")
    assert (found.policy, found.whole, len(found.notes)) == ("static", False, 1)
    assert 'configured policy "static" differs' in error(judge(NONE, file=found, cpus="0-7"))


def test_a_part_of_a_configuration_is_no_whole_one() -> None:
    found = configuration_in(b"cpuManagerPolicy: static\n", "f")
    assert (found.policy, found.whole, found.notes) == (
        "static", False, ("f is not a whole KubeletConfiguration: what is not in it is not known",),
    )  # fmt: skip
    assert configuration_in(b"featureGates: {AllAlpha: true}\n", "f").policy is None
    # A whole one has no options if it names none.
    assert (config("maxPods: 10\n").options, configuration_in(b"maxPods: 10\nkubeReserved: {}", "f").options) == (
        (),
        None,
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "f: the file is empty: expected a KubeletConfiguration"),
        ("hello", "f: not a KubeletConfiguration: expected a KubeletConfiguration, a ConfigMap with one"),
        ('{"kind":"PodList","apiVersion":"v1","items":[]}', "f: this is a PodList of the Kubernetes API: expected"),
        (REPORT.decode(), "f: this is a cpu_manager_state: expected a KubeletConfiguration"),
        (HEAD.replace("v1beta1", "v1alpha1"), "f: apiVersion kubelet.config.k8s.io/v1alpha1: expected"),
        (f"{HEAD}---\n{HEAD}", "f: 2 KubeletConfigurations: expected one"),
        ("a: {featureGates: {}}", "f: not a KubeletConfiguration"),
        ("a: [", "f: line 2, column 1: not YAML"),
    ],
)
def test_what_is_no_configuration_gets_one_line(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        configuration_in(text.encode(), "f")
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_the_command_takes_the_file_and_the_flags(capsys: Captured, tmp_path: Path) -> None:
    state, file = tmp_path / "cpu_manager_state", tmp_path / "config.yaml"
    state.write_bytes(NONE)
    file.write_text(HEAD + STATIC)
    args = (str(state), "--cpus", "0-7", "--config", str(file), "--release", "1.27.4")
    status, out, _ = command(capsys, *args, "--json")
    found = json.loads(out)
    assert (status, found["configured_policy"], found["configured_by"]) == (1, "static", "--config")
    assert command(capsys, *args, "--policy", "none")[0] == 0
    for more, says in (
        (("--policy-options", "full-pcpus-only"), "is not a pair: expected NAME=VALUE, such as full-pcpus-only=true"),
        (("--kube-reserved", "cpu=x"), "--kube-reserved: 'x' is not a quantity"),
        (("--feature-gates", "A"), "--feature-gates: 'A' is not a gate"),
        (("--reserved-cpus", "0-"), "--reserved-cpus: '0-'"),
        (("--config", "-"), None),
    ):
        status, out, err = command(capsys, "-" if says is None else str(DATA / "cpu-state-v2.json"), *more)
        assert (status, out, err.count("\n")) == (2, "", 1), more
        assert (says or "standard input is the state file already") in err
    assert evolve(NOT_GIVEN, policy="static").policy == "static"
