"""Machines read from lscpu and from cAdvisor's MachineInfo, and what is said of files that are neither."""

import json
import re

import pytest

from kubeproof.advise.cpu_state.topology_files import from_topology_text
from kubeproof.errors import InputError
from model.cpu.discover import discover_nodes_as_sockets
from model.cpu.topology import CPUTopology, regular
from tests.conftest import DATA


def text_of(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def test_offline_siblings_printed_as_bare_dashes_are_left_out() -> None:
    text = text_of("lscpu-2.38-smt-off.json")
    assert '"core": -,' in text
    assert from_topology_text(text) == regular(1, 1, 4, 1)


def test_core_ids_that_repeat_in_each_socket_are_told_apart() -> None:
    machine = from_topology_text(text_of("lscpu-2.38-two-sockets.json"))
    assert machine == regular(2, 1, 2, 2)
    assert machine.num_cores == 4


def test_quoted_values_and_no_node_column() -> None:
    machine = from_topology_text(text_of("lscpu-2.32-hybrid.json"))
    assert machine.rows == ((0, 0, 0, 0), (1, 0, 0, 0), (2, 2, 0, 0), (3, 2, 0, 0), (4, 4, 0, 0), (5, 5, 0, 0))


def test_a_bare_summary_is_taken_where_it_leaves_one_reading() -> None:
    machine = from_topology_text(text_of("lscpu-2.39-summary.json"))
    assert machine == CPUTopology.of([(0, 0, 0, 0), (1, 1, 0, 0), (2, 2, 0, 0), (3, 3, 0, 1), (5, 5, 0, 1)])
    with pytest.raises(InputError, match=r"the topology: a bare lscpu -J does not say which CPUs share.*lscpu -J -e="):
        from_topology_text(text_of("lscpu-2.39-summary-smt.json"))


def test_machine_info() -> None:
    assert from_topology_text(text_of("machine-info-1s-2n.json")) == regular(1, 2, 2, 2)
    hybrid = from_topology_text(text_of("machine-info-hybrid.json"))
    assert (hybrid.num_cpus, hybrid.num_cores, hybrid.cpus_per_core()) == (6, 4, 1)


def test_a_machine_info_that_names_no_sockets_has_one_for_each_node() -> None:
    old = from_topology_text(text_of("machine-info-1.13.json"), rule=discover_nodes_as_sockets)
    assert old == from_topology_text(text_of("machine-info-1.13.json")) == regular(2, 1, 2, 2)


def entry(**changed: object) -> str:
    return json.dumps({"cpus": [{"cpu": 0, "core": 0, "socket": 0, "node": 0, "online": True, **changed}]})


def info(**changed: object) -> str:
    core = {"core_id": 0, "thread_ids": [0, 1], "socket_id": 0, **changed}
    return json.dumps({"num_cores": 2, "num_sockets": 1, "topology": [{"node_id": 0, "cores": [core]}]})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "FILE: line 1, column 1: not JSON (Expecting value): expected the output of"),
        ("CPU NODE SOCKET\n", "FILE: line 1, column 1: not JSON"),
        ("[]", "FILE: not a JSON object"),
        ("[" * 100_000, "FILE: not JSON that can be read"),
        ('{"cpus": %s}' % ("9" * 5000), "FILE: not JSON that can be read"),
        ("{}", "FILE: no 'cpus' and no 'topology'"),
        ('{"cpus": 3}', "FILE: 'cpus' is 3: expected a list of CPUs"),
        ('{"cpus": []}', "FILE: no CPU is online"),
        ('{"cpus": [7]}', "FILE: entry 1 of 'cpus' is 7: expected an object"),
        ('{"cpus": [{"cpu": 0}]}', "FILE: entry 1 of 'cpus' has no 'core'"),
        ('{"cpus": [{"cpu": 0, "core": 0, "socket": 0}, {"cpu": 0, "core": 1, "socket": 0}]}',
         "FILE: entry 2 of 'cpus': CPU 0 is there twice"),
        (entry(cpu=-1), "FILE: entry 1 of 'cpus': 'cpu' is -1: expected a number from 0 to 8191"),
        (entry(cpu=True), "'cpu' is true"),
        (entry(cpu=999_999_999), "'cpu' is 999999999"),
        (entry(core=None), "'core' is null"),
        (entry(node="x" * 99), "'node' is \"" + "x" * 36 + "...: expected"),
        (entry(online="да"), "'online' is \"\\u0434\\u0430\": expected true or false (LC_ALL=C lscpu ...)"),
        (entry(online=False), "FILE: no CPU is online"),
        ('{"lscpu": {}}', "FILE: 'lscpu' is {}: expected a list of fields"),
        ('{"lscpu": []}', "FILE: a bare lscpu -J does not say"),
        ('{"topology": 1}', "FILE: 'topology' is 1: expected a list of NUMA nodes"),
        ('{"topology": [{}]}', "FILE: entry 1 of 'topology': 'node_id' is null"),
        ('{"topology": []}', "FILE: 'num_cores' is null"),
        ('{"topology": [], "num_cores": 0}', "FILE: the kubelet refuses this machine: could not detect number of cpus"),
        (info(thread_ids=3), "FILE: entry 1 of 'topology': core 1: 'thread_ids' is 3"),
        (info(thread_ids=["a"]), "core 1: 'thread_ids' is \"a\""),
        (info(thread_ids=None), "FILE: the kubelet refuses this machine: no cpus provided"),
        (info(thread_ids=[1, 1]), "FILE: the kubelet refuses this machine: cpus provided are not unique"),
        (info(socket_id=[]), "core 1: 'socket_id' is []"),
    ],
)  # fmt: skip
def test_what_is_no_machine_gets_one_line(text: str, expected: str) -> None:
    with pytest.raises(InputError, match=re.escape(expected)) as caught:
        from_topology_text(text, "FILE")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("FILE: ")


@pytest.mark.parametrize(
    ("listed", "expected"),
    [("5-2", '"5-2" is not a range'), ("0-999999999", 'is "999999999"'), ("0-1-2", "not a range"), ("a", 'is "a"')],
)
def test_lists_in_a_summary_are_checked(listed: str, expected: str) -> None:
    fields = {"Thread(s) per core:": "1", "Socket(s):": "1", "On-line CPU(s) list:": listed}
    text = json.dumps({"lscpu": [{"field": field, "data": data} for field, data in fields.items()]})
    with pytest.raises(InputError, match=re.escape(expected)):
        from_topology_text(text)
