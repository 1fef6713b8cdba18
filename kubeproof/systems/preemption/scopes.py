"""The scopes of preemption."""

from kubeproof.systems.scopes import Counted, Scopes
from model.systems.preemption import PreemptionScope

_ONE_NODE = PreemptionScope(nodes=1, pods=2, cpus=2, priorities=2, budgets=1, disrupted=1)
_TWO_NODES = PreemptionScope(nodes=2, pods=2, cpus=1, priorities=2, budgets=1)
# Each has few powers, so that what a release does wrong under one of them hides nothing that a fix does under another.
_FEW_POWERS = (
    PreemptionScope(nodes=1, pods=2, cpus=2, priorities=2),
    PreemptionScope(nodes=1, pods=2, cpus=2, priorities=2, budgets=1),
    PreemptionScope(nodes=1, pods=2, cpus=1, priorities=1, budgets=2),
    _ONE_NODE,
    _TWO_NODES,
    PreemptionScope(nodes=1, pods=2, cpus=2, priorities=1, start_times=1),
    PreemptionScope(nodes=2, pods=1, cpus=1, priorities=1, extenders=1, empty_answers=1),
    PreemptionScope(nodes=1, pods=1, cpus=1, priorities=1, extenders=1, budgets=1),
    PreemptionScope(nodes=2, pods=1, cpus=1, priorities=1, unresolvable=1),
    PreemptionScope(nodes=2, pods=1, cpus=1, priorities=1, unsteady_filters=1),
    PreemptionScope(nodes=1, pods=2, cpus=1, priorities=1, qos=1, unnamed_secrets=1),
    PreemptionScope(nodes=1, pods=2, cpus=1, priorities=2, terminating=1, never=1),
    PreemptionScope(nodes=1, pods=2, cpus=1, priorities=1, budgets=1, more_pods=1),
    PreemptionScope(nodes=1, pods=2, cpus=2, priorities=1, refused_requests=1),
    PreemptionScope(nodes=1, pods=2, cpus=1, priorities=1, budgets=1, empty_selectors=1),
)
SCOPES = Scopes(
    default=PreemptionScope(
        nodes=2, pods=1, cpus=1, priorities=1, budgets=1, disrupted=1, extenders=1, empty_answers=1, unresolvable=1,
        unsteady_filters=1, qos=1, unnamed_secrets=1,
    ),
    besides=(PreemptionScope(nodes=1, pods=2, cpus=1, priorities=2, terminating=1, never=1), _ONE_NODE),
    fix=PreemptionScope(nodes=1, pods=3, cpus=2, priorities=2, budgets=1),
    fix_narrow=_FEW_POWERS,
    large=PreemptionScope(
        nodes=3, pods=3, cpus=2, priorities=2, budgets=1, extenders=1, empty_answers=1, unsteady_filters=1, qos=1
    ),
    report=_ONE_NODE,
    searched=("nodes", "pods", "cpus", "priorities"),
    few_powers=(*_FEW_POWERS, PreemptionScope(nodes=2, pods=2, cpus=2, priorities=2, budgets=1)),
    comes_with={
        "disrupted": {"budgets": 1}, "empty_selectors": {"budgets": 1}, "empty_answers": {"extenders": 1},
    },
    finer={"turned": ()},
    grains=("turned",),
    told_apart=_FEW_POWERS,
    mutants=_FEW_POWERS,
)  # fmt: skip
# Nothing is counted as long as TLC does not take the system.
COUNTED = Counted(small=(), large=())
