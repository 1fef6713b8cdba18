"""The systems that can be checked: each one's machine, scopes, rules, properties, and its TLA+ and Z3 forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cattrs
from attrs import Factory, fields, frozen

from kubeproof.errors import InputError
from kubeproof.narration import cpu_manager as cpu_narration
from kubeproof.narration import node_listing as narration
from kubeproof.narration import scheduling as scheduling_narration
from model.machine import Action, Machine
from model.releases import ROWS
from model.systems.cpu_manager import CPUManagerMachine, CPUManagerRules, CPUManagerScope
from model.systems.node_listing import NodeListingMachine, NodeListingRules, NodeListingScope
from model.systems.scheduling import SchedulingMachine, SchedulingRules, SchedulingScope
from model.systems.scheduling.offers import never_offered
from properties import (
    cpu_manager,
    cpu_manager_effects,
    node_listing,
    node_listing_effects,
    scheduling,
    scheduling_effects,
)
from properties.effect import Effect
from properties.property import Property
from properties.tla import cpu_manager as tla_cpu_manager
from properties.tla import node_listing as tla_node_listing
from properties.tla import scheduling as tla_scheduling
from properties.tla.form import TlaForm

if TYPE_CHECKING:
    from properties.smt.form import SmtForm

Rule = Callable[..., Any]


@frozen
class System:
    """`scope` is the default: it shows the documented bugs. `fix_scope` is the explicit engine's when it judges a fix,
    large enough for a wrong one to show; `large_scope` is Hypothesis', too large to exhaust. `fix_scopes`: narrow ones
    in which a fix is judged besides, and with them in the scope of each kept counterexample; for a system with several
    bugs, of which each hides what a fix breaks wherever it shows itself.

    `sources` gives the Go function behind each action. `tla_form` and `smt_form` say the system in the languages of
    TLC and Z3; their third argument is what a fix brings for its own rules. The `describe_` functions put actions,
    states and what is wrong with a state into the words of Kubernetes. `effects` says what else differs between two
    choices of rules, over the states of (scope, states). `never_offered` names actions that a scope and rules leave
    out: that nobody took them says nothing. `mutants` are deliberately wrong rules.
    """

    name: str
    summary: str
    scope_class: type[Any]
    rules_class: type[Any]
    machine: Callable[[Any, Any], Machine[Any]]
    properties: tuple[Property, ...]
    scope: Any
    fix_scope: Any
    large_scope: Any
    sources: Mapping[str, str]
    tla_form: Callable[[Any, Any, Mapping[str, Path]], TlaForm]
    smt_form: Callable[[Any, Any, Mapping[str, Any]], SmtForm | str]
    describe_action: Callable[[Action], str]
    describe_state: Callable[[Any], list[str]]
    describe_damage: Callable[[Any], str | None]
    effects: Callable[[Any, Any, Iterable[tuple[Any, Iterable[Any]]]], list[Effect]]
    fix_scopes: tuple[Any, ...] = ()
    never_offered: Callable[[Any, Any], frozenset[str]] = lambda scope, rules: frozenset()
    mutants: Mapping[str, Sequence[Rule]] = Factory(dict)

    @property
    def rule_fields(self) -> tuple[str, ...]:
        return tuple(field.name for field in fields(self.rules_class))

    def built_in_rules(self, field: str) -> dict[str, Rule]:
        """The rules that any release follows for `field`, then the mutants, by name."""
        rules = [row.rule for row in ROWS if row.rule_field == field]
        return {rule.__name__: rule for rule in (*rules, *self.mutants.get(field, ()))}

    def property_named(self, name: str) -> Property:
        for candidate in self.properties:
            if candidate.name == name:
                return candidate
        names = ", ".join(p.name for p in self.properties)
        raise InputError(f"{self.name} has no property '{name}': expected one of {names}")

    def brief_scope(self, scope: str) -> str:
        """The text of a scope, as `--scope` takes it, less the bounds that are 0 there and without being named."""
        usual = set(scope_text(self.scope).split(","))
        return ",".join(part for part in scope.split(",") if not (part.endswith("=0") and part in usual))

    def parse_scope(self, text: str | None) -> Any:
        """The scope that `nodes=4,zones=2` names; what is not named keeps its default. Raises InputError."""
        if text is None:
            return self.scope
        values = cattrs.unstructure(self.scope)
        bounds = ", ".join(f"{key}={value}" for key, value in values.items())
        for part in text.split(","):
            key, _, value = (piece.strip() for piece in part.partition("="))
            if key not in values or not (value.isascii() and value.isdigit() and len(value) < 10):
                raise InputError(f"--scope {text}: '{part.strip()}' is no bound of {self.name}: expected e.g. {bounds}")
            values[key] = int(value)
        try:
            return self.scope_class(**values)
        except ValueError as error:
            raise InputError(f"--scope {text}: {_first_line(error)}") from None


def scope_text(scope: Any) -> str:
    """A scope as `--scope` takes it."""
    return ",".join(f"{key}={value}" for key, value in cattrs.unstructure(scope).items())


def _first_line(error: ValueError) -> str:
    return str(error.args[0] if error.args else error).splitlines()[0]


def _node_listing_smt(scope: Any, rules: Any, forms: Mapping[str, Any]) -> SmtForm | str:
    from properties.smt.node_listing import encode  # Z3 takes a while to load, and most commands do without

    return encode(scope, rules, forms)


NODE_LISTING = System(
    name="node-listing",
    summary="the nodeTree and the node list that UpdateSnapshot makes of it, while nodes join, leave and change zone",
    scope_class=NodeListingScope,
    rules_class=NodeListingRules,
    machine=lambda scope, rules: NodeListingMachine(scope, rules),
    properties=node_listing.PROPERTIES,
    scope=NodeListingScope(nodes=3, zones=2),
    fix_scope=NodeListingScope(nodes=4, zones=2),
    large_scope=NodeListingScope(nodes=8, zones=4),
    sources={
        "add_node": "cache.go AddNode -> node_tree.go addNode",
        "remove_node": "cache.go RemoveNode -> node_tree.go removeNode",
        "update_node": "cache.go UpdateNode -> node_tree.go updateNode",
        "update_snapshot": "cache.go UpdateSnapshot (1.17 and before: UpdateNodeInfoSnapshot, NodeTree.Next)",
    },
    tla_form=tla_node_listing.form,
    smt_form=_node_listing_smt,
    describe_action=narration.describe_action,
    describe_state=narration.describe_state,
    describe_damage=narration.describe_damage,
    effects=node_listing_effects.effects_of_rules,
    mutants=node_listing.MUTANTS,
)


def _cpu_manager_smt(scope: Any, rules: Any, forms: Mapping[str, Any]) -> SmtForm | str:
    from properties.smt.cpu_manager import encode

    return encode(scope, rules, forms)


_CPU_MANAGER_GO = "cpu_manager.go"
CPU_MANAGER = System(
    name="cpu-manager",
    summary="the kubelet's static CPU policy: pods, restarts, crashes, a machine that changes, the state file",
    scope_class=CPUManagerScope,
    rules_class=CPUManagerRules,
    machine=lambda scope, rules: CPUManagerMachine(scope, rules),
    properties=cpu_manager.PROPERTIES,
    scope=CPUManagerScope(cores=2, pods=2, containers=2, size=1, init=1, removals=1, restarts=1, crashes=1, hotplug=1),
    fix_scope=CPUManagerScope(cores=4, pods=2, containers=1, size=1, exits=1, restarts=1),
    fix_scopes=(
        CPUManagerScope(cores=3, pods=1, containers=2, size=2, init=1, sidecars=1, jobs=1, exits=1, restarts=1),
        CPUManagerScope(cores=4, pods=1, containers=2, size=2, init=1, exits=1, removals=1, restarts=1),
        CPUManagerScope(cores=3, pods=2, containers=1, size=1, restarts=1, hotplug=1),
        CPUManagerScope(cores=3, pods=2, containers=1, size=1, restarts=1, crashes=1),
        CPUManagerScope(cores=3, pods=1, containers=1, size=1, restarts=1, offline=1),
        CPUManagerScope(cores=3, pods=1, containers=1, size=1, restarts=1, hotplug=1, rereserve=1),
        CPUManagerScope(cores=3, threads=2, reserved=2, pods=1, containers=2, size=2, init=1, restarts=1, full_pcpus=1),
    ),
    large_scope=CPUManagerScope(
        cores=5, pods=3, containers=2, size=2, init=1, jobs=1, exits=2, removals=1, restarts=2, crashes=1, hotplug=1
    ),
    sources={
        "create_pod": "the scheduler; kubelet.go HandlePodAdditions",
        "admit": "kubelet.go HandlePodAdditions, canAdmitPod",
        "allocate": f"{_CPU_MANAGER_GO} Allocate -> policy_static.go Allocate",
        "sources_ready": "kubelet.go syncLoopIteration -> config SourcesReady.AddSource",
        "start_container": f"internal_container_lifecycle.go PreStartContainer -> {_CPU_MANAGER_GO} AddContainer",
        "exit_container": "the container; up to 1.18.3 internal_container_lifecycle.go PostStopContainer",
        "complete_pod": "the containers; up to 1.18.3 internal_container_lifecycle.go PostStopContainer",
        "delete_pod": "kubelet.go HandlePodRemoves; up to 1.18.3 PreStopContainer, PostStopContainer",
        "remove_container": f"{_CPU_MANAGER_GO} RemoveContainer -> policy_static.go RemoveContainer",
        "reconcile_state": f"{_CPU_MANAGER_GO} reconcileState, removeStaleState",
        "stop_kubelet": "the operator, or an upgrade",
        "start_kubelet": f"{_CPU_MANAGER_GO} NewManager, Start -> state_checkpoint.go, policy_static.go validateState",
        "crash_kubelet": "state_checkpoint.go storeState, called for each change",
        "add_core": "the machine",
        "offline_cpu": "the machine",
        "grow_reserved": "the kubelet's configuration",
        "set_policy": "the kubelet's configuration",
        "delete_state_file": "the operator",
    },
    tla_form=tla_cpu_manager.form,
    smt_form=_cpu_manager_smt,
    describe_action=cpu_narration.describe_action,
    describe_state=cpu_narration.describe_state,
    describe_damage=cpu_narration.describe_damage,
    effects=cpu_manager_effects.effects_of_rules,
    mutants=cpu_manager.MUTANTS,
)


def _scheduling_smt(scope: Any, rules: Any, forms: Mapping[str, Any]) -> SmtForm | str:
    from properties.smt.scheduling import encode

    return encode(scope, rules, forms)


_SCHEDULER_GO, _FACTORY_GO, _EVENTS_GO = "scheduler.go", "factory.go", "eventhandlers.go"
_QUEUE_GO = "scheduling_queue.go"
SCHEDULING = System(
    name="scheduling",
    summary="the scheduler's queue, nominator, cache, cycle and binder, with API server, informers and users",
    scope_class=SchedulingScope,
    rules_class=SchedulingRules,
    machine=lambda scope, rules: SchedulingMachine(scope, rules),
    properties=scheduling.PROPERTIES,
    scope=SchedulingScope(pods=1, nodes=2, extender=1, preemption=1),
    fix_scope=SchedulingScope(pods=2, high=1, nodes=1, preemption=1, recreates=1, goroutines=1),
    fix_scopes=(
        SchedulingScope(pods=1, nodes=2, extender=1, preemption=1),
        SchedulingScope(pods=1, nodes=1, updates=1, listeners=1),
        SchedulingScope(pods=1, nodes=1, updates=1, bind_errors=1),
        SchedulingScope(pods=2, nodes=1, deletes=1),
        SchedulingScope(pods=2, high=1, nodes=1, preemption=1, goroutines=1),
    ),
    large_scope=SchedulingScope(
        pods=3,
        nodes=2,
        high=1,
        extender=1,
        preemption=1,
        updates=1,
        deletes=1,
        recreates=1,
        node_deletes=1,
        node_adds=1,
        lost_replies=1,
        clock=1,
        flush=1,
    ),
    sources={
        "create_pod": "a user",
        "recreate_pod": "a controller",
        "update_annotations": "a user or controller",
        "update_finalizers": "a controller",
        "update_labels": "a user or controller",
        "delete_pod": "a user",
        "finish_termination": "the kubelet",
        "bind_elsewhere": "another scheduler",
        "delete_node": "the cloud provider",
        "add_node": "the kubelet",
        "heartbeat": "the kubelet",
        "deliver_pod": f"client-go shared_informer.go HandleDeltas -> {_EVENTS_GO}",
        "handle_assigned": f"{_EVENTS_GO} addPodToCache, updatePodInCache, deletePodFromCache",
        "handle_unassigned": f"{_EVENTS_GO} addPodToSchedulingQueue, updatePodInSchedulingQueue, "
        "deletePodFromSchedulingQueue",
        "deliver_node": f"{_EVENTS_GO} addNodeToCache, updateNodeInCache, deleteNodeFromCache",
        "resync_pod": "client-go shared_informer.go, delta_fifo.go Resync",
        "relist_pods": "client-go reflector.go ListAndWatch -> delta_fifo.go Replace",
        "pop": f"{_QUEUE_GO} Pop",
        "schedule": f"{_SCHEDULER_GO} skipPodSchedule; generic_scheduler.go Schedule, findNodesThatFit",
        "find_nodes": "generic_scheduler.go findNodesThatFit, podFitsOnNode",
        "call_extenders": "extender.go Filter",
        "choose": "generic_scheduler.go selectHost",
        "assume": f"{_SCHEDULER_GO} assume -> cache.go AssumePod",
        "delete_nominated_pod": f"{_SCHEDULER_GO} assume -> {_QUEUE_GO} DeleteNominatedPodIfExists",
        "start_error_func": f"{_FACTORY_GO} MakeDefaultErrorFunc",
        "record_failure": f"{_SCHEDULER_GO} recordSchedulingFailure",
        "preempt": f"{_SCHEDULER_GO} preempt -> generic_scheduler.go Preempt",
        "nominate": f"{_QUEUE_GO} UpdateNominatedPodForNode",
        "set_nominated_node_name": f"{_SCHEDULER_GO} preempt -> setNominatedNodeName",
        "post_filter": "default_preemption.go PostFilter",
        "delete_victims": "scheduler.go preempt; default_preemption.go PrepareCandidate",
        "requeue": f"{_FACTORY_GO} MakeDefaultErrorFunc (1.25 on: schedule_one.go handleSchedulingFailure)",
        "add_nominated_pod": f"{_SCHEDULER_GO} recordSchedulingFailure -> {_QUEUE_GO} AddNominatedPod",
        "patch_failure": f"{_SCHEDULER_GO} recordSchedulingFailure -> updatePod",
        "bind": f"{_SCHEDULER_GO} bind",
        "bind_failed": f"{_SCHEDULER_GO} bind -> cache.go FinishBinding, ForgetPod",
        "finish_binding": "cache.go FinishBinding",
        "forget_pod": "cache.go ForgetPod",
        "move_after_forget": f"{_SCHEDULER_GO} scheduleOne -> {_QUEUE_GO} MoveAllToActiveOrBackoffQueue",
        "get_pod": f"{_FACTORY_GO} MakeDefaultErrorFunc, its goroutine",
        "add_unschedulable": f"{_QUEUE_GO} AddUnschedulableIfNotPresent",
        "tick": "the clock",
        "flush_backoff_q_completed": f"{_QUEUE_GO} flushBackoffQCompleted",
        "flush_unschedulable_q_leftover": f"{_QUEUE_GO} flushUnschedulableQLeftover",
        "cleanup_assumed_pods": "cache.go cleanupAssumedPods",
    },
    tla_form=tla_scheduling.form,
    smt_form=_scheduling_smt,
    describe_action=scheduling_narration.describe_action,
    describe_state=scheduling_narration.describe_state,
    describe_damage=scheduling_narration.describe_damage,
    effects=scheduling_effects.effects_of_rules,
    never_offered=never_offered,
    mutants=scheduling.MUTANTS,
)

SYSTEMS: dict[str, System] = {system.name: system for system in (NODE_LISTING, CPU_MANAGER, SCHEDULING)}


def system_named(name: str) -> System:
    """The system of that name, hyphens or underscores. Raises InputError."""
    system = SYSTEMS.get(name.replace("_", "-"))
    if system is None:
        raise InputError(f"no system '{name}': expected one of {', '.join(SYSTEMS)}")
    return system
