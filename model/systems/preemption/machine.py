"""preemption: a pod fits nowhere, and DefaultPreemption makes room for it. One attempt, in every cluster of a scope.

Environment of `model.scheduler.preemption` and `model.scheduler.extender_preemption`. First everything is added that
makes the cluster; then each action is a part of `PostFilter` (to 1.18 of `preempt`), which no lock holds together.
Nothing else happens meanwhile: what comes in between is the subject of the systems `scheduling` and `queueing-hints`.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import ClassVar

from attrs import define

from model.evolve import evolve
from model.go.errors import GoError, MetErrors, errors_met, met_error
from model.machine import Action, Offer
from model.scheduler.extender_preemption import call_extenders
from model.scheduler.preemption.candidates import Picked, select_candidate
from model.scheduler.preemption.objects import Victims
from model.scheduler.preemption.preempt import (
    MinCandidates,
    Preempted,
    Search,
    look_from,
    where_to_look,
    without_candidate,
)
from model.scheduler.preemption.writes import POD_SCHEDULED, with_condition
from model.systems.preemption.answers import reply, statuses_of
from model.systems.preemption.building import PREEMPTOR, after_attempt, attempts, building_actions, built, new_statuses
from model.systems.preemption.scope import PreemptionScope
from model.systems.preemption.state import Candidate, Cluster, Preemption, PreemptionSystemRules

NO_CANDIDATE = "no candidate node for preemption"


def _of(candidates: Mapping[str, Victims]) -> tuple[Candidate, ...]:
    return tuple(Candidate(node, victims) for node, victims in candidates.items())


@define(frozen=True, slots=False)
class PreemptionMachine:
    """The system in a scope, under the rules of a release or of a proposed fix.

    A run begins with all that makes the cluster. No identifiers are interchangeable: the order in which
    the snapshot lists nodes and pods may decide.
    """

    scope: PreemptionScope
    rules: PreemptionSystemRules

    # Nothing that a rule is given is dropped.
    cuts: ClassVar[Mapping[str, str]] = {}
    sorts: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    symmetric: ClassVar[bool] = True
    named: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    action_names = (
        "run_pod",
        "set_budget",
        "fit_nowhere",
        "find_candidates",
        "call_extenders",
        "select_candidate",
        "prepare_candidate",
        "record_failure",
    )

    def _built(self, cluster: Cluster, action: Action) -> Cluster:
        return built(self.scope, cluster, action, lambda: self.rules.budgets_api())

    def initial_states(self) -> tuple[Preemption, ...]:
        return (Preemption(),)

    @cached_property
    def offers(self) -> tuple[Offer[Preemption], ...]:
        return (self._of_part,)

    def _of_part(self, state: Preemption) -> Iterator[Action]:
        """The part of the attempt that comes next. Each reads what it has to, besides `next`."""
        match state.next:
            case "begin":
                yield from building_actions(self.scope, state.cluster)
            case "search":
                search = self._search(state.cluster)
                starts = search.offsets if isinstance(search, Search) else range(1)
                yield from (Action.of("find_candidates", start=start) for start in starts)
            case "extenders":
                yield Action.of("call_extenders")
            case "select":
                picked = self._picked(state)
                nodes = picked if picked and not isinstance(picked, GoError) else ("",)
                yield from (Action.of("select_candidate", node=node) for node in nodes)
            case "prepare":
                yield Action.of("prepare_candidate")
                victims = self._asked_to_go(state) if self.scope.refused_requests else ()
                yield from (Action.of("prepare_candidate", refused=victim) for victim in victims)
            case "record":
                yield Action.of("record_failure")
            case "" if self.scope.more_pods and state.deleted and not state.cluster.earlier:
                yield from attempts(self.scope, after_attempt(state.cluster, state.chosen, state.deleted))

    def ends(self, state: Preemption) -> bool:
        return False

    def actions(self, state: Preemption) -> Iterator[Action]:
        for offer in self.offers:
            yield from offer(state)

    def step(self, state: Preemption, action: Action) -> Preemption:
        match action.name:
            case "run_pod" | "set_budget":
                return evolve(state, cluster=self._built(state.cluster, action))
            case "fit_nowhere":
                return self._fit_nowhere(state, action)
            case "find_candidates":
                return self._find_candidates(state, action["start"])
            case "call_extenders":
                return self._call_extenders(state)
            case "select_candidate":
                return self._select_candidate(state, action["node"])
            case "prepare_candidate":
                return self._prepare_candidate(state, str(dict(action.args).get("refused", "")))
            case "record_failure":
                return self._record_failure(state)
        raise ValueError(f"preemption has no action {action.name}")

    def errors(self, state: Preemption, action: Action) -> MetErrors:
        return errors_met(lambda: self.step(state, action))

    def rename(self, state: Preemption, names: Mapping[str, str]) -> Preemption:
        return state

    def canonical(self, state: Preemption, fixed: frozenset[str] = frozenset()) -> Preemption:
        return state

    def _fit_nowhere(self, state: Preemption, action: Action) -> Preemption:
        old = state.cluster
        if not state.next:
            old = after_attempt(old, state.chosen, state.deleted)
        cluster = self._built(old, action)
        # Nothing is left of an earlier attempt.
        return evolve(
            state, cluster=cluster, next="search", candidates=(), chosen="", ended="", panic="", nominated=None,
            deleted=(), statuses=new_statuses(self.scope, cluster), contexts=0,
        )  # fmt: skip

    def _search(self, cluster: Cluster) -> Search | Preempted | GoError:
        told = statuses_of(self.rules, cluster)
        return where_to_look(self.rules, cluster.preemptor, cluster.nodes, told, MinCandidates())

    def _find_candidates(self, state: Preemption, start: int) -> Preemption:
        cluster = state.cluster
        search = self._search(cluster)
        if isinstance(search, GoError):
            return evolve(state, next="record", ended=search.text)
        if isinstance(search, Preempted):
            return self._ended(state, search)
        found = look_from(self.rules, self.rules.fits_node, cluster.preemptor, search, start, cluster.budgets)
        state = evolve(state, contexts=found.contexts_left)
        if not found.candidates:
            return self._ended(state, without_candidate(self.rules, found, search))
        return evolve(state, next="extenders" if self._asks(cluster) else "select", candidates=_of(found.candidates))

    def _asks(self, cluster: Cluster) -> bool:
        return cluster.extender is not None and self.rules.asks_extenders_to_preempt()

    def _ended(self, state: Preemption, answer: Preempted) -> Preemption:
        said = answer.status.message or str(answer.status.code)
        return evolve(state, next="record", ended=said, nominated=answer.nominated)

    def _call_extenders(self, state: Preemption) -> Preemption:
        extender = state.cluster.extender
        assert extender is not None, "the search has seen to it"
        found = call_extenders(
            self.rules,
            [(lambda candidates: reply(extender, candidates), extender.ignorable)],
            {each.node: each.victims for each in state.candidates},
            {node.name: node for node in state.cluster.nodes},
        )
        if not isinstance(found, GoError):
            return evolve(state, next="select", candidates=_of(found))
        met_error("CallExtenders", found.text)
        if found.panic:
            return evolve(state, next="", panic=found.text)
        return evolve(state, next="record", ended=found.text)

    def _picked(self, state: Preemption) -> Picked:
        return select_candidate(self.rules, {each.node: each.victims for each in state.candidates})

    def _select_candidate(self, state: Preemption, node: str) -> Preemption:
        if node:
            return evolve(state, next="prepare", chosen=node, nominated=node)
        picked = self._picked(state)
        if isinstance(picked, GoError):
            return evolve(state, next="", panic=picked.text)
        return evolve(state, next="record", ended=NO_CANDIDATE)

    def _asked_to_go(self, state: Preemption) -> tuple[str, ...]:
        return tuple(pod.name for pod in self.rules.victims_to_delete(state.candidate(state.chosen).victims.pods))

    def _prepare_candidate(self, state: Preemption, refused: str) -> Preemption:
        """The requests in order, also from 1.26 on, where they go side by side. A refusal ends them.

        From 1.33 on a goroutine sends them, beside what comes next. It writes of the victims only.
        """
        victims = self._asked_to_go(state)
        if refused:
            victims = victims[: victims.index(refused)]
        own = state.status(PREEMPTOR)
        statuses = tuple(
            (name, (self.rules.status_of_victim(status, own) or status) if name in victims else status)
            for name, status in state.statuses
        )
        state = evolve(state, next="record", deleted=victims, statuses=statuses)
        if refused:
            why = f"the request about {refused} is refused"
            met_error("PrepareCandidate", why)
            kept = state.nominated if self.rules.nominated_before_deletion() else None
            return evolve(state, ended=why, nominated=kept)
        return state

    def _record_failure(self, state: Preemption) -> Preemption:
        if not self.rules.status_of_preemptor(state.cluster.unnamed_secret):
            met_error("updatePod", "failed to create merge patch for pod")
            return evolve(state, next="")
        (name, status), *others = state.statuses
        status = with_condition(status, POD_SCHEDULED)
        if state.nominated is not None:
            status = evolve(status, nominated_node_name=state.nominated)
        return evolve(state, next="", statuses=((name, status), *others))
