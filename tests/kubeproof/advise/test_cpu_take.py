"""Which CPUs a pod would get: reports whose CPUs are known, recordings of the real code, pods of every kind."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kubeproof.advise.cpu_state import Flags, with_flags
from kubeproof.advise.cpu_state.configuration import NOT_GIVEN
from kubeproof.advise.cpu_state.reading import inspect_state
from kubeproof.advise.cpu_state.topology_files import from_topology_text
from kubeproof.advise.cpu_take import TakeAnswer, analyse, asked_pod, question, render, to_json
from kubeproof.advise.cpu_take.pod_files import AskedPod, pod_in
from kubeproof.advise.cpu_take.taking import chosen
from kubeproof.bugs.catalogue import any_bug_named
from kubeproof.cli import app, run
from kubeproof.errors import InputError
from model.cpu.discover import TopologyRules
from model.cpu.policy.types import TopologyHint
from model.cpu.topology import CPUTopology
from model.releases import EVERY_MINOR, parse_release, rules_for
from tests.conftest import DATA, ROOT
from tests.kubeproof.advise.test_cpu_state import V2, Captured, v1, v2

TWO_SOCKETS = (DATA / "lscpu-2.38-two-sockets.json").read_text()
ALPHA = "CPUManagerPolicyAlphaOptions=true"


def table(rows: Iterator[tuple[int, ...]]) -> str:
    """The machine as lscpu -e prints it; rows of CPU, core, socket, node."""
    lines = [" ".join(map(str, row)) + " yes" for row in rows]
    return "\n".join(["CPU CORE SOCKET NODE ONLINE", *lines])


def take(pod: AskedPod | int, machine: str = TWO_SOCKETS, state: bytes | None = None, **given: Any) -> TakeAnswer:
    flags = {key: given.pop(key) for key in [*given] if key in Flags.__annotations__}
    given.setdefault("release", "1.31.13")
    asked = question(
        asked_pod(str(pod)) if isinstance(pod, int) else pod,
        topology=("lscpu", machine),
        configuration=with_flags(NOT_GIVEN, Flags(**{"reserved_cpus": "0"} | flags)),
        state=None if state is None else ("f", state, inspect_state(state, "f")),
        **given,
    )
    return analyse(asked)


def cpus(answer: TakeAnswer) -> list[str]:
    assert len(answer.outcomes) == 1
    return [each.cpus for each in answer.outcomes[0].containers]


def refusal(answer: TakeAnswer) -> tuple[str | None, str | None]:
    assert not answer.admitted
    last = answer.outcomes[0].containers[-1]
    return last.error, last.reason


def pod(containers: list[dict[str, Any]], init: list[dict[str, Any]] | None = None, **spec: Any) -> AskedPod:
    named = [{"name": f"c{n}", "resources": each} for n, each in enumerate(containers)]
    first = [{"name": f"i{n}", **each} for n, each in enumerate(init or [])]
    whole = {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": named, "initContainers": first, **spec}}
    return pod_in(json.dumps(whole).encode(), "pod.json")


def limits(cpu: str, memory: str = "1Gi") -> dict[str, Any]:
    return {"limits": {"cpu": cpu, "memory": memory}}


# --- Reports


def test_the_cpus_of_a_report_of_two_options_that_do_not_work_together() -> None:
    """#114642: two sockets with two interleaved NUMA nodes each, 14 CPUs in a node, 15 CPUs asked for."""
    machine = table((cpu, cpu % 28, cpu % 2, cpu % 4) for cpu in range(56))
    options = "distribute-cpus-across-numa=true,align-by-socket=true"
    answer = take(15, machine, policy_options=options, feature_gates=ALPHA, release="1.26.1")
    assert cpus(answer) == ["1-2,5-6,9-10,13-14,29-30,33-34,37-38,42"]
    assert [node.sockets for node in answer.outcomes[0].containers[0].nodes] == [(1,), (0,)]
    assert f"\n{render(answer)}\n```\n" in (ROOT / "docs/your-cluster.md").read_text()


