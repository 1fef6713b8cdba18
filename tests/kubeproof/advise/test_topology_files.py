"""Machines read from lscpu and from cAdvisor's MachineInfo, and what is said of files that are neither."""

import json
import re

import pytest

from kubeproof.advise.cpu_state.topology_files import from_topology_text
from kubeproof.errors import InputError
from model.cpu.discover import discover_nodes_as_sockets, discover_uncore_caches
from model.cpu.topology import CPUTopology, regular
from tests.conftest import DATA

NUMACTL = "available: 2 nodes (0-1)\nnode 0 cpus: 0 1 4 5\nnode 0 size: 9 MB\nnode 1 cpus: 2 3 6 7\n"


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
    with pytest.raises(InputError, match=r"a bare lscpu does not say which CPUs share.*lscpu -e=.*--cpus 0-"):
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
        ("", "FILE: empty: expected the output of"),
        ("{", "FILE: line 1, column 2: not JSON"),
        ("hello", "FILE: not a description of a machine: expected the output of"),
        ("CPU NODE SOCKET\n", "FILE: line 1 has no 'core': expected the output of `lscpu -e="),
        ("CPU CORE SOCKET\n  0 0\n", "FILE: line 2: 2 cells under 3 titles"),
        ("CPU CORE SOCKET\n  0 0 x\n", "FILE: line 2: 'socket' is \"x\""),
        ("CPU CORE SOCKET\n0 0 0\n\n0 0 0\n", "FILE: line 4: CPU 0 is there twice"),
        ("# CPU,Core\n0,0\n", "FILE: line 1 has no 'socket'"),
        ("0,0,0,0,,0,0,0\n", "FILE: line 1: no titles: expected the lines of the output of lscpu -p with #"),
        (NUMACTL, "of numactl -H does not say which CPUs share a core: expected that of `lscpu -e="),
        (NUMACTL, "or --cpus 0-7 for its CPUs alone"),
        ("cpu0/topology/core_id:0\n", "FILE: cpu0 has no physical_package_id: expected the output of `grep ."),
        ("processor\t: 0\nphysical id\t: 0\n", "FILE: this is /proc/cpuinfo: expected the output of"),
        ('{"policyName":"none","defaultCpuSet":"","checksum":1}', "FILE: this is a cpu_manager_state: expected"),
        ("[]", "FILE: not a JSON object"),
        ("[" * 100_000, "FILE: not JSON that can be read"),
        ('{"cpus": %s}' % ("9" * 5000), "FILE: not JSON that can be read"),
        ("{}", "FILE: not a description of a machine"),
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
        (entry(online=3), "'online' is 3: expected true or false"),
        (entry(online=False), "FILE: no CPU is online"),
        ('{"lscpu": {}}', "FILE: 'lscpu' is {}: expected a list of fields"),
        ('{"lscpu": []}', "FILE: a bare lscpu does not say"),
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


