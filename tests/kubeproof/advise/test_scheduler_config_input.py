"""What `kubeproof scheduler-config` takes and refuses: each refusal is one line with the file, the place, the mend."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubeproof.advise.scheduler_config.decoding import parse_duration
from kubeproof.advise.scheduler_config.reading import read_files
from kubeproof.cli import app, run
from kubeproof.errors import InputError
from tests.conftest import DATA
from tests.kubeproof.advise.scheduler_configs import asker, configuration, enabled, extender, plugins, policy

Captured = pytest.CaptureFixture[str]
GPUSHARE = (DATA / "scheduler-config-gpushare.yaml").read_text()
POD = (DATA / "scheduler-config-pod.yaml").read_text()


def config_map(*texts: str) -> str:
    data = {f"key{number}": text for number, text in enumerate(texts)}
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "data": data})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty: expected a KubeSchedulerConfiguration"),
        ("# nothing\n", "top level: expected a KubeSchedulerConfiguration"),
        ("- a\n- b\n", "top level: expected a KubeSchedulerConfiguration"),
        ("[]", "top level: expected a KubeSchedulerConfiguration"),
        (GPUSHARE + "---\n" + GPUSHARE, "line 17: a second document begins: expected one, "),
        (GPUSHARE + "---\n# nothing\n---\n" + GPUSHARE, "line 17: a second document begins: expected one, "),
        (GPUSHARE.replace("  filterVerb", "\tfilterVerb"), "line 9: a tab before the text: expected spaces"),
        ('{"kind": "KubeSchedulerConfiguration", ', "the file ends in the middle of the JSON"),
        (
            '{"apiVersion": "apps/v1", "kind": "Service"}',
            "kind: expected KubeSchedulerConfiguration, ConfigMap, Pod, Deployment or",
        ),
        (
            '{"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}',
            "kind: expected KubeSchedulerConfiguration, ConfigMap, Pod, Deployment or Policy, found 'Kubelet",
        ),
        (
            "apiVersion: v1\n",
            "kind: expected KubeSchedulerConfiguration, ConfigMap, Pod, Deployment or Policy, found nothing",
        ),
        ("kind: KubeSchedulerConfiguration\n", "apiVersion: expected kubescheduler.config.k8s.io/VERSION, found"),
        (
            "apiVersion: v1\nkind: KubeSchedulerConfiguration\n",
            "apiVersion: expected kubescheduler.config.k8s.io/VERSION",
        ),
        # YAML reads this key as true.
        (
            "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nyes: 1\n",
            ": true: not a field of KubeSchedulerConfiguration v1",
        ),
        (config_map(), "data: expected one key with a KubeSchedulerConfiguration or a Policy, found 0"),
        (
            config_map(GPUSHARE, GPUSHARE),
            "data: expected one key with a KubeSchedulerConfiguration or a Policy, found 2",
        ),
        (config_map(GPUSHARE + "---\n" + GPUSHARE), "data['key0']: line 17: a second document begins"),
        ('{"kind": "List", "items": []}', "items: expected one object, found 0"),
        (
            POD.replace("- kube-scheduler\n", "- etcd\n").replace("k8s.gcr.io/kube-scheduler", "etcd"),
            "no container runs",
        ),
        (POD.replace(":v1.23.3", ":v1.12.3"), "the image's tag: release 'v1.12.3' is outside the modelled range"),
    ],
)
def test_what_is_no_configuration_is_refused_in_one_line(
    tmp_path: Path, capsys: Captured, text: str, said: str
) -> None:
    path = tmp_path / "file.yaml"
    path.write_text(text)
    assert run(lambda: app(["scheduler-config", str(path)], prog_name="kubeproof", standalone_mode=False)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert f"{path}: " in err
    assert said in err


def test_an_image_newer_than_every_model_is_judged_as_the_newest(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "file.yaml"
    path.write_text(POD.replace(":v1.23.3", ":v1.99.3"))
    run(lambda: app(["scheduler-config", str(path)], prog_name="kubeproof", standalone_mode=False))
    assert "1.99.3 is newer than every model: judged as" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("document", "release", "said"),
    [
        (
            configuration(extender=[]),
            "1.31",
            ": extender: not a field of KubeSchedulerConfiguration v1 in 1.31: expected",
        ),
        (configuration(extenders=[extender(enableHttps=True)]), "1.31", "extenders[0].enableHttps: not a field of"),
        (
            policy(extenders=[extender(enableHTTPS=True)]),
            "1.22",
            "extenders[0].enableHTTPS: not a field of extenders[]",
        ),
        (
            configuration(profiles=[plugins(filters=enabled("NodeName"))]),
            "1.31",
            "plugins.filters: not a field of plugins of KubeSchedulerConfiguration v1 in 1.31: expected one of",
        ),
        # A field that another release, or another version, has.
        (
            configuration("v1beta2", profiles=[plugins(multiPoint={})]),
            "1.22",
            "plugins.multiPoint: not a field of plugins",
        ),
        (configuration(profiles=[plugins(preEnqueue={})]), "1.25", "plugins.preEnqueue: not a field of plugins"),
        (configuration(profiles=[{"percentageOfNodesToScore": 5}]), "1.25", "percentageOfNodesToScore: not a field"),
        (configuration(delayCacheUntilActive=True), "1.27", "delayCacheUntilActive: not a field of KubeSchedulerConf"),
        # Go has 32 bits for these numbers, and 64 for others.
        (
            configuration(profiles=[plugins(score={"enabled": [{"name": "NodeResourcesFit", "weight": 2**31}]})]),
            "1.31",
            "enabled[0].weight: expected a whole number of 32 bits, found the number 2147483648",
        ),
        (configuration(percentageOfNodesToScore=2**32), "1.31", "percentageOfNodesToScore: expected a whole number of"),
        (configuration(parallelism=-(2**31) - 1), "1.31", "parallelism: expected a whole number of 32 bits"),
        (
            configuration("v1beta1", parallelism=2),
            "1.19",
            "parallelism: not a field of KubeSchedulerConfiguration v1beta1",
        ),
        (configuration("v1beta3", disablePreemption=True), "1.28", "disablePreemption: not a field of"),
        (configuration("v1alpha1", plugins={}), "1.14", "plugins: not a field of KubeSchedulerConfiguration v1alpha1"),
        # Another type.
        (configuration(extenders={}), "1.31", "extenders: expected a list, found a mapping"),
        (configuration(extenders=["x"]), "1.31", "extenders[0]: expected a mapping, found a string"),
        (
            configuration(extenders=[extender(httpTimeout=30)]),
            "1.31",
            "extenders[0].httpTimeout: expected a duration with its unit, such as 5s, found the number 30",
        ),
        (configuration(extenders=[extender(httpTimeout="30")]), "1.31", "such as 5s, found '30'"),
        (
            configuration(extenders=[extender(ignorable="yes")]),
            "1.31",
            "extenders[0].ignorable: expected true or false",
        ),
        (policy(extenders=[extender(httpTimeout="5s")]), "1.22", "expected a whole number of nanoseconds"),
        (configuration(percentageOfNodesToScore="50%"), "1.31", "percentageOfNodesToScore: expected a whole number"),
        (configuration(percentageOfNodesToScore=2**80), "1.31", "percentageOfNodesToScore: expected a whole number"),
        (configuration(profiles=[plugins(filter={"enabled": [{}]})]), "1.31", "filter.enabled[0].name: missing"),
        (configuration(profiles=[{"pluginConfig": [{"name": "x", "args": []}]}]), "1.31", "args: expected a mapping"),
        (configuration(), "1.12", "--release: release '1.12' is outside the modelled range"),
    ],
)
def test_a_field_that_the_release_does_not_have(tmp_path: Path, document: Any, release: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        asker(tmp_path)(document, release)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_line_of_hyphens_at_the_end_is_no_document(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.yaml"
    file.write_text(GPUSHARE + "---\n\n# nothing\n")
    given = read_files([file])
    assert given.document is not None
    assert given.document.version == "v1"


def test_null_is_no_value(tmp_path: Path) -> None:
    document = configuration(extenders=None, profiles=[{"plugins": None, "pluginConfig": None}], parallelism=None)
    assert asker(tmp_path)(document, "1.31").verdict == "none"


@pytest.mark.parametrize("form", ["yaml", "json", "ConfigMap", "List"])
def test_the_same_configuration_in_four_forms(tmp_path: Path, form: str) -> None:
    document = yaml.safe_load(GPUSHARE)
    text = {
        "yaml": GPUSHARE,
        "json": json.dumps(document),
        "ConfigMap": config_map(GPUSHARE).replace('"key0"', '"other": "x", "key0"'),
        "List": json.dumps({"kind": "List", "items": [json.loads(config_map(json.dumps(document)))]}),
    }[form]
    path = tmp_path / "file"
    path.write_text(text)
    given = read_files([path]).document
    assert given is not None
    assert (given.version, given.value) == ("v1", document)


def test_two_configurations_or_two_schedulers_are_refused(tmp_path: Path) -> None:
    config, pod = str(DATA / "scheduler-config-gpushare.yaml"), str(DATA / "scheduler-config-pod.yaml")
    with pytest.raises(InputError, match="a second configuration beside"):
        read_files([config, config])
    with pytest.raises(InputError, match="a second scheduler beside"):
        read_files([pod, pod])
    with pytest.raises(InputError, match="standard input can be read only once"):
        read_files(["-", "-"])
    with pytest.raises(InputError, match="9 files: expected at most 8"):
        read_files([config] * 9)


@pytest.mark.parametrize("nodes", ["0", "-1", "x", "10000000", "1.5", ""])
def test_nodes_that_are_none(tmp_path: Path, nodes: str) -> None:
    with pytest.raises(InputError, match="expected"):
        asker(tmp_path)(configuration(), "1.31", nodes)


def test_flags_of_the_pod(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "pod.yaml"
    path.write_text(POD.replace("    - --config=/etc/kubernetes/scheduler-policy-config.yaml\n", ""))
    args = ["scheduler-config", str(path)]
    assert run(lambda: app(args, prog_name="kubeproof", standalone_mode=False)) == 0
    assert "none: the defaults" in capsys.readouterr().out
    path.write_text(POD.replace("--config=", "--policy-config-file="))
    assert run(lambda: app(args, prog_name="kubeproof", standalone_mode=False)) == 1
    assert "unknown flag: --policy-config-file" in capsys.readouterr().out
    assert run(lambda: app([*args, "-r", "1.22"], prog_name="kubeproof", standalone_mode=False)) == 3
    # A flag and its value in two words.
    path.write_text(POD.replace("--config=", "--feature-gates\n    - A=true\n    - --config="))
    assert run(lambda: app(args, prog_name="kubeproof", standalone_mode=False)) == 3
    assert "not looked at: A of --feature-gates" in capsys.readouterr().out


def test_a_pod_that_runs_the_entrypoint_of_its_image_has_no_flags(tmp_path: Path) -> None:
    document = yaml.safe_load(POD)
    for container in document["spec"]["containers"]:
        container.pop("command", None)
        container.pop("args", None)
    path = tmp_path / "pod.json"
    path.write_text(json.dumps(document))
    flags = read_files([path]).flags
    assert flags is not None
    assert (flags.flags, flags.version) == ({}, "v1.23.3")


def test_half_a_character_in_a_config_map_is_read_as_go_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "map.json"
    path.write_text(config_map(f"{GPUSHARE}# \ud800 and \U0001f600\n"))
    assert read_files([path]).document is not None


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("5s", 5 * 10**9),
        ("1m30s", 90 * 10**9),
        ("1.5h", 5400 * 10**9),
        (".5s", 5 * 10**8),
        ("100us", 10**5),
        ("-1s", -(10**9)),
        ("0", 0),
        ("", None),
        ("-", None),
        ("s", None),
        (".s", None),
        ("5", None),
        ("5 s", None),
        ("99999999999h", None),
    ],
)
def test_durations_as_go_reads_them(text: str, nanoseconds: int | None) -> None:
    assert parse_duration(text) == nanoseconds


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_a_field_that_is_there_twice(tmp_path: Path, form: str) -> None:
    """Go's strict decoder refuses it; of a YAML reader the last one would count."""
    path = tmp_path / "file"
    path.write_text(
        GPUSHARE.replace("  bindVerb: bind\n", "  bindVerb: bind\n  filterVerb: other\n")
        if form == "yaml"
        else '{"apiVersion": "v1", "kind": "Policy",\n"extenders": [], "extenders": []}'
    )
    said = r"line 11: 'filterVerb' a second time" if form == "yaml" else r"line 2: 'extenders' a second time"
    with pytest.raises(InputError, match=said):
        read_files([path])
