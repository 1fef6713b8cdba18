"""cpu-manager agrees with itself: symmetry and searches against brute force, in releases with different rules."""

import hashlib
from functools import cache
from itertools import permutations, product

import pytest
from attrs import asdict
from hypothesis import given, strategies as st

from kubeproof.engines.explicit import Limits, check, explore
from kubeproof.verdict.trace import replay
from model.machine import Action
from model.releases import EVERY_MINOR, parse_release, rules_for
from model.systems.cpu_manager import CPUManagerMachine, CPUManagerRules, CPUManagerScope, CPUManagerSystem
from properties.cpu_manager.catalogue import PROPERTIES
from tests.conftest import said_under_another_hash_seed
from tests.model.systems.plain import plain_counts, reachable, successors

# Together the scopes have every switch on; each is the one in which its release differs most from the others.
SCOPES = {
    "1.13.0": CPUManagerScope(cores=3, containers=2, size=2, init=1, restarts=1, crashes=1, repolicy=1, wipes=2),
    "1.16.0": CPUManagerScope(
        cores=2, threads=2, init=1, size=1, exits=1, removals=1, restarts=1, crashes=1, wipes=2, numbering=1
    ),
    "1.17.0": CPUManagerScope(cores=3, size=1, init=1, jobs=1, exits=1, removals=1, restarts=1, crashes=1),
    "1.18.2": CPUManagerScope(cores=3, size=1, init=1, jobs=1, exits=1, restarts=1, crashes=1, turned=1),
    "1.18.4": CPUManagerScope(cores=3, size=1, init=1, exits=1, restarts=1, crashes=1, wipes=2, numbering=1),
    "1.22.0": CPUManagerScope(
        cores=2, threads=2, reserved=2, pods=3, containers=1, restarts=1, wipes=2, full_pcpus=1, numbering=1
    ),
    "1.24.0": CPUManagerScope(
        cores=2, threads=2, init=1, restarts=1, crashes=1, hotplug=1, offline=1, rereserve=1, repolicy=1, wipes=1
    ),
    "1.31.0": CPUManagerScope(
        cores=3, threads=2, reserved=2, init=1, sidecars=1, jobs=1, exits=1, restarts=1, crashes=1, numbering=1
    ),
    "1.32.0": CPUManagerScope(cores=3, size=1, init=1, exits=1, restarts=1, crashes=1, pod_level=1, pod_level_gate=1),
    "1.36.2": CPUManagerScope(cores=3, init=1, exits=1, restarts=1, crashes=1, wipes=1, strict_reservation=1),
}
# Small enough to try every renaming of every state.
SMALL = [
    ("1.13.0", CPUManagerScope(cores=2, containers=1, exits=1, restarts=1, wipes=2)),
    ("1.16.0", CPUManagerScope(cores=2, containers=1, restarts=1, crashes=1, wipes=2)),
    ("1.17.0", CPUManagerScope(cores=2, threads=2, containers=1, size=1, restarts=1, numbering=1)),
    ("1.18.2", CPUManagerScope(cores=2, size=1, init=1)),
    ("1.22.0", CPUManagerScope(cores=3, containers=1, size=1, restarts=1, numbering=1)),
    ("1.31.0", CPUManagerScope(cores=2, threads=2, containers=1, size=2, full_pcpus=1, numbering=1)),
    ("1.31.0", CPUManagerScope(cores=2, containers=1, restarts=1, crashes=1, jobs=1)),
    ("1.31.0", CPUManagerScope(cores=2, pods=3, containers=1, size=1)),
    ("1.33.0", CPUManagerScope(cores=2, containers=1, size=1, restarts=1, pod_level=1, pod_level_gate=1)),
]
LARGER = [
    ("1.18.2", CPUManagerScope(cores=3, size=1, init=1)),
    ("1.13.0", CPUManagerScope(cores=3, containers=1, exits=1, restarts=1, crashes=1, wipes=2)),
    ("1.17.0", CPUManagerScope(cores=3, containers=1, exits=1, restarts=1, wipes=2)),
    ("1.22.0", CPUManagerScope(cores=2, threads=2, containers=1, restarts=1, crashes=1, numbering=1)),
    ("1.31.0", CPUManagerScope(cores=3, threads=2, reserved=2, containers=1, size=1, restarts=1, numbering=1)),
    ("1.24.0", CPUManagerScope(cores=3, pods=3, containers=1, size=1, crashes=1)),
]

