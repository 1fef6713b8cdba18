"""The machine as the CPU manager sees it: who shares a core, a socket, a NUMA node; what each release discovers."""

import pytest
from hypothesis import given, strategies as st

from model.cpu.discover import Core, MachineInfo, Node, TopologyRules, discover, discover_uncore_caches
from model.cpu.topology import CPUInfo, CPUTopology, regular
from model.go.errors import GoError
from model.releases import parse_release, rules_for

# Socket 0 has cores {0, 4} and {1}, socket 1 has {2, 6} and {3, 7}; CPU 5 is offline.
IRREGULAR = CPUTopology.of(
    [(0, 0, 0, 0), (4, 0, 0, 0), (1, 1, 0, 0), (2, 2, 1, 1), (6, 2, 1, 1), (3, 3, 1, 2), (7, 3, 1, 2)]
)


def test_details_answer_for_the_cpus_that_are_kept() -> None:
    details = IRREGULAR.cpu_details.keep_only(frozenset({1, 4, 7, 99}))
    assert details.cpus == {1, 4, 7}
    assert (details.cores(), details.sockets(), details.numa_nodes()) == ({0, 1, 3}, {0, 1}, {0, 2})
    assert details.cpus_in_cores(0) == {4}
    assert details.cpus_in_cores(0, 3, 77) == {4, 7}
    assert details.cpus_in_sockets(0) == {1, 4}
    assert details.cpus_in_numa_nodes(1) == frozenset()
    assert details.cores_in_sockets(1) == {3}
    assert details.cores_in_numa_nodes(0) == {0, 1}
    assert details.numa_nodes_in_sockets(0, 1) == {0, 2}
    assert details.sockets_in_numa_nodes(2) == {1}
    assert details[7] == CPUInfo(numa_node_id=2, socket_id=1, core_id=3, uncore_cache_id=1)
    with pytest.raises(KeyError):
        details[0]


def test_sizes_of_an_irregular_machine_are_means_rounded_down() -> None:
    assert (IRREGULAR.num_cpus, IRREGULAR.num_cores, IRREGULAR.num_sockets, IRREGULAR.num_numa_nodes) == (7, 4, 2, 3)
    assert (IRREGULAR.cpus_per_core(), IRREGULAR.cpus_per_socket()) == (1, 3)
    nothing = CPUTopology.of([])
    assert (nothing.cpus_per_core(), nothing.cpus_per_socket()) == (0, 0)


def test_a_cpu_that_is_none_of_the_machines_is_an_error() -> None:
    assert (IRREGULAR.cpu_core_id(4), IRREGULAR.cpu_socket_id(6), IRREGULAR.cpu_numa_node_id(7)) == (0, 1, 2)
    for ask in (IRREGULAR.cpu_core_id, IRREGULAR.cpu_socket_id, IRREGULAR.cpu_numa_node_id):
        assert ask(5) == GoError("unknown CPU ID: 5")


def test_the_order_of_rows_makes_no_difference() -> None:
    again = CPUTopology.of(reversed(IRREGULAR.rows))
    assert (again, hash(again)) == (IRREGULAR, hash(IRREGULAR))
    assert again != regular(1, 1, 4, 2)


def test_a_cpu_without_an_uncore_cache_has_that_of_its_socket_id() -> None:
    """Go: `getUncoreCacheID`. So a cache may have CPUs of two sockets: one by its own id, one by the socket's."""
    info = MachineInfo(4, 2, (Node(0, (Core((0,), 0, (1,)), Core((1,), 0, (2,)))), Node(1, (Core((2, 3), 1),))))
    machine = discover_uncore_caches(info)
    assert machine == CPUTopology.of([(0, 0, 0, 0, 1), (1, 1, 0, 0, 2), (2, 2, 1, 1, 1), (3, 2, 1, 1, 1)])
    assert isinstance(machine, CPUTopology)
    assert machine.cpu_details.cpus_in_uncore_caches(1) == {0, 2, 3}
    assert machine.cpus_per_uncore() == 2
    assert discover(info) == CPUTopology.of(machine.rows)