def test_a_reserved_cpu_is_given_on_a_hybrid_machine() -> None:
    """#140495: CPUs 0 to 15 are on eight cores of two, 16 to 27 are each a core; CPU 0 is reserved."""
    machine = table((cpu, cpu // 2 if cpu < 16 else cpu - 8, 0, 0) for cpu in range(28))
    answer = take(2, machine, release="1.35.0")
    assert cpus(answer) == ["0-1"]
    assert answer.outcomes[0].containers[0].not_free == "0"
    assert "CPU 0 was not free" in render(answer)
    assert answer.fits == ("CPU-OFFLINE-SIBLING",)
    assert any_bug_named(answer.fits[0]).id == answer.fits[0]


def test_a_reserved_cpu_is_given_where_one_is_offline_and_the_next_start_fails() -> None:
    """#124066: 48 cores with two CPUs each, CPU 95 is offline; two CPUs for the kubelet and two for the system."""
    machine = table((cpu, cpu % 48, cpu % 48 // 24, cpu % 48 // 24) for cpu in range(95))
    reserved = {"reserved_cpus": None, "kube_reserved": "cpu=2", "system_reserved": "cpu=2"}
    answer = take(20, machine, **reserved, release="1.28.14")
    [way] = answer.outcomes
    assert (answer.reserved, way.containers[0].cpus, way.pool) == ("24-25,47,72", "25-34,73-82", "0-24,35-72,83-94")
    assert way.containers[0].not_free == "25"
    again = take(1, machine, v2(way.pool, {"p": {"c": "25-34,73-82"}}), **reserved, release="1.28.14")
    assert again.refusals == (f'not all reserved cpus: "24-25,47,72" are present in defaultCpuSet: "{way.pool}"',)


def test_a_pod_that_has_its_cpus_is_refused_after_a_restart() -> None:
    """#129078: 16 cores of one CPU, 0 and 8 are reserved, full-pcpus-only, and no core is free."""
    machine = table((cpu, cpu, cpu, cpu // 8) for cpu in range(16))
    state = v2("0,8", {"p": {"c0": "1-7"}, "q": {"c0": "9-15"}})
    given = {"reserved_cpus": "0,8", "policy_options": "full-pcpus-only=true", "release": "1.32.0"}
    running = pod([limits("7")])
    [bug] = take(running, machine, state, **given).fits
    assert any_bug_named(bug).issues[0].endswith("/129078")
    assert refusal(take(running, machine, state, **given)) == (
        "SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 0, requested CPUs = 7, CPUs per "
        "core = 1", "SMTAlignmentError",
    )  # fmt: skip
    assert cpus(take(running, machine, state, **given | {"policy_options": ""})) == ["1-7"]


def test_full_cores_alone_are_refused_by_the_words_of_the_release() -> None:
    """#122473 and others ask why a pod fails; the option is a hard one."""
    full = {"policy_options": "full-pcpus-only=true"}
    assert refusal(take(3, **full)) == (
        "SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2", "SMTAlignmentError",
    )  # fmt: skip
    few = refusal(take(8, **full, release="1.36.3"))
    assert few == (
        "SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 6, requested CPUs = 8, CPUs per "
        "core = 2", "SMTAlignmentError",
    )  # fmt: skip
    assert cpus(take(6, **full)) == ["1-3,5-7"]
    assert refusal(take(8)) == (
        "not enough cpus available to satisfy request: requested=8, available=7", "UnexpectedAdmissionError",
    )  # fmt: skip


def test_each_option_gives_other_cpus() -> None:
    """#125453: CPUs are packed by default. Two NUMA nodes of four cores with two threads, caches of two cores."""
    cores = [(cpu, cpu % 8, 0, cpu % 8 // 4, cpu % 8 // 2) for cpu in range(16)]
    lines = [f"{cpu} {core} {socket} {node} {core}:{core}:{core}:{l3} yes" for cpu, core, socket, node, l3 in cores]
    machine = "\n".join(["CPU CORE SOCKET NODE L1d:L1i:L2:L3 ONLINE", *lines])
    given = {"release": "1.36.3", "feature_gates": ALPHA}

    def of(number: int, **more: Any) -> list[str]:
        return cpus(take(number, machine, **given, **more))

    # A whole NUMA node first, then a core of the other one; or as many of each.
    assert of(10) == ["1,4-7,9,12-15"]
    assert of(10, policy_options="distribute-cpus-across-numa=true") == ["1-2,4-6,8-10,12-13"]
    assert of(4, policy_options="distribute-cpus-across-cores=true") == ["1-4"]
    assert of(4) == ["1-2,9-10"]
    assert of(4, policy_options="prefer-align-cpus-by-uncorecache=true") == ["2-3,10-11"]
    strict = take(2, machine, **given, policy_options="strict-cpu-reservation=true")
    assert (strict.pool, cpus(strict)) == ("1-15", ["1,9"])


# --- The real code


def recorded() -> Iterator[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """The first allocation of each case, for a kubelet that begins anew, and what was observed."""
    for path in sorted(DATA.glob("static_policy-1.[2-3]*.jsonl")):
        release = path.name.removeprefix("static_policy-").removesuffix(".jsonl")
        for line in path.read_text().splitlines():
            case = json.loads(line)
            ops = [op["op"] for op in case["ops"]]
            at = ops.index("allocate") if "allocate" in ops else 0
            fresh = ops[:2] == ["new", "start"] and set(ops[2:at]) <= {"hints", "pod_hints", "available"}
            if at and fresh and "state" not in case["config"] and case["config"]["topology"].keys() == {"cpus"}:
                yield release, case["config"], case["ops"][at], case["observed"][at]


def recorded_machine(rows: list[list[int]]) -> str:
    """As lscpu -e prints it: CPU, core, socket, node and, from 1.32 on, uncore cache."""
    titles = "CPU CORE SOCKET NODE L3"
    return "\n".join([titles, *(" ".join(map(str, (*row, "-")[:5])) for row in rows)])


@pytest.mark.slow
def test_the_cpus_are_those_that_the_real_code_gave() -> None:
    compared = 0
    for release, config, op, observed in recorded():
        if not config["num_reserved"] or "skipped" in observed or "hang" in observed:
            continue
        machine, rows = recorded_machine(config["topology"]["cpus"]), config["topology"]["cpus"]
        discover = rules_for(TopologyRules, parse_release(release, EVERY_MINOR)).discover
        if from_topology_text(machine, rule=discover) != CPUTopology.of(rows):
            # No cAdvisor would tell of such caches.
            continue
        spec = config["pods"][op["pod"]]
        [container] = [each for each in spec["init"] + spec["app"] if each["name"] == op["container"]]
        asked = limits(container["cpu"]) if spec["qos"] == "guaranteed" else {"requests": {"cpu": container["cpu"]}}
        gates = {"AllAlpha": True} | config.get("feature_gates", {})
        reserved = (
            {"reserved_cpus": config["reserved_cpus"]}
            if config["reserved_cpus"]
            else {"reserved_cpus": None, "kube_reserved": f"cpu={config['num_reserved']}"}
        )
        answer = take(
            pod([asked]),
            machine,
            release=release,
            policy_options=",".join(f"{name}={value}" for name, value in config["options"].items()),
            feature_gates=",".join(f"{name}={on}" for name, on in gates.items()),
            hint=",".join(map(str, op["hint"])) if "hint" in op else None,
            **reserved,
        )
        compared += 1
        given = observed["assignments"].get(op["pod"], {}).get(op["container"], "")
        found = [way.containers[0] for way in answer.outcomes]
        assert given in [each.cpus for each in found], (release, config, op)
        if "error" in observed:
            assert any((each.error or "").startswith(observed["error"]) for each in found), (release, config, op)
    assert compared > 60


# --- Pods


def test_containers_are_served_in_their_order_and_init_containers_leave_their_cpus() -> None:
    asked = pod([limits("2"), limits("1500m"), limits("1")], [{"resources": limits("6")}])
    answer = take(asked)
    assert cpus(answer) == ["1-3,5-7", "1,5", "", "4"]
    first = answer.outcomes[0]
    # What the init container had stays out of the pool.
    assert first.pool == "0"
    assert first.containers[1].free == "1-7"
    assert first.containers[2].shared_because == "its request 1500m is not a whole number of CPUs"
    # Up to 1.15 an init container keeps its CPUs while the others get theirs.
    assert refusal(take(asked, release="1.15.11")) == ("not enough cpus available to satisfy request", None)
    assert cpus(take(asked, release="1.17.17")) == ["1-3,5-7", "1,5", "", "4"]
    # A sidecar keeps them from 1.29 on.
    sidecar = pod([limits("2")], [{"resources": limits("2"), "restartPolicy": "Always"}])
    assert cpus(take(sidecar, release="1.28.14")) == ["1,5", "1,5"]
    assert cpus(take(sidecar)) == ["1,5", "2,6"]


@pytest.mark.parametrize(
    ("resources", "why"),
    [
        ({}, "the pod is not Guaranteed: container c0 has no cpu limit"),
        ({"limits": {"cpu": "2"}}, "the pod is not Guaranteed: container c0 has no memory limit"),
        ({"requests": {"cpu": "2", "memory": "1Gi"}}, "the pod is not Guaranteed: container c0 has no cpu limit"),
        ({"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1"}},
         "the pod is not Guaranteed: container c0 has a cpu request of 1 and a limit of 2"),
        (limits("2500m"), "its request 2500m is not a whole number of CPUs"),
    ],
)  # fmt: skip
def test_why_a_container_runs_in_the_shared_pool(resources: dict[str, Any], why: str) -> None:
    answer = take(pod([resources]))
    assert (answer.admitted, cpus(answer)) == (True, [""])
    assert answer.outcomes[0].containers[0].shared_because == why
    assert "it runs in the shared pool" in " ".join(render(answer).split())


def test_a_number_may_be_a_quantity() -> None:
    assert cpus(take(asked_pod("2000m"))) == cpus(take(2)) == ["1,5"]
    shared = take(asked_pod("1500m")).outcomes[0].containers[0]
    assert shared.shared_because == "its request 1500m is not a whole number of CPUs"


def test_requests_that_are_limits_in_other_words_are_guaranteed() -> None:
    same = {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "2000m", "memory": "1024Mi"}}
    assert cpus(take(pod([same]))) == ["1,5"]
    # Up to 1.15 init containers do not count.
    unlimited = pod([same], [{"resources": {}}])
    assert cpus(take(unlimited, release="1.15.11")) == ["", "1,5"]
    assert cpus(take(unlimited, release="1.16.15")) == ["", ""]


def test_a_pod_with_resources_of_its_own() -> None:
    own = pod([limits("2")], resources=limits("2"))
    assert cpus(take(own, release="1.33.13")) == ["1,5"]
    answer = take(own, release="1.35.6")
    assert answer.outcomes[0].containers[0].shared_because == "the pod has resources of its own (spec.resources)"


def test_the_policy_none_gives_no_cpus() -> None:
    assert take(2, policy="none").outcomes[0].containers[0].shared_because == "the policy is none"
    off = take(2, feature_gates="CPUManager=false", release="1.25.12")
    assert off.outcomes[0].containers[0].shared_because == "the gate CPUManager is off"


# --- The state, and the topology manager


def test_what_a_state_file_leaves_is_given() -> None:
    answer = take(2, state=V2)
    assert (cpus(answer), answer.state, answer.pool) == (["1,6"], "f", "0-1,6-7")
    assert answer.outcomes[0].containers[0].free == "1,6-7"
    uid = json.loads((DATA / "cpu-state-v2.json").read_text())["entries"].popitem()[0]
    there = pod_in(
        json.dumps({"kind": "Pod", "metadata": {"uid": uid}, "spec": {"containers": [
            {"name": "db", "resources": limits("2")}]}}).encode(), "f",
    )  # fmt: skip
    running = take(there, state=V2)
    assert cpus(running) == ["4-5"]
    assert running.outcomes[0].containers[0].present
    old = take(2, state=v1("0-1,6-7", {"abc": "2-3", "def": "4-5"}), release="1.17.17")
    assert cpus(old) == ["1,6"]


def test_a_kubelet_that_does_not_start_gives_nothing() -> None:
    answer = take(2, state=v2("0-3", {}))
    assert not answer.admitted
    assert answer.refusals == ('current set of available CPUs "0-7" doesn\'t match with CPUs in state "0-3"',)
    assert answer.outcomes == ()
    assert "would not start with this configuration and state" in render(answer)


def test_a_hint_keeps_cpus_on_its_nodes() -> None:
    assert cpus(take(2, hint="1")) == ["2,6"]
    assert take(2, hint="1").fits == ()
    assert cpus(take(6, hint="1")) == ["1-3,5-7"]
    answer = take(4, topology_manager_policy="best-effort")
    first = answer.outcomes[0].containers[0]
    # Node 0 has three free CPUs.
    assert (first.hint, first.hints) == ((1,), (((1,), True), ((0, 1), False)))
    assert any("if the CPU manager alone has hints" in note for note in answer.notes)
    assert not any("hints" in note for note in take(4, topology_manager_policy="best-effort", hint="1").notes)
    # Up to 1.17 a gate keeps the topology manager off; then the kubelet refuses its policy.
    assert "requires feature gate" in take(4, topology_manager_policy="best-effort", release="1.17.17").refusals[0]


@pytest.mark.parametrize(
    ("number", "policy", "refused"),
    [
        (4, "single-numa-node", False),
        (5, "single-numa-node", True),
        (5, "restricted", False),
        (5, "best-effort", False),
    ],
)
def test_the_topology_manager_refuses_what_no_node_has(number: int, policy: str, refused: int) -> None:
    answer = take(number, topology_manager_policy=policy)
    assert answer.admitted == (not refused)
    if refused:
        assert refusal(answer) == ("Resources cannot be allocated with Topology locality", "TopologyAffinityError")


@pytest.mark.parametrize(
    ("release", "policy", "refused"),
    [("1.17.17", "none", 1), ("1.18.20", "none", 0), ("1.18.20", "restricted", 1), ("1.28.14", "restricted", 1)],
)
def test_the_topology_manager_refuses_many_nodes(release: str, policy: str, refused: int) -> None:
    machine, gate = table((cpu, cpu, cpu // 2, cpu) for cpu in range(9)), "TopologyManager=true"
    answer = take(2, machine, topology_manager_policy=policy, feature_gates=gate, release=release)
    assert answer.refusals == ("unsupported on machines with more than 8 NUMA Nodes",) * refused
    many = table((cpu, cpu, 0, cpu) for cpu in range(17))
    with pytest.raises(InputError, match="17 NUMA nodes, with too many sets of them: expected at most 16"):
        take(2, many, policy_options="distribute-cpus-across-numa=true", feature_gates=ALPHA)
    assert cpus(take(2, many)) == ["1-2"]


def test_of_equal_hints_the_smaller_bitmask_is_chosen() -> None:
    hints = [TopologyHint(mask, preferred) for mask, preferred in (((0, 3), True), ((1, 2), True), ((0,), False))]
    assert chosen(hints, "best-effort") == TopologyHint((1, 2), True)
    assert chosen(hints, "single-numa-node") is None
    assert chosen([], "best-effort") is None


# --- The command, and files that are no pod


DEPLOYMENT = """\
apiVersion: v1
kind: Namespace
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - {name: app, resources: {limits: {cpu: 2, memory: 1Gi}}}
"""


def command(capsys: Captured, *args: str) -> tuple[int, str, str]:
    status = run(lambda: app(["cpu-take", *args], prog_name="kubeproof", standalone_mode=False))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_the_command(capsys: Captured, tmp_path: Path) -> None:
    file, machine = tmp_path / "web.yaml", str(DATA / "lscpu-2.38-two-sockets.json")
    file.write_text(DEPLOYMENT)
    given = ("--topology", machine, "--reserved-cpus", "0", "--release", "1.31.13")
    status, out, err = command(capsys, str(file), *given)
    assert (status, err) == (0, "")
    assert out.startswith("A kubelet of 1.31.13 gives CPUs 1,5 to pod of")
    status, out, _ = command(capsys, "8", *given, "--json")
    assert status == 1
    assert json.loads(out)["outcomes"][0]["containers"][0]["reason"] == "UnexpectedAdmissionError"
    assert json.loads(out) == json.loads(json.dumps(to_json(take(8)) | {"pod": "a container of 8 CPUs"}))
    state = str(DATA / "cpu-state-v2.json")
    assert command(capsys, "2", *given, "--state", state)[1].startswith("A kubelet of 1.31.13 gives CPUs 1,6")
    for args, says in (
        (("2",), "--topology: missing"),
        (("2", "--topology", machine), "--reserved-cpus: missing"),
        (("0", *given), "0: not a number of CPUs: expected one from 1 to 8192"),
        (("2", *given, "--hint", "7"), "--hint: 7: the machine has no such NUMA node: expected some of 0, 1"),
        (("2", *given, "--cpus", "0-7"), "expected one of the two"),
        ((state, *given), "this is a cpu_manager_state: expected a pod"),
        (("-", *given, "--state", "-"), "standard input is the pod already"),
        ((str(tmp_path / "none"), *given), "cannot be read"),
    ):
        status, out, err = command(capsys, *args)
        assert (status, out, err.count("\n")) == (2, "", 1), args
        assert says in err, args


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "f: the file is empty: expected a pod"),
        ("a: 1", "f: not a pod: expected a pod, a workload with a pod template, or a number of CPUs"),
        ('{"kind":"PodList","items":[{"spec":{}},{"spec":{}}]}', "f: 2 pods: expected one"),
        ('{"kind":"Pod","spec":{}}', "f: spec.containers: missing"),
        ('{"kind":"Pod","spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"x"}}}]}}',
         "f: spec.containers[0].resources.limits.cpu: expected a quantity"),
        ('{"kind":"Pod","spec":{"containers":[{"name":"a"},{"name":"a"}]}}', "f: spec: two containers have one name"),
        ('{"kind":"CronJob","spec":{"jobTemplate":{"spec":{"template":{"spec":{}}}}}}',
         "f: spec.jobTemplate.spec.template.spec.containers: missing"),
    ],
)  # fmt: skip
def test_what_is_no_pod_gets_one_line(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        pod_in(text.encode(), "f")
    assert str(caught.value).startswith(said)
