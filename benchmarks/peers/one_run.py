"""One run of the explicit engine or of TLC, in a process of its own: prints distinct, generated, and the length.

python -m benchmarks.peers.one_run explicit|tlc SYSTEM SCOPE RELEASE [--symmetry]
"""

import sys
from math import inf

from benchmarks.peers.asked import ASKED, Asked
from kubeproof.engines.explicit import Limits, check
from kubeproof.verdict.result import Outcome

# Whoever starts this process ends it, if it takes too much. MiB, seconds, states.
LIMITS = Limits(memory=1 << 20, seconds=inf, states=1 << 40)


def _explicit(asked: Asked, text: str, release: str, symmetry: bool) -> tuple[int | None, int | None, int | None]:
    machine = asked.system.machine(asked.scope(text), asked.rules(release))
    wanted = [asked.system.property_named(asked.invariant)]
    result = check(machine, wanted, symmetry=symmetry, limits=LIMITS, until_violated=True)[0]
    if result.outcome not in (Outcome.HOLDS, Outcome.VIOLATED):
        sys.exit(f"explicit: {result.reason}")
    return result.states, result.transitions, result.trace.length if result.trace else None


def _tlc(asked: Asked, text: str, release: str, symmetry: bool) -> tuple[int | None, int | None, int | None]:
    from kubeproof.engines.tlc.engine import LONG_RUN, SHORT_RUN, ask
    from kubeproof.engines.tlc.question import Question

    form = asked.system.tla_form(asked.scope(text), asked.rules(release), {})
    # Of one name of each sort there is no symmetry to declare: the states are the same without.
    symmetry = symmetry and form.symmetry is not None
    question = Question(invariants=(form.properties[asked.invariant].operator,), symmetry=symmetry)
    jvm = SHORT_RUN if release == asked.violated else LONG_RUN
    answer = ask(form, question, timeout=inf, memory_mb=4096, jvm=jvm)
    if answer.outcome not in (Outcome.HOLDS, Outcome.VIOLATED):
        sys.exit(f"tlc: {answer.reason}")
    length = len(answer.variables) - 1 if answer.outcome is Outcome.VIOLATED else None
    return answer.states, answer.generated, length


def main() -> None:
    engine, system, text, release, *more = sys.argv[1:]
    asked = next(each for each in ASKED if each.system.name == system)
    found = (_tlc if engine == "tlc" else _explicit)(asked, text, release, more == ["--symmetry"])
    print(*("-" if number is None else number for number in found))


if __name__ == "__main__":
    main()