releases = st.sampled_from(sorted(SCOPES))
runs = st.lists(st.integers(0, 199), max_size=30)


@cache
def machine(release: str, scope: CPUManagerScope) -> CPUManagerMachine:
    return CPUManagerMachine(scope, rules_for(CPUManagerRules, parse_release(release, EVERY_MINOR)))


def renamings(m: CPUManagerMachine) -> list[dict[str, str]]:
    """Every permutation of pods, of cores, and of the CPUs of each core."""
    cores = m.sorts.get("core", ())
    inner = [m.sorts["pod"], cores, *(m.sorts[core] for core in cores)]
    plain = [name for names in inner for name in names]
    return [
        dict(zip(plain, (name for names in chosen for name in names), strict=True))
        for chosen in product(*(permutations(names) for names in inner))
    ]


def test_every_switch_of_a_scope_is_on_somewhere() -> None:
    plain = asdict(CPUManagerScope(cores=1, init=0))
    for name in plain.keys() - {"cores", "threads", "reserved", "pods", "containers", "size"}:
        assert any(getattr(scope, name) for scope in SCOPES.values()), name


@pytest.mark.slow
@given(releases, runs, st.data())
def test_renaming_commutes_with_every_step(release: str, choices: list[int], data: st.DataObject) -> None:
    m = machine(release, SCOPES[release])
    state = reachable(m, choices)
    renamed = m.rename(state, data.draw(st.sampled_from(renamings(m))))
    assert m.canonical(renamed) == m.canonical(state)
    assert m.canonical(m.canonical(state)) == m.canonical(state)
    assert successors(m, renamed) == successors(m, state)


@pytest.mark.slow
@given(releases, runs, st.data())
def test_an_observed_pod_keeps_its_name(release: str, choices: list[int], data: st.DataObject) -> None:
    m = machine(release, SCOPES[release])
    state = reachable(m, choices)
    pod = data.draw(st.sampled_from(m.sorts["pod"]))
    fixing = [names for names in renamings(m) if names[pod] == pod]
    orbit = {m.canonical(m.rename(state, names), frozenset({pod})) for names in fixing}
    assert orbit == {m.canonical(state, frozenset({pod}))}
    assert orbit <= {m.rename(state, names) for names in fixing}


def orbits(m: CPUManagerMachine, states: set[CPUManagerSystem]) -> int:
    """How many orbits `states` are, which must be closed under renaming, by trying every renaming."""
    every, left, found = renamings(m), set(states), 0
    while left:
        orbit = {m.rename(next(iter(left)), names) for names in every}
        assert orbit <= states
        left -= orbit
        found += 1
    return found


def orbit_counts_equal_brute_force(release: str, scope: CPUManagerScope) -> None:
    m = machine(release, scope)
    plain, reduced = explore(m), explore(m, symmetry=True)
    states = {plain.state(number) for number in range(plain.counts.distinct)}
    assert (reduced.counts.distinct, reduced.counts.depth) == (orbits(m, states), plain.counts.depth)
    assert {m.canonical(state) for state in states} == {
        m.canonical(reduced.state(number)) for number in range(reduced.counts.distinct)
    }


@pytest.mark.slow
@pytest.mark.parametrize(("release", "scope"), SMALL)
def test_orbit_counts_equal_brute_force(release: str, scope: CPUManagerScope) -> None:
    orbit_counts_equal_brute_force(release, scope)


@pytest.mark.slow
@pytest.mark.parametrize(("release", "scope"), LARGER)
def test_orbit_counts_equal_brute_force_in_larger_scopes(release: str, scope: CPUManagerScope) -> None:
    orbit_counts_equal_brute_force(release, scope)


