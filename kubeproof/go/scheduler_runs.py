"""Operations of the scheduler: runs of scheduling and scheduling-cycle, kept ones and others by chance."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from random import Random
from typing import Any

import cattrs
from hypothesis import strategies as st

from kubeproof.bugs.catalogue import BUGS
from kubeproof.bugs.kept import kept_document
from kubeproof.bugs.played import played_of
from kubeproof.conform.recorded_rules import rules_for
from kubeproof.go.blind import Blind
from kubeproof.go.players.player import CannotPlayError
from kubeproof.go.players.registry import PLAYERS
from kubeproof.systems.registry import system_named
from kubeproof.verdict.itf import actions_of
from model.machine import Action, Machine
from model.objects import Pod
from model.releases import Release, known_release
from model.systems.scheduling.scope import SchedulingScope
from model.world.api_server import place

Operations = tuple[dict[str, Any], list[dict[str, Any]]]
SYSTEMS_PLAYED = ("scheduling", "scheduling-cycle")
MOST = 24  # operations of a case

# What an action says and an operation does not: whose goroutine it is, and what Go chooses.
_NOT_SAID = frozenset({"by", "victims"})
# Actions of which an operation says the node: what others do, and where the pod goes if the driver may choose.
CHOOSES = "assume"
_OF_A_NODE = frozenset(
    {CHOOSES, "add_node", "delete_node", "cordon_node", "uncordon_node", "grow_node", "bind_elsewhere"}
)
# What only the half of the driver for 1.17 has, and where Go goes on in the middle of two actions of a run: a goroutine
# that listens at Permit hears what was sent before, and the failure of an extender that binds is heard of at once.
_NOT_RECORDED = ("reserves", "failures", "volumes", "permit", "binder_extenders")

# Clusters and powers of the cases that are drawn: few powers at a time, so that they meet.
_SCOPES = (
    SchedulingScope(pods=2, high=1, nodes=1, preemption=1, deletes=1, node_deletes=1),
    SchedulingScope(pods=3, high=1, nodes=1, room=2, preemption=1, graceful=1, deletes=1),
    SchedulingScope(pods=3, high=2, top=1, nodes=1, preemption=1),
    SchedulingScope(pods=2, nodes=1, deletes=1, recreates=1, relists=1),
    SchedulingScope(pods=2, nodes=1, deletes=1, bind_errors=1, lost_replies=1),
    SchedulingScope(pods=1, nodes=2, late_nodes=1, node_deletes=1, node_adds=1, other_binders=1),
    SchedulingScope(pods=2, nodes=2, node_zones=2, late_nodes=1, node_deletes=1, keep_snapshot=1),
    SchedulingScope(pods=1, nodes=1, labels=2, finalizers=1, updates=1, resyncs=1),
    SchedulingScope(pods=2, nodes=1, labels=2, anti_affinity=1, bind_errors=1),
    SchedulingScope(pods=2, nodes=1, deletes=1, cordons=2),
    SchedulingScope(pods=2, big=1, nodes=1, node_grows=1, deletes=1),
    SchedulingScope(pods=1, nodes=2, extender=1, preemption=1, bind_errors=1, deletes=1),
    SchedulingScope(pods=2, nodes=1, listeners=1, bound_at_start=1, updates=1, deletes=1),
    SchedulingScope(pods=2, nodes=1, listeners=1, labels=1, deletes=1, recreates=1),
    SchedulingScope(pods=1, big=1, nodes=1, cordons=1, node_grows=1),
    SchedulingScope(pods=2, high=1, nodes=1, preemption=1, node_deletes=1, node_adds=1),
    SchedulingScope(pods=1, nodes=1, node_deletes=1, node_adds=1, cordons=1),
    SchedulingScope(pods=1, big=1, nodes=2, late_nodes=1, node_grows=1),
    SchedulingScope(pods=1, nodes=1, labels=1, finalizers=1, updates=1),
)
# The releases whose rules say which actions a run may take: one of each order of the steps of a cycle.
RELEASES = ("1.31.13", "1.28.14", "1.22.6", "1.17.17")
# How many long runs there are of each cluster and release.
_LONG = 3

# Rules that no operation of this form tells from each other.
BLIND = (
    Blind("binding_honours_uid", "a case names what the API server does"),
    Blind("handlers_sync_first", "the driver stands in for kube-scheduler around the package, and begins at once"),
)


def operation(action: Action) -> dict[str, Any]:
    """An action of the system as an operation."""
    left_out = _NOT_SAID if action.name in _OF_A_NODE else _NOT_SAID | {"node"}
    return {"op": action.name, **{name: str(value) for name, value in action.args if name not in left_out}}


def config(system: str, scope: Any, rules: Any) -> dict[str, Any]:
    """The world of a scope, with the API server of a release."""
    bounds = {name: value for name, value in cattrs.unstructure(scope).items() if value}
    return {"system": system, "scope": bounds, "binds_any_uid": not rules.binding_honours_uid()}


def scope_of(system: str, bounds: dict[str, int]) -> Any:
    """The scope of a config, with as many goroutines as a run may have. Raises InputError for what is no scope."""
    text = ",".join(["0", *(f"{name}={value}" for name, value in {**bounds, "goroutines": 9}.items())])
    return system_named(system).parse_scope(text)


def kept_runs() -> Iterator[Operations]:
    """(config, operations) of each kept run that every half of the driver can play."""
    for bug in BUGS:
        if bug.system not in SYSTEMS_PLAYED or not bug.violates:
            continue
        document, system = kept_document(bug), system_named(bug.system)
        rules = rules_for(system.rules_class, known_release(document["#meta"]["release"]))
        machine = system.machine(system.parse_scope(document["#meta"]["scope"]), rules)
        actions = actions_of(document)
        # What the real code is known to do otherwise, says the page of the bug. Releases without a model may differ.
        modelled = [row for row in played_of(bug) if not row.run and row.states_of == row.release]
        known = any(row.result.startswith("differs") for row in modelled)
        if _playable(bug.system, machine, actions) and not known:
            yield {**config(bug.system, machine.scope, rules), "name": bug.id}, [operation(each) for each in actions]  # type: ignore[attr-defined]


def _playable(system: str, machine: Machine[Any], actions: Iterable[Action]) -> bool:
    scope = cattrs.unstructure(machine.scope)  # type: ignore[attr-defined]
    try:
        PLAYERS[system].begin(machine, "", ())
        for action in actions:
            PLAYERS[system].call(action)
    except CannotPlayError:
        return False
    return not any(scope.get(name) for name in _NOT_RECORDED)


def _walk(scope: SchedulingScope, release: Release, length: int, choose: Callable[[list[Any]], Any]) -> Operations:
    """A run of scheduling; `choose` takes one of a list."""
    system = system_named("scheduling")
    rules = rules_for(system.rules_class, release)
    machine = system.machine(scope, rules)
    state, ops = machine.initial_states()[0], []
    for _ in range(length):
        enabled = [action for action in machine.actions(state) if not _goes_otherwise_in_go(scope, state, action)]
        if not enabled:
            break
        # So that an action of many forms does not crowd out the others.
        name = choose(sorted({action.name for action in enabled}))
        action = choose([each for each in enabled if each.name == name])
        ops.append(operation(action))
        state = machine.step(state, action)
    return config(system.name, scope, rules), ops


def _goes_otherwise_in_go(scope: Any, state: Any, action: Action) -> bool:
    """Whether the driver or the model is known to take the action otherwise than the other.

    - From 1.25 to 1.35 `handleSchedulingFailure` patches what differs from the object of the attempt (`pod :=
      podInfo.Pod` comes first), in other releases from the one that it found. The model takes the one found in each.
    - Up to 1.18 the goroutine of the error function replaces `podInfo.Pod`, which `recordSchedulingFailure` reads
      without a lock. In the model it reads the one that there was before.
    - In the model an extender waits for every event, in a scope without one too, so any update of a bound pod is a move
      request in 1.31. In Go no plugin waits for an update of no more than the status.
    - Of two goroutines of a pod that stand at the same gate the driver takes the one that came last.
    """
    at = [each for each in (state.cycle, *state.bindings, *state.retries) if each is not None]
    mine = [each for each in at if each.steps[0] == action.name and each.pod.name == dict(action.args).get("pod")]
    match action.name:
        case "requeue":
            found = state.lister[place(action["pod"])]
            if found is not None and any(_status(found) != _status(each.pod) for each in mine):
                return True
        case "record_failure":
            if all(each.pod.name != action["pod"] for each in state.retries):
                return True
        case "deliver_pod":
            event = state.pod_watch[0]
            old, new = state.lister[place(event.pod.name)], event.pod
            if event.kind == "update" and old is not None and old.node_name and not scope.extender:
                return bool((old.uid, old.labels) == (new.uid, new.labels))
    return len(mine) > 1


def _status(pod: Pod) -> tuple[str, str]:
    return pod.condition, pod.nominated_node_name


def cases(release: Release) -> st.SearchStrategy[Operations]:
    """Runs of scheduling under the rules of `release`, by chance: to choose each action is dear."""

    drawn = st.tuples(st.sampled_from(_SCOPES), st.just(release), st.integers(1, MOST), st.integers(0, 9999))
    return drawn.map(lambda each: _drawn(*each)).filter(lambda run: run is not None)  # type: ignore[return-value]


@lru_cache(maxsize=4096)
def _drawn(scope: SchedulingScope, release: Release, length: int, seed: int) -> Operations | None:
    """A run by chance, or None if a checkout of some release is known to go otherwise: who looks draws it often."""
    run = _walk(scope, release, length, Random(seed).choice)
    return None if any(_meets_a_difference(scope, known_release(other), run[1]) for other in RELEASES) else run


def long_runs() -> Iterator[Operations]:
    """Long runs in each cluster under the rules of each release, by chance: nothing was looked for in them."""
    for number, scope in enumerate(_SCOPES):
        for name in RELEASES:
            for turn in range(_LONG):
                run = _walk(scope, known_release(name), MOST, Random(f"{number} {name} {turn}").choice)
                if not any(_meets_a_difference(scope, known_release(other), run[1]) for other in RELEASES):
                    yield run


def _meets_a_difference(scope: SchedulingScope, release: Release, ops: list[dict[str, Any]]) -> bool:
    """Whether Go is known to take one of `ops` otherwise than the model, in a checkout of `release`."""
    system = system_named("scheduling")
    machine = system.machine(scope, rules_for(system.rules_class, release))
    state = machine.initial_states()[0]
    for op in ops:
        action = next((each for each in machine.actions(state) if operation(each) == op), None)
        if action is None:
            return False
        if _goes_otherwise_in_go(scope, state, action):
            return True
        state = machine.step(state, action)
    return False
