"""How long Z3 takes for each query: every obligation of every proof, and the runs of each depth.

    python -m benchmarks.z3_queries [SYSTEM ...] [--shown N]

For each system its default scope under the newest release that it knows. Of each query seconds on the clock, and Z3's
resource units, which are the same on every machine: the most of them is what KUBEPROOF_Z3_RLIMIT has to allow. The
slowest queries are shown, and the sums of each system.
"""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from attrs import frozen
from z3 import Solver

from benchmarks.first_counterexamples import table
from kubeproof.engines.smt import bounded, induction
from kubeproof.engines.smt.query import Answer, ask
from kubeproof.systems.registry import SYSTEMS, system_named
from kubeproof.systems.releases import release_named
from kubeproof.systems.system import System
from model.releases import rules_for
from properties.smt.form import SmtForm


@frozen
class Query:
    """One query, and what it took."""

    system: str
    what: str
    reading: str
    seconds: float
    units: int


class Recorder:
    """Asks Z3, and keeps what each query took."""

    # Z3's units of all queries of this process so far.
    units = 0

    def __init__(self, system: str) -> None:
        self.system, self.what = system, ""
        self.queries: list[Query] = []

    def ask(self, solver: Solver, **limits: Any) -> Answer:
        answer = ask(solver, **limits)
        statistics = solver.statistics()
        units = int(statistics.get_key_value("rlimit count"))
        self.queries.append(Query(self.system, self.what, answer.reading, answer.seconds, units - Recorder.units))
        Recorder.units = units
        return answer


def of_system(system: System) -> Iterator[Query]:
    """The queries of one system."""
    rules = rules_for(system.rules_class, release_named(None, minors=system.minors))
    form = system.smt_form(system.scope, rules, {})
    if not isinstance(form, SmtForm):
        return
    recorder = Recorder(system.name)
    # Both ask by this name.
    bounded.ask = induction.ask = recorder.ask  # type: ignore[assignment]
    for proof in form.proofs:
        for obligation in proof.obligations:
            recorder.what = f"{proof.name}: {obligation.name}"
            induction.prove([obligation], timeout=120)
    machine = system.machine(system.scope, rules)
    for property in system.properties:
        recorder.what = f"{property.name}, runs of up to {form.depth} actions"
        bounded.check(machine, form, [property], timeout=120)
    yield from recorder.queries


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("systems", nargs="*", help="default: all")
    parser.add_argument("--shown", type=int, default=20, help="so many of the slowest queries")
    options = parser.parse_args()
    queries = [query for name in options.systems or SYSTEMS for query in of_system(system_named(name))]
    rows = []
    for name in dict.fromkeys(query.system for query in queries):
        mine = [query for query in queries if query.system == name]
        most = max(query.units for query in mine)
        rows.append((name, str(len(mine)), f"{sum(query.seconds for query in mine):.1f}", f"{most:,}"))
    print(table(("system", "queries", "seconds", "most units of one"), rows))
    slowest = sorted(queries, key=lambda query: -query.seconds)[: options.shown]
    titles = ("system", "query", "answer", "seconds", "units")
    print(table(titles, [(q.system, q.what, q.reading, f"{q.seconds:.2f}", f"{q.units:,}") for q in slowest]))


if __name__ == "__main__":
    main()