@pytest.mark.parametrize("rows", [[(0, 0, 0, 0), (0, 1, 0, 0)], [(0, 0, -1, 0)], [(0, 0, 0)], [(0, 0, 0, 0, 0, 0)]])
def test_rows_that_are_no_machine_are_refused(rows: list[tuple[int, ...]]) -> None:
    with pytest.raises(ValueError, match=r"twice|negative|unpack|too many"):
        CPUTopology.of(rows)


def test_numberings() -> None:
    linux, compact = regular(2, 1, 2, 2), regular(2, 1, 2, 2, "compact")
    assert [linux.cpu_details.cpus_in_cores(core) for core in sorted(linux.cpu_details.cores())] == [
        {0, 4}, {1, 5}, {2, 6}, {3, 7}
    ]  # fmt: skip
    assert linux.cpu_details.cpus_in_sockets(1) == {2, 3, 6, 7}
    assert compact.cpu_details.cpus_in_sockets(1) == {4, 5, 6, 7}
    assert compact.cpu_details.cores() == {0, 2, 4, 6}
    with pytest.raises(ValueError, match="at least one"):
        regular(1, 0, 1, 1)


@given(st.tuples(*[st.integers(1, 3)] * 4), st.sampled_from(["linux", "compact"]))
def test_a_regular_machine_has_what_was_asked_for(shape: tuple[int, int, int, int], numbering: str) -> None:
    sockets, numa, cores, threads = shape
    machine = regular(*shape, numbering)  # type: ignore[arg-type]
    assert machine.cpus == frozenset(range(sockets * numa * cores * threads))
    assert (machine.num_sockets, machine.num_numa_nodes) == (sockets, sockets * numa)
    assert machine.cpus_per_core() == threads
    for core in machine.cpu_details.cores():
        members = machine.cpu_details.cpus_in_cores(core)
        assert (len(members), min(members)) == (threads, core)
    for node in machine.cpu_details.numa_nodes():
        assert len(machine.cpu_details.cores_in_numa_nodes(node)) == cores
        assert len(machine.cpu_details.sockets_in_numa_nodes(node)) == 1


ONE_SOCKET_TWO_NODES = MachineInfo(8, 1, (Node(0, (Core((0, 4)), Core((5, 1)))), Node(1, (Core((2, 6)), Core((7, 3))))))


@pytest.mark.parametrize(
    ("release", "num_sockets", "socket_of_2", "cpus_per_socket"),
    [("1.13.0", 2, 1, 4), ("1.19.0", 2, 1, 4), ("1.20.0", 2, 0, 4), ("1.21.0", 1, 0, 8), ("1.31", 1, 0, 8)],
)
def test_releases_take_nodes_for_sockets_then_count_them_so_then_neither(
    release: str, num_sockets: int, socket_of_2: int, cpus_per_socket: int
) -> None:
    found = rules_for(TopologyRules, parse_release(release)).discover(ONE_SOCKET_TWO_NODES)
    assert isinstance(found, CPUTopology)
    assert (found.num_sockets, found.cpu_socket_id(2), found.cpus_per_socket()) == (
        num_sockets, socket_of_2, cpus_per_socket
    )  # fmt: skip
    assert (found.num_cpus, found.num_cores, found.num_numa_nodes, found.cpu_core_id(5)) == (8, 4, 2, 1)


@pytest.mark.parametrize(
    ("info", "text"),
    [
        (MachineInfo(0, 0, ()), "could not detect number of cpus"),
        (MachineInfo(1, 1, (Node(0, (Core(()),)),)), "no cpus provided"),
        (MachineInfo(2, 1, (Node(0, (Core((1, 1)),)),)), "cpus provided are not unique"),
    ],
)
def test_a_machine_that_discover_refuses(info: MachineInfo, text: str) -> None:
    assert discover(info) == GoError(text)
