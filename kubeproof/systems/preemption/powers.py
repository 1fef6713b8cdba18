"""Which powers of the environment a run of preemption makes use of."""

from collections.abc import Iterable

from model.machine import Action, Value
from model.systems.preemption import PreemptionScope

# The argument of `fit_nowhere` that is there where a power is used.
_OF_ARGUMENT = {
    "extender": "extenders",
    "nominated": "terminating",
    "policy": "never",
    "pre_filter": "unresolvable",
    "secret": "unnamed_secrets",
    "unresolvable": "unresolvable",
}


def powers_used(scope: PreemptionScope, actions: Iterable[Action]) -> frozenset[str]:
    """The bounds of `scope` that let the actions happen, and its options."""
    used = {"qos"} if scope.qos else set()
    come = 0
    for action in actions:
        args = dict(action.args)
        if action.name == "run_pod":
            used |= {"start_times"} if args.get("start") == 2 else set()
            used |= {"terminating"} if "deleted_by" in args else set()
        elif action.name == "set_budget":
            used |= {"budgets", "disrupted"} if "disrupted" in args else {"budgets"}
            used |= {"empty_selectors"} if "selector" in args else set()
        elif action.name == "prepare_candidate":
            used |= {"refused_requests"} if "refused" in args else set()
        elif action.name == "fit_nowhere":
            come += 1
            used |= _of_pod(args) | ({"more_pods"} if come > 1 else set())
    return frozenset(used)


def _of_pod(args: dict[str, Value]) -> set[str]:
    used = {power for argument, power in _OF_ARGUMENT.items() if argument in args}
    used |= {"unsteady_filters"} if args["cpu"] == 0 else set()
    return used | ({"empty_answers"} if "no victims" in str(args.get("extender", "")) else set())