# The machine of lscpu-2.38-two-sockets.json in each form that people have it in.
TABLE = """\
[root@node ~]# lscpu -e
SOCKET CPU NODE CORE L1d:L1i:L2:L3 ONLINE    MAXMHZ
     0   0    0    0 0:0:0:0          oui 3200.0000
     0   1    0    1 1:1:1:0          oui 3200.0000
     1   2    1    0 2:2:2:1          oui 3200.0000
     1   3    1    1 3:3:3:1          oui 3200.0000
     0   4    0    0 0:0:0:0          oui 3200.0000
     0   5    0    1 1:1:1:0          oui 3200.0000
     1   6    1    0 2:2:2:1          oui 3200.0000
     1   7    1    1 3:3:3:1          oui 3200.0000
     -   8    -    - -:-:-:-          non 3200.0000
[root@node ~]# exit
"""
PARSABLE = """\
# Das Folgende ist das verwertbare Format
# CPU,Core,Socket,Node,,L1d,L1i,L2,L3
0,0,0,0,,0,0,0,0
1,1,0,0,,1,1,1,0
2,0,1,1,,2,2,2,1
3,1,1,1,,3,3,3,1
4,0,0,0,,0,0,0,0
5,1,0,0,,1,1,1,0
6,0,1,1,,2,2,2,1
7,1,1,1,,3,3,3,1
8,,,,,,,,
"""
LISTING = "".join(
    f"/sys/devices/system/cpu/cpu{cpu}/topology/{name}:{value}\n"
    for cpu in range(8)
    for name, value in (
        ("core_cpus", "f"), ("core_id", cpu % 2), ("physical_package_id", cpu // 2 % 2),
        ("thread_siblings_list", f"{cpu % 4},{cpu % 4 + 4}"),
    )
)  # fmt: skip
NODES = "/sys/devices/system/node/node0/cpulist:0-1,4-5\n/sys/devices/system/node/node1/cpulist:2-3,6-7\n"


def tail(listing: str) -> str:
    return "".join("==> {} <==\n{}\n\n".format(*line.split(":")) for line in listing.splitlines())


@pytest.mark.parametrize(
    "text",
    [
        TABLE, PARSABLE, LISTING + NODES, NUMACTL + LISTING, LISTING.replace("/sys/devices/system/cpu/", "") + NODES,
        tail(LISTING + NODES), LISTING + NODES + "/sys/devices/system/cpu/cpu8/topology/core_id:9\n"
        "/sys/devices/system/cpu/cpu8/online:0\n/sys/devices/system/cpu/online:0-7\n",
    ],
)  # fmt: skip
def test_what_people_paste_is_the_machine_that_it_was(text: str) -> None:
    assert from_topology_text(text) == from_topology_text(text_of("lscpu-2.38-two-sockets.json")) == regular(2, 1, 2, 2)


def test_the_summary_as_text_is_that_of_json() -> None:
    fields = json.loads(text_of("lscpu-2.39-summary.json"))["lscpu"]
    flat = [*fields, *(child for field in fields for child in field.get("children", []))]
    flat += [child for field in flat for child in field.get("children", [])]
    text = "".join(f"{field['field']:<30} {field['data']}\n" for field in flat)
    assert "On-line CPU(s) list:" in text
    assert from_topology_text(text) == from_topology_text(text_of("lscpu-2.39-summary.json"))


def logged(text: str, start: str = 'I0701 cpu_manager.go:113] "Detected CPU topology" topology=') -> CPUTopology:
    return from_topology_text(f"a line before\n{start}{text}\na line after\n")


def test_the_kubelets_own_log_has_the_machine() -> None:
    """#79603 (1.14), #124066, and the log of 1.34 and later."""
    cpus = regular(2, 1, 2, 2).rows
    old = " ".join(f"{cpu}:{{{socket} {core}}}" for cpu, core, socket, _ in cpus)
    assert logged(f"&{{8 4 2 map[{old}]}}", "[cpumanager] detected CPU topology: ") == regular(2, 1, 2, 2)
    bare = " ".join(f"{cpu}:{{{node} {socket} {core}}}" for cpu, core, socket, node in cpus)
    assert logged(f"&{{8 4 2 map[{bare}]}}", "[cpumanager] detected CPU topology: ") == regular(2, 1, 2, 2)
    named = " ".join(f"{cpu}:{{NUMANodeID:{node} SocketID:{socket} CoreID:{core}}}" for cpu, core, socket, node in cpus)
    text = f"&{{NumCPUs:8 NumCores:4 NumSockets:2 NumNUMANodes:2 CPUDetails:map[{named}]}}"
    assert logged(text) == regular(2, 1, 2, 2)
    details = {
        str(cpu): {"NUMANodeID": node, "SocketID": socket, "CoreID": core, "UncoreCacheID": core // 2 + 8}
        for cpu, core, socket, node in cpus
    }
    counts = {"NumCPUs": 8, "NumCores": 4, "NumUncoreCache": 2, "NumSockets": 2, "NumNUMANodes": 2}
    found = logged(json.dumps(counts | {"CPUDetails": details}))
    assert (found.rows, found.uncore) == (cpus, (8, 8, 9, 9, 8, 8, 9, 9))
    # A kubelet counts in its own way.
    assert logged(text.replace("NumSockets:2", "NumSockets:4")).num_sockets == 4
    with pytest.raises(InputError, match="line 2: 7 of 8 CPUs in the topology: expected the whole line of the log"):
        logged(text[:-10])


def test_several_sockets_without_numa_nodes_are_not_guessed() -> None:
    with pytest.raises(InputError, match="several sockets, and no NUMA nodes: expected the output of `grep"):
        from_topology_text(LISTING)


def test_an_l3_cache_of_a_part_of_a_node_is_an_uncore_cache_from_1_32_on() -> None:
    rows = [f"{cpu} {cpu} 0 0 {cpu}:{cpu}:{cpu}:{cpu // 2}" for cpu in range(4)]
    text = "\n".join(["CPU CORE SOCKET NODE L1d:L1i:L2:L3", *rows])
    assert from_topology_text(text, rule=discover_uncore_caches).uncore == (0, 0, 1, 1)
    assert from_topology_text(text).uncore == ()
    whole = text.replace(":1\n", ":0\n").removesuffix(":1") + ":0"
    assert from_topology_text(whole, rule=discover_uncore_caches).uncore == ()
    listing = "".join(
        f"cpu{cpu}/topology/{name}:{value}\n" for cpu in range(4)
        for name, value in (("core_id", cpu), ("physical_package_id", 0))
    ) + "".join(f"cpu{cpu}/cache/index3/id:{cpu // 2}\n" for cpu in range(4))  # fmt: skip
    assert from_topology_text(listing, rule=discover_uncore_caches).uncore == (0, 0, 1, 1)
    told = info(uncore_caches=[{"id": 7, "size": 1, "level": 3}])
    assert from_topology_text(told, rule=discover_uncore_caches).uncore == (7, 7)


@pytest.mark.parametrize(
    ("listed", "expected"),
    [("5-2", '"5-2" is not a range'), ("0-999999999", "is 999999999"), ("0-1-2", "not a range"), ("a", 'is "a"')],
)
def test_lists_in_a_summary_are_checked(listed: str, expected: str) -> None:
    fields = {"Thread(s) per core:": "1", "Socket(s):": "1", "On-line CPU(s) list:": listed}
    text = json.dumps({"lscpu": [{"field": field, "data": data} for field, data in fields.items()]})
    with pytest.raises(InputError, match=re.escape(expected)):
        from_topology_text(text)
