"""Each property can fail: under a rule that it names, in a release or put in on purpose. Of every system."""

import pytest

from kubeproof.bugs.catalogue import BUGS
from kubeproof.bugs.kept import reproduce
from kubeproof.check.check import check_system, rule_names
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System
from kubeproof.verdict.result import Outcome
from model.releases import known_release, rules_for
from properties.property import Property
from tests.conftest import by_engines

CORE = "threads=1,reserved=1,init=0,removals=0,restarts=0,crashes=0,hotplug=0"
ALONE = "pods=1,nodes=1,extender=0,preemption=0"
GATE_ON = "0,pods=1,gate=1"
ONE_FULL_NODE = "0,nodes=1,pods=2,cpus=2,priorities=2"
JOINING = "0,pods=1,nodes=3,node_zones=2,late_nodes=1,node_adds=1,room=1,goroutines=1,quota=3"
ONE_POD = "0,pods=1,nodes=1,room=1,goroutines=1"
PREEMPTING = "0,pods=2,high=1,nodes=1,room=1,goroutines=1,preemption=1"
TWO_NODES = "pods=1,nodes=2,extender=0,preemption=0"
# By system and property (release, scope, rules put in), where no kept counterexample of the property is shown under a
# rule that the property names.
PUT_IN: dict[str, dict[str, tuple[str, str, tuple[str, ...]]]] = {
    "node-listing": {
        "list-as-long-as-tree": ("1.31.0", "nodes=3,zones=2", ("list_nodes=list_one_per_zone",)),
        "no-needless-error": ("1.31.0", "nodes=3,zones=2", ("list_nodes=list_one_per_zone",)),
        "relisting-permutes": ("1.17.10", "nodes=3,zones=2", ()),
        "offered-again-when-quiet": ("1.18.4", "nodes=3,zones=2", ()),
        "offered-again-under-churn": ("1.18.4", "nodes=3,zones=2", ()),
    },
    "cpu-manager": {
        "reserved-never-exclusive": (
            "1.31.0",
            f"cores=2,pods=1,containers=1,size=1,{CORE}",
            ("allocate=allocate_reserved",),
        ),
        "whole-cores-only": (
            "1.31.0",
            f"cores=2,pods=1,containers=1,size=2,{CORE}".replace("threads=1", "threads=2") + ",full_pcpus=1",
            ("allocate=allocate_reserved",),
        ),
        "no-needless-error": (
            "1.31.0",
            f"cores=2,pods=1,containers=1,size=2,{CORE}".replace("threads=1", "threads=2").replace(
                "restarts=0", "restarts=1"
            )
            + ",full_pcpus=1",
            (),
        ),
        "exclusive-sets-disjoint": ("1.28.0", f"cores=3,pods=1,containers=2,size=1,{CORE},sidecars=1", ()),
    },
    "scheduling": {
        "one-attempt-at-a-time": ("1.17.10", f"{ALONE},updates=1", ()),
        "bound-once": ("1.17.10", f"{TWO_NODES},updates=1,lost_replies=1", ()),
        "no-failure-of-bound-pod": ("1.17.10", "pods=1,nodes=2,extender=1,preemption=1", ()),
        "assumed-pod-not-scheduled-again": ("1.17.10", f"{ALONE},updates=1", ()),
        "preempts-if-that-makes-room": ("1.36.2", PREEMPTING, ("preempts_with=preempts_nowhere",)),
        "pending-pod-not-forgotten": ("1.31.0", f"{ALONE},updates=1", ("skip_pod_schedule=skip_annotated_pod",)),
        "snapshot-equals-cache": (
            "1.31.0",
            f"{ALONE},node_deletes=1,node_adds=1,keep_snapshot=1",
            ("take_snapshot=snapshot_taken_once",),
        ),
        "no-needless-error": (
            "1.18.9",
            "0,pods=2,nodes=2,room=1,goroutines=1,node_deletes=1,keep_snapshot=1",
            (),
        ),
        "failed-attempt-backs-off": (
            "1.27.0",
            "0,pods=2,nodes=1,room=1,goroutines=1,clock=1",
            ("queue_for_failed_pod=failed_pod_to_active",),
        ),
        "pop-takes-the-first": (
            "1.31.0",
            "0,pods=2,high=1,nodes=1,room=1,goroutines=1",
            ("active_q_order=order_by_timestamp",),
        ),
        "fitting-pod-is-not-starved": (
            "1.13.0",
            "pods=2,high=1,nodes=1,room=2,extender=1,preemption=0,bind_errors=1,heartbeats=1,goroutines=1",
            (),
        ),
    },
    "queueing-hints": {
        "scheduled-while-in-flight": ("1.28.0-beta.0", f"{GATE_ON},pods=2,goroutines=2,bind_errors=1", ()),
        "nothing-in-flight-nothing-retained": ("1.28.3", f"{GATE_ON},goroutines=2,updates=1", ()),
        "list-begins-with-a-pod-in-flight": ("1.28.3", f"{GATE_ON},goroutines=2,updates=1", ()),
        "failure-sees-events-since-pop": ("1.28.0", f"{GATE_ON},pods=2,plugins=1,goroutines=1,changes=2", ()),
        "pod-in-one-place": ("1.28.3", f"{GATE_ON},goroutines=2,updates=1", ()),
        "queued-object-is-current": ("1.28.3", f"{GATE_ON},goroutines=2,deletes=1,graceful=1", ()),
        "leaves-backoff-queue-in-time": (
            "1.28.3",
            "0,pods=1,gate=2,plugins=1,goroutines=1,changes=1,clock=1",
            ("queue_update=update_from_backoff_to_active",),
        ),
        "failed-by-error-is-tried-again": ("1.28.3", f"{GATE_ON},goroutines=1,errors=1", ()),
        "events-are-released": ("1.31.13", f"{GATE_ON},goroutines=1,deletes=1,graceful=1", ()),
        "accepted-pod-is-bound": ("1.28.3", f"{GATE_ON},goroutines=1,errors=1", ()),
    },
    "preemption": {
        "victims-suffice": ("1.31.0", ONE_FULL_NODE, ("order_of_victims=the_last_is_forgotten",)),
        "each-victim-goes": ("1.36.0", ONE_FULL_NODE, ("victims_to_delete=nobody_is_deleted",)),
        "preempts-if-that-makes-room": ("1.36.0", ONE_FULL_NODE, ("preemption_might_help=helps_nowhere",)),
        "no-victim-could-stay": ("1.31.0", ONE_FULL_NODE, ("order_of_victims=everybody_goes",)),
        "least-important-go-first": ("1.31.0", ONE_FULL_NODE, ("order_of_lower_pods=the_less_important_first",)),
        "victims-are-known": ("1.31.0", ONE_FULL_NODE, ("status_of_victim=not_written",)),
        "waits-for-its-victims": (
            "1.31.0",
            f"{ONE_FULL_NODE},terminating=1",
            ("terminating_pod_counts=no_pod_counts",),
        ),
    },
    # The pages show its other properties.
    "async-preemption": {
        "preemptor-waits-for-somebody": (
            "1.36.0",
            "0,victims=1,goroutines=1",
            ("victims_to_delete=nobody_is_deleted",),
        ),
    },
    "api-calls": {
        "bound-if-said-so": (
            "1.36.2",
            "0,nodes=1,attempts=2,asynchronous_calls=1,refusals=1",
            ("is_less_relevant=patch_goes_first",),
        ),
        "condition-is-of-last-attempt": ("1.36.2", "0,nodes=1,attempts=2,asynchronous_calls=1,refusals=1", ()),
    },
    "scheduling-cycle": {
        "waiting-victim-goes": ("1.31.0", f"{PREEMPTING},permit=1", ()),
        "extenders-agree": ("1.19.4", f"{PREEMPTING},preempt_extender=1", ()),
        "preempts-for-pending-pod": (
            "1.31.13",
            f"{PREEMPTING},room=2,updates=1".replace("room=1,", "").replace("goroutines=1", "goroutines=2"),
            (),
        ),
        "preempts-if-that-makes-room": ("1.31.13", PREEMPTING, ("preempts_with=preempts_nowhere",)),
        "one-delete-per-victim": (
            "1.31.0",
            f"{PREEMPTING},graceful=1",
            ("terminating_pod_counts=no_pod_counts",),
        ),
        "node-harms-least": (
            "1.31.0",
            PREEMPTING.replace("pods=2,high=1,nodes=1", "pods=3,high=2,top=1,nodes=2"),
            ("pick_one_node=any_candidate",),
        ),
        "nominated-pod-is-pending": ("1.19.4", PREEMPTING, ()),
        "nominated-pod-is-tried": ("1.22.3", PREEMPTING, ()),
        "waits-for-its-victims": (
            "1.31.0",
            f"{PREEMPTING},graceful=1".replace("pods=2", "pods=3").replace("room=1", "room=2"),
            ("terminating_pod_counts=no_pod_counts",),
        ),
        "preempted-room-is-kept": ("1.13.0", PREEMPTING.replace("pods=2", "pods=3"), ()),
        "nomination-can-come-true": ("1.23.0", f"{PREEMPTING},node_deletes=1", ()),
        "reservation-has-an-owner": ("1.17.10", f"{ONE_POD},reserves=2,failures=1", ()),
        "reservation-is-kept": (
            "1.17.10",
            "0,pods=1,nodes=1,room=2,goroutines=2,reserves=1,updates=1",
            (),
        ),
        "no-error-hides-a-node": ("1.28.8", "0,pods=1,nodes=2,room=1,goroutines=1,named_nodes=2,node_deletes=1", ()),
        "search-asks-each-node-once": ("1.16.15", JOINING, ()),
        "search-keeps-to-its-snapshot": ("1.16.15", JOINING, ()),
        "node-is-examined-in-turn": (
            "1.24.0",
            "0,pods=3,nodes=3,room=3,goroutines=1,quota=1,named_nodes=1,named_pods=1",
            (),
        ),
        "named-nodes-are-tried": (
            "1.31.0",
            "0,pods=1,nodes=2,room=1,goroutines=1,named_nodes=2",
            ("named_nodes=first_name_alone",),
        ),
        "removed-node-leaves-the-tree": (
            "1.17.10",
            f"{ONE_POD},node_zones=1,node_deletes=1,node_not_found=1",
            (),
        ),
        "assumed-volumes-have-an-owner": ("1.17.10", f"{ONE_POD},volumes=1,reserves=1,failures=1", ()),
        "one-binder-binds": (
            "1.31.0",
            f"{ONE_POD},binder_extenders=1,ignorable=1,extender_errors=1",
            (),
        ),
        "interested-extender-is-asked-to-bind": ("1.15.3", f"{ONE_POD},binder_extenders=2,unmanaged=1", ()),
        "given-back-in-reverse": ("1.17.10", f"{ONE_POD},reserves=2,bind_errors=1", ()),
        "assumed-pod-has-an-owner": ("1.19.0-rc.4", f"{ONE_POD},reserves=1,failures=1", ()),
        "waiting-pod-has-a-waiter": (
            "1.31.0",
            f"{ONE_POD},permit=1",
            ("points_in_binding=bind_without_waiting",),
        ),
        "decision-of-permit-arrives": ("1.17.10", f"{ONE_POD},permit=1", ()),
        "all-plugins-allow": ("1.16.15", f"{ONE_POD},permit=2", ()),
        "one-attempt-at-a-time": ("1.17.10", f"{ONE_POD},updates=1".replace("goroutines=1", "goroutines=2"), ()),
        "bound-once": (
            "1.17.10",
            f"{ONE_POD},updates=1,lost_replies=1".replace("nodes=1", "nodes=2").replace("goroutines=1", "goroutines=2"),
            (),
        ),
        "binds-what-was-decided": ("1.22.0", f"{ONE_POD},deletes=1,recreates=1", ()),
        "scheduler-keeps-running": (
            "1.17.10",
            f"{ONE_POD},deletes=1,recreates=1,relists=1,other_binders=1".replace("nodes=1", "nodes=2"),
            (),
        ),
        "within-capacity": ("1.22.3", f"{ONE_POD},clock=1,expiry=1".replace("pods=1", "pods=2"), ()),
        "assumed-pod-not-scheduled-again": (
            "1.17.10",
            f"{ONE_POD},updates=1".replace("goroutines=1", "goroutines=2"),
            (),
        ),
        "wait-at-permit-ends": ("1.17.10", f"{ONE_POD},permit=1", ()),
        "no-failure-of-bound-pod": ("1.17.10", f"{ONE_POD},other_binders=1", ()),
        "cycle-state-is-of-one-cycle": (
            "1.14.0",
            f"{ONE_POD},reserves=1,failures=1,cycle_state=1".replace("pods=1", "pods=2"),
            (),
        ),
        "queued-pod-is-the-schedulers-own": (
            "1.31.0",
            f"{ONE_POD},deletes=1,recreates=1,unknown_profile=1,failures=1",
            (),
        ),
        "nominated-pod-is-the-schedulers-own": (
            "1.31.0",
            f"{PREEMPTING},deletes=1,recreates=1,unknown_profile=2",
            (),
        ),
        "bound-pod-is-the-schedulers-own": (
            "1.17.10",
            f"{ONE_POD},late_nodes=1,deletes=1,recreates=1,unknown_profile=1",
            (),
        ),
        "fitting-pod-is-bound": ("1.22.3", f"{ONE_POD},failures=1".replace("pods=1", "pods=2"), ()),
    },
}
EACH = [pytest.param(system, p, id=f"{system.name}-{p.name}") for system in SYSTEMS.values() for p in system.properties]


def in_force(system: System, release: str, chosen: tuple[str, ...] = ()) -> set[str]:
    rules = rules_for(system.rules_class, known_release(release))
    return {*rule_names(system, rules).values(), *(choice.split("=")[1] for choice in chosen)}


@pytest.mark.parametrize(("system", "p"), EACH)
def test_a_rule_that_the_property_names_breaks_it(system: System, p: Property) -> None:
    if p.name in PUT_IN[system.name]:
        release, scope, chosen = PUT_IN[system.name][p.name]
        report = check_system(system.name, release, rules=chosen, scope=scope, properties=[p.name])
        assert by_engines(report.results)[0].outcome is Outcome.VIOLATED
        assert in_force(system, release, chosen) & set(p.broken_by)
        return
    own = [bug for bug in BUGS if bug.system == system.name and bug.violates == p.name]
    shown = [bug for bug in own if in_force(system, bug.release) & set(p.broken_by)]
    assert shown
    assert all(reproduce(bug).appears for bug in shown)


@pytest.mark.parametrize(("system", "p"), EACH)
def test_the_rules_that_a_property_names_exist(system: System, p: Property) -> None:
    known = {name for field in system.rule_fields for name in system.built_in_rules(field)}
    assert set(p.broken_by) <= known
