"""The least harmful choice of pods on a node with too many pods for brute force, by Z3's optimiser."""

import z3

from kubeproof.advise.preemption.least_harm import Kinds

# Z3's own measure of its work on one node, the same on every machine: about two seconds.
WORK = 10_000_000


def by_optimiser(kinds: Kinds, work: int = WORK) -> tuple[int, ...] | None:
    """How many of each kind go in a least harmful choice; None: not known with so much work.

    The pods of all kinds together must suffice (`Kinds.suffice`).
    """
    context = z3.Context()
    solver = z3.Optimize(ctx=context)
    solver.set("rlimit", work)
    counts = [z3.Int(f"count{at}", context) for at in range(len(kinds.pods))]
    for count, pods in zip(counts, kinds.pods, strict=True):
        solver.add(count >= 0, count <= len(pods))
    for at, (_, amount) in enumerate(kinds.needed):
        solver.add(_sum(counts, [each[at] for each in kinds.leaves]) >= amount)
    over = []
    for at, allowed in enumerate(kinds.allowed):
        over.append(z3.Int(f"over{at}", context))
        solver.add(over[at] >= 0, over[at] >= _sum(counts, [int(each[at]) for each in kinds.takes]) - allowed)
    ranks = sorted({pods[0].priority for pods in kinds.pods})
    highest = z3.Int("highest", context)
    for count, pods in zip(counts, kinds.pods, strict=True):
        solver.add(z3.Implies(count > 0, highest >= ranks.index(pods[0].priority)))
    if over:
        solver.minimize(z3.Sum(over))
    solver.minimize(highest)
    solver.minimize(_sum(counts, [pods[0].priority + 2**31 for pods in kinds.pods]))
    solver.minimize(z3.Sum(counts))
    if solver.check() != z3.sat:
        return None
    model = solver.model()
    return tuple(model.eval(count, model_completion=True).as_long() for count in counts)


def _sum(counts: list[z3.ArithRef], amounts: list[int]) -> z3.ArithRef:
    return z3.Sum([count * amount for count, amount in zip(counts, amounts, strict=True)])
