"""What each action of the system scheduling may do to one incarnation of a pod, whatever the rest of the cluster does.

Each `PodStep` is one hold of one lock, or one request to the API server, as with the scope's switches `fine` and
`listeners`; an action of the coarse grain is several of them in a row. A step says more than happens where that needs
less to be known: goroutines may work on any version of the pod at any time. What it never says is less: tests compare
it with every step of the Python machine in small scopes, with other pods, nodes and incarnations around.
"""

from collections.abc import Callable, Iterator, Mapping

from attrs import evolve, field, fields, frozen

from model.scheduler.cache.assumed import no_mark
from model.scheduler.queue import nominator
from model.systems.scheduling import SchedulingRules, SchedulingScope
from properties.forms import Forms
from properties.smt.bits import Bit, all_of, any_of, negate, same
from properties.smt.scheduling.forms import SKIP_POD_SCHEDULE, SKIP_POD_UPDATE
from properties.smt.scheduling.observed import Observed

Writes = Mapping[str, Bit]
Refuses = Callable[[Observed], Bit]

# Steps that counterexamples tell apart by name.
REFUSED = "its Binding is refused"
FOREIGN = "a Binding of another incarnation binds it"
FORGOTTEN = "the handler forgets it, assumed and deleted"
FAILURE = frozenset({"record_failure", "patch_failure", "done_after_failure", "start_error_func", "get_pod"})
# Actions of the cycle in hand: with each of them it may end, or take another incarnation of its pod in hand.
OF_CYCLE = FAILURE | {
    "schedule", "find_nodes", "call_extenders", "assume", "delete_nominated_pod", "preempt", "nominate",
    "set_nominated_node_name", "post_filter", "delete_victims", "requeue", "add_nominated_pod",
}  # fmt: skip


def refuses_nobody(pod: Observed) -> Bit:
    return False


def refuses_unlisted(pod: Observed) -> Bit:
    """The lister has nothing under the pod's name."""
    return negate(any_of(pod.listed_pending, pod.listed_bound, pod.namesake_pending, pod.namesake_bound))


def refuses_unlisted_and_bound(pod: Observed) -> Bit:
    """The lister has nothing under the pod's name, or something bound."""
    return negate(any_of(pod.listed_pending, pod.namesake_pending))


# Whom a release's `add` refuses to nominate. 1.13 looks nominations up by status: no form.
REFUSES: Forms[Refuses] = Forms(
    "nominator_add",
    {
        nominator.add_unchecked: refuses_nobody,
        nominator.add_if_listed: refuses_unlisted,
        nominator.add_overriding: refuses_unlisted,
        nominator.add_if_listed_unbound: refuses_unlisted_and_bound,
        nominator.add_overriding_unless_bound: refuses_unlisted_and_bound,
        nominator.add_reference: refuses_unlisted_and_bound,
    },
)


@frozen
class PodStep:
    """One thing that may happen to the pod."""

    name: str
    # The actions of the machine that do this.
    actions: frozenset[str]
    # When this may happen.
    guard: Bit
    # The fields that are written, with their new values.
    writes: Writes = field(factory=dict)
    # The fields that may have any value afterwards. Every other field stays as it is.
    free: frozenset[str] = frozenset()

    def after(self, before: Observed) -> Observed:
        """Where it leads, free fields staying as they are."""
        return evolve(before, **self.writes)

    def leads(self, before: Observed, after: Observed) -> Bit:
        """The step can be taken in `before` and leads to `after`."""
        kept = (
            same(getattr(after, each.name), self.writes.get(each.name, getattr(before, each.name)))
            for each in fields(Observed)
            if each.name not in self.free
        )
        return all_of(self.guard, *kept)


