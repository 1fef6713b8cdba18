"""The engine finds what a search finds that remembers nothing: a set and a queue.

`python -m tests.kubeproof.engines.random_search` does the same on larger scopes for as long as it is told.
"""

from functools import partial
from random import Random

import pytest
from attrs import evolve

from kubeproof.engines import explicit
from kubeproof.engines.explicit.shared import Shared
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import rules_of
from kubeproof.verdict.result import Outcome
from kubeproof.verdict.trace import replay
from model.releases import known_release, rules_for
from model.systems.cpu_manager import CPUManagerScope
from model.systems.scheduling import SchedulingScope
from properties.property import Invariant, Liveness
from tests.kubeproof.engines.random_search import NAMES, NO_FIT, Case, Compared, compare, random_case, smaller

CASES = 30


def compared(name: str, seed: int, cases: int, most: int) -> Compared:
    total = Compared()
    for number in range(cases):
        case = random_case(Random(f"{name} {seed} {number}"), name)
        found = compare(case, most)
        assert found.difference is None, f"{case}\n{found.difference}"
        total.searches += found.searches
        total.too_many += found.too_many
    return total


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", NAMES)
def test_random_cases(name: str, seed: int) -> None:
    found = compared(name, seed, CASES, 120)
    assert found.searches > 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 103))
@pytest.mark.parametrize("name", NAMES)
def test_random_cases_of_more_states(name: str, seed: int) -> None:
    compared(name, seed, CASES, 1_500)


TWO_PODS = SchedulingScope(pods=2, goroutines=1)
BY_NAME, ANY_FIRST = ("active_q_order", "order_by_priority"), ("active_q_heads", "heads_of_equal_priority")
# What was found to differ once: the order of 1.13.0 is by name. With the heads of a newer release Pop takes the first
# by name. With those of 1.13.0 names are interchangeable, but queues that keep times have to be sorted anew too. A
# checkpoint of 1.14 keeps of the state that 1.18 writes the names of containers alone, which are of no pod.
FOUND = [
    Case("scheduling", "1.13.12", TWO_PODS, True, ((BY_NAME,),)),
    Case("scheduling", "1.13.12", TWO_PODS, True, ((BY_NAME, ANY_FIRST),)),
    Case(
        "cpu-manager", "1.14.10", CPUManagerScope(cores=2, pods=2, containers=1, size=1, restarts=1), True,
        ((("allocate", "allocate_returning_init_cpus"),),),
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", FOUND, ids=str)
def test_what_differed_once(case: Case) -> None:
    found = compare(case, 4_000)
    assert (found.difference, found.too_many) == (None, 0)


def test_smaller_cases_end() -> None:
    """Whoever takes one thing after the other away comes to an end."""
    case = random_case(Random(4), "scheduling")
    while (less := next(smaller(case), None)) is not None:
        case = less
    assert case.choices == ((),)
    assert not case.symmetry


# The releases, and every how many-th rule of others is put in: more of a large system would take minutes.
PUT_IN = [
    pytest.param("cpu-manager", "1.13.12", 7, marks=pytest.mark.slow),
    pytest.param("cpu-manager", "1.31.13", 10, marks=pytest.mark.slow),
    pytest.param("scheduling", "1.24.0", 2, marks=pytest.mark.slow),
    pytest.param("node-listing", "1.17.10", 1),
    pytest.param("async-preemption", "1.34.1", 1),
    pytest.param("api-calls", "1.34.1", 1),
]


@pytest.mark.parametrize(("name", "release", "nth"), PUT_IN)
@pytest.mark.parametrize("symmetry", [True, False])
def test_what_is_violated_has_a_run(name: str, release: str, nth: int, symmetry: bool) -> None:
    """Rules of other releases are put in, one after the other, in searches that share steps.

    Steps that were shared with other rules once led to states from which no step of the machine led on. The rules of
    cpu-manager are not looked up anew, so its searches share nothing; what remains is that each has its runs.
    """
    system = SYSTEMS[name]
    rules = rules_for(system.rules_class, known_release(release))
    shared = Shared(rules_of(system.mutants, system.repairs))
    others = [(field, rule) for field in system.rule_fields for rule in system.built_in_rules(field).values()]
    violated = 0
    for field, rule in others[::nth]:
        changed = evolve(rules, **{field: rule})
        machine = partial(system.machine, system.scope)
        try:
            on = machine(changed) if shared is None else shared.search(system.scope, shared.under(changed), machine)
            results = explicit.check(on, system.properties, symmetry=symmetry, limits=explicit.Limits(states=3_000))
        except NO_FIT:  # the rule does not go with the release's rules
            continue
        alone = system.machine(system.scope, changed)
        for p, result in zip(system.properties, results, strict=True):
            if result.outcome is not Outcome.VIOLATED:
                continue
            violated += 1
            trace = result.trace
            initial = alone.initial_states().index(trace.steps[0].state)
            assert replay(alone, trace.actions, initial=initial, loop=trace.loop) == trace
            asked = p.of(alone)
            if isinstance(asked, Invariant):
                assert not asked.holds(trace.last)
            elif not isinstance(asked, Liveness):
                assert not asked.holds(trace.steps[-2].state, trace.actions[-1], trace.last)
    assert violated