@pytest.mark.slow
@pytest.mark.parametrize(("release", "scope"), SMALL)
def test_counts_equal_those_of_a_plain_search(release: str, scope: CPUManagerScope) -> None:
    """The engine, which remembers what a step does, against a search that knows nothing but actions and steps."""
    m = machine(release, scope)
    counts = explore(m).counts
    assert (counts.distinct, counts.generated, counts.depth) == plain_counts(m)


@pytest.mark.slow
@given(releases, runs, runs)
def test_actions_and_steps_depend_on_nothing_but_the_state(release: str, one: list[int], other: list[int]) -> None:
    """A machine that has been asked about other states first, and in another order, says the same."""
    fresh = CPUManagerMachine(SCOPES[release], rules_for(CPUManagerRules, parse_release(release, EVERY_MINOR)))
    m = machine(release, SCOPES[release])
    state = reachable(fresh, one)
    enabled = list(m.actions(state))
    reachable(m, other)
    after = [m.step(state, action) for action in reversed(enabled)]
    assert list(fresh.actions(state)) == enabled
    assert [fresh.step(state, action) for action in enabled] == after[::-1]
    assert len(set(enabled)) == len(enabled)


def digests() -> str:
    """A digest of a run in each scope: of the actions in order, and so of the states too."""
    lines = []
    for release, scope in SCOPES.items():
        m, digest = machine(release, scope), hashlib.sha256()
        state = m.initial_states()[0]
        for turn in range(30):
            enabled = list(m.actions(state))
            digest.update("; ".join(map(str, enabled)).encode())
            state = m.canonical(m.step(state, enabled[turn * 7 % len(enabled)]))
        lines.append(f"{release} {digest.hexdigest()}")
    return "\n".join(lines)


@pytest.mark.slow
def test_nothing_depends_on_the_hash_seed() -> None:
    assert said_under_another_hash_seed(digests) == digests()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "scope"),
    [
        ("1.14.0", CPUManagerScope(cores=2, containers=1, size=1, restarts=1, wipes=2)),
        ("1.18.2", CPUManagerScope(cores=2, size=1, init=1)),
        ("1.31.0", CPUManagerScope(cores=2, containers=1, restarts=1, crashes=1)),
        ("1.31.0", CPUManagerScope(cores=3, containers=1, size=1, restarts=1, crashes=1, numbering=1)),
    ],
)
def test_a_trace_found_under_symmetry_replays_and_is_as_short_as_without(release: str, scope: CPUManagerScope) -> None:
    m, limits = machine(release, scope), Limits(seconds=60)
    reduced, plain = (check(m, PROPERTIES, symmetry=symmetry, limits=limits) for symmetry in (True, False))
    assert [result.outcome for result in reduced] == [result.outcome for result in plain]
    for with_it, without in zip(reduced, plain, strict=True):
        if with_it.trace is not None and without.trace is not None:
            assert replay(m, with_it.trace.actions, loop=with_it.trace.loop) == with_it.trace
            if with_it.minimal:
                assert with_it.trace.length == without.trace.length
    assert any(result.trace for result in reduced)


@pytest.mark.slow
def test_with_any_numbering_there_is_what_each_numbering_does() -> None:
    """What the release does with the CPUs numbered as they are is among the choices, under each renaming too."""
    scope = CPUManagerScope(cores=2, threads=2, containers=1, size=2)
    fixed = machine("1.31.0", scope)
    free = machine("1.31.0", CPUManagerScope(**{**asdict(scope), "numbering": 1}))
    run, any_run = explore(fixed), explore(free)
    every = {any_run.state(number) for number in range(any_run.counts.distinct)}
    assert {run.state(number) for number in range(run.counts.distinct)} < every


@pytest.mark.slow
def test_pods_are_reconciled_in_any_order_where_it_matters() -> None:
    """1.16 takes CPUs for the container whose turn comes first, and for the other there may be none left."""
    m = machine("1.16.0", CPUManagerScope(cores=3, containers=1, size=2, restarts=1, wipes=2))
    run = explore(m)
    states = (run.state(number) for number in range(run.counts.distinct))
    turns = [[action for action in m.actions(state) if action.name == "reconcile_state"] for state in states]
    assert [Action("reconcile_state"), Action.of("reconcile_state", pods="p2, p1")] in turns
    assert [Action("reconcile_state")] in turns