@frozen
class Environment:
    """What the steps depend on: who is refused a nomination, and powers of the scope."""

    refuses: Refuses
    rules: SchedulingRules
    scope: SchedulingScope

    def steps(self, pod: Observed) -> Iterator[PodStep]:
        """Everything that may happen to `pod`; what changes none of its bits is left out."""
        yield from self._api(pod)
        yield from self._store(pod)
        yield from self._handlers(pod)
        yield from self._cycle(pod)
        yield from self._nominations(pod)
        yield from self._binding(pod)

    def _api(self, pod: Observed) -> Iterator[PodStep]:
        creates = frozenset({"create_pod", "recreate_pod"})
        yield PodStep("the pod is created", creates, negate(pod.created), {"pending": True})
        deletes = frozenset({"delete_pod", "finish_termination", "delete_victims"})
        exists = any_of(pod.pending, pod.bound)
        is_gone = {"pending": False, "bound": False, "gone": True, "terminating": False}
        yield PodStep("the pod is deleted", deletes, exists, is_gone)
        if self.scope.blocked_deletes:
            begins = frozenset({"delete_pod", "delete_victims"})
            yield PodStep("its deletion begins", begins, pod.pending, {"terminating": True})
        if self.scope.other_binders:
            yield PodStep("another scheduler binds it", _only("bind_elsewhere"), _may_be_bound(pod), _BOUND)

    def _store(self, pod: Observed) -> Iterator[PodStep]:
        """deliver_pod: the store is brought up to date, and the handlers are told."""
        deliver, ended = _only("deliver_pod"), any_of(pod.bound, pod.gone)
        unseen = all_of(pod.created, negate(pod.listed))
        nobody = {"namesake_pending": False, "namesake_bound": False}
        seen = {"listed_pending": True, "coming": True, **nobody}
        yield PodStep("the store has it", deliver, unseen, seen)
        yield PodStep("the store has a newer version", deliver, pod.listed_pending, {"coming": True})
        bound = {"listed_pending": False, "listed_bound": True, "leaving": True}
        yield PodStep("the store shows it bound", deliver, all_of(pod.listed_pending, ended), bound)
        removed = {"listed_pending": False, "listed_gone": True, "leaving": True}
        yield PodStep("the store loses it pending", deliver, all_of(pod.listed_pending, pod.gone), removed)
        lost = {"listed_bound": False, "listed_gone": True}
        yield PodStep("the store loses it bound", deliver, all_of(pod.listed_bound, pod.gone), lost)
        yield PodStep("a resync tells of it", _only("resync_pod"), pod.listed_pending, {"coming": True})
        if self.scope.relists:
            missed = all_of(unseen, ended)
            yield PodStep("the store first has it bound", deliver, missed, {"listed_bound": True, **nobody})
            passed = all_of(unseen, pod.gone)
            yield PodStep("a relist passes it over", _only("relist_pods"), passed, {"listed_gone": True})
        if self.scope.recreates:
            away = negate(any_of(pod.listed_pending, pod.listed_bound))
            for phase in ({}, {"namesake_pending": True}, {"namesake_bound": True}):
                yield PodStep("the store has another incarnation, or none", deliver, away, {**nobody, **phase})

    def _handlers(self, pod: Observed) -> Iterator[PodStep]:
        one = self.rules.one_pod_handler()
        hears = _only("handle_pod" if one else "handle_unassigned")
        for rest in (pod.coming, False):
            yield PodStep("a version is skipped", hears, pod.coming, {"coming": rest})
            for guard, writes in self._adds(pod):
                yield PodStep("a version is queued", hears, all_of(pod.coming, guard), {**writes, "coming": rest})
        # Notifications come in order, and the last of a pod is that it leaves.
        last = all_of(pod.leaving, negate(pod.coming))
        for rest in (pod.leaving, False):
            yield PodStep("it leaves the unassigned handler", hears, last, {**_deleted(), "leaving": rest})
        yield PodStep("it is deleted once more", hears, pod.listed_gone, _deleted())
        counts, was_bound = _only("handle_pod" if one else "handle_assigned"), any_of(pod.bound, pod.gone)
        yield PodStep("the cache counts it", counts, was_bound, {"assumed": False, "added": True})
        yield PodStep("the cache drops it", counts, pod.gone, {"assumed": False, "added": False})
        if self.rules.forgets_deleted_assumed_pod():
            # A version that the pod goes with is not queued then.
            for rest in (pod.coming, False):
                forgotten = {"assumed": False, "coming": rest}
                yield PodStep(FORGOTTEN, hears, all_of(pod.assumed, pod.deleted), forgotten)
        if self.scope.expiry and self.scope.clock and self._expires:
            yield PodStep("it expires in the cache", _only("cleanup_assumed_pods"), pod.assumed, {"assumed": False})

    @property
    def _expires(self) -> bool:
        """Whether an assumed pod is dropped some time after its binding (up to 1.24)."""
        if self.rules.mark_finished_binding is no_mark:
            return False
        return self.rules.binding_deadline(0, self.rules.assumed_pod_ttl()) is not None

    def _cycle(self, pod: Observed) -> Iterator[PodStep]:
        yield PodStep("it is to be placed", _only("schedule"), self._is_scheduled(pod), {"placing": True})
        known = all_of(pod.created, negate(pod.cached))
        second = any_of(pod.second_bind, pod.binds)
        assumes = {"assumed": True, "binds": True, "second_bind": second}
        yield PodStep("it is assumed", _only("assume"), known, assumes, frozenset({"placing"}))
        yield PodStep("its cycle goes on, or ends", OF_CYCLE - {"schedule"}, True, free=frozenset({"placing"}))

    def _is_scheduled(self, pod: Observed) -> Bit:
        """skipPodSchedule lets the popped pod pass, as far as the bits tell."""
        never = SKIP_POD_SCHEDULE.of(self.rules) and SKIP_POD_UPDATE.of(self.rules)
        return negate(pod.assumed) if never else True

    def _nominations(self, pod: Observed) -> Iterator[PodStep]:
        free = frozenset({"placing"})
        own = self.rules.error_func().own_goroutine
        # Where a name is used once, what a goroutine finds under it the store has had.
        had = pod.created if self.scope.recreates else pod.listed
        for guard, writes in self._adds(pod):
            nominates = _only("nominate" if own else "add_nominated_pod")
            yield PodStep("a goroutine nominates it", nominates, all_of(had, guard), writes, free)
            returns, known = ("add_unschedulable", had) if own else ("requeue", pod.listed_pending)
            yield PodStep("a goroutine queues it again", _only(returns), all_of(known, guard), writes, free)
        assumed = frozenset({"delete_nominated_pod", "set_nominated_node_name"})
        yield PodStep("its nomination is deleted", assumed, pod.created, _deleted(), free)

    def _adds(self, pod: Observed) -> Iterator[tuple[Bit, Writes]]:
        """The nominator's `add`: it deletes the pod's nomination, and makes another if a node is named."""
        accepted = negate(self.refuses(pod))
        yield True, _deleted()
        yield accepted, {"filed": True, "there": True}
        yield all_of(accepted, pod.elsewhere), {"filed": True, "there": True, "elsewhere": False}

    @property
    def _by_name(self) -> bool:
        """The API server gives a Binding to whatever incarnation has the name."""
        return bool(self.scope.recreates) and not self.rules.binding_honours_uid()

    def _binding(self, pod: Observed) -> Iterator[PodStep]:
        binds, undoes = _only("bind"), any_of(pod.second_undo, pod.undoes)
        failed = {"undoes": True, "second_undo": undoes}
        for left in ({"binds": pod.second_bind, "second_bind": False}, {"binds": pod.second_bind}):
            posted = all_of(pod.binds, _may_be_bound(pod))
            yield PodStep("it is bound", binds, posted, {**_BOUND, **left})
            if self.scope.lost_replies:
                yield PodStep("it is bound, and the answer is lost", binds, posted, {**_BOUND, **left, **failed})
            if self._by_name:
                taken = all_of(pod.binds, pod.gone)
                yield PodStep("its Binding binds another incarnation", binds, taken, left)
            # Of a pod that may be bound by a fault of the API server.
            refused = True if self.scope.bind_errors else negate(_may_be_bound(pod))
            yield PodStep(REFUSED, binds, all_of(pod.binds, refused), {**left, **failed})
        if self._by_name:
            yield PodStep(FOREIGN, binds, _may_be_bound(pod), _BOUND)
        for left in ({"undoes": pod.second_undo, "second_undo": False}, {"undoes": pod.second_undo}):
            for forgotten in (pod.assumed, False):
                yield PodStep("it is forgotten", _only("forget_pod"), pod.undoes, {**left, "assumed": forgotten})


_BOUND: Writes = {"pending": False, "bound": True}


def _may_be_bound(pod: Observed) -> Bit:
    """The API server binds the pod if asked."""
    return all_of(pod.pending, negate(pod.terminating))


def _only(action: str) -> frozenset[str]:
    return frozenset({action})


def _deleted() -> Writes:
    """`delete` by UID: what nominatedPodToNode does not tell of stays."""
    return {"filed": False, "there": False}


def allowed(steps: list[PodStep], action: str, before: Observed, after: Observed) -> bool:
    """Whether the relation has this step of a machine, both states being constants."""
    if before == after:
        return True
    return any(step.leads(before, after) is True for step in steps if action in step.actions)
