"""Which states `validateState` accepts, for any state and any machine: what an accepted state has, and what not."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from z3 import And, BoolRef, Not, Or

from properties.smt.cpu_manager import policy_state as lemma
from properties.smt.cpu_manager.policy import validate_state
from properties.smt.cpu_manager.policy_replay import decode
from properties.smt.cpu_manager.policy_state import PolicyState
from properties.smt.form import Obligation


def entries(state: PolicyState) -> BoolRef:
    """There are any."""
    return Or(state.more, *(slot.present for slot in state.own))


def accepted(state: PolicyState) -> BoolRef:
    """`validateState` says yes to a state that is not empty."""
    return And(
        state.default != 0,
        validate_state(state.machine, state.reserved, state.default, state.assigned, entries(state)),
    )


def sound(state: PolicyState) -> Mapping[str, BoolRef]:
    """What a sound state has, lemma by lemma. No lemma here depends on an admission that is under way."""
    lemmas = lemma.named(
        lemma.shared_is_not_exclusive,
        lemma.every_cpu_is_somewhere,
        lemma.reserved_are_shared,
        lemma.reserved_are_not_exclusive,
        lemma.pods_are_apart,
        lemma.containers_that_stay_are_apart,
    )
    return {name: holds(state, 0) for name, holds in lemmas.items()}


NEVER_ASKED = ("pods are apart", "containers that stay are apart")


def obligations(width: int) -> tuple[Obligation, ...]:
    """What a yes implies (unsat), what it does not (sat: a bad state is accepted), and that no good one is refused.

    A good state with an empty pool, which needs an empty reserved set, is the only good one that is refused.
    """
    state = PolicyState.of(width)
    claims = sound(state)
    formed = state.well_formed(sidecars=True)

    def show(model: Any) -> str:
        return str(decode(model, state, by_id=False))

    asked = partial(Obligation, show=show)
    found = []
    for name, claim in claims.items():
        refuted = [formed, accepted(state), Not(claim)]
        if name in NEVER_ASKED:
            others = [other for other in claims if other not in NEVER_ASKED]
            refuted += [claims[other] for other in others]
            found.append(asked(f"{width} CPUs: accepted although not: {name}", partial(list, refuted), "sat"))
        else:
            found.append(asked(f"{width} CPUs: accepted, so: {name}", partial(list, refuted), "unsat"))
    refused = [formed, *claims.values(), Not(accepted(state))]
    found.append(asked(f"{width} CPUs: sound, so accepted", partial(list, [*refused, state.default != 0]), "unsat"))
    empty = [*refused, state.default == 0, state.assigned != 0]
    found.append(asked(f"{width} CPUs: sound and refused, the pool being empty", partial(list, empty), "sat"))
    return tuple(found)
