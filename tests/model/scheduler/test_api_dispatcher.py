"""The API dispatcher: which call is made, which is merged or skipped, and who is told what."""

from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given, strategies as st

from kubeproof.conform.conform import replay_file
from model.evidence import cell
from model.releases import known_release, rules_for
from model.scheduler.api_calls import Patch, PodBindingCall, PodStatus, PodStatusPatchCall, execute, patched
from model.scheduler.api_dispatcher import (
    LESS_RELEVANT,
    MORE_RELEVANT,
    NO_EFFECT,
    NO_EFFECT_AFTER_SYNC,
    SAME_TYPE,
    ApiDispatcherRules,
    CallQueue,
    QueuedCall,
    add,
    began,
    finalize,
    pop,
    sync_object,
)
from tests.conftest import DATA


def rules(release: str) -> ApiDispatcherRules:
    return rules_for(ApiDispatcherRules, known_release(release))


OLD, NEW = rules("1.34.1"), rules("1.36.2")
NOMINATE = PodStatusPatchCall("p", PodStatus(), "Unschedulable", "n1")
CLEAR = PodStatusPatchCall("p", PodStatus(), None, "")
BIND = PodBindingCall("p", "n1")


def with_call(call: PodStatusPatchCall | PodBindingCall, in_flight: bool = False) -> CallQueue:
    queue = add(OLD, CallQueue(), call).queue
    return pop(queue)[0] if in_flight else queue


def test_the_gate_is_on_in_three_releases_only() -> None:
    releases = ("1.34.0", "1.34.1", "1.34.2", "1.34.9", "1.35.0", "1.35.1", "1.35.6", "1.36.2")
    assert [rules(each).async_api_calls_default() for each in releases] == [True, True, False, False, True] + [
        False
    ] * 3


def test_a_less_relevant_call_is_skipped_and_a_more_relevant_one_overwrites() -> None:
    for in_flight in (False, True):
        bound = with_call(BIND, in_flight)
        answered = add(NEW, bound, NOMINATE)
        assert (answered.error, answered.sent) == (LESS_RELEVANT, ((1, LESS_RELEVANT),))
        assert answered.queue == evolve(bound, next_id=2)
    answered = add(NEW, with_call(NOMINATE), BIND)
    assert (answered.error, answered.sent) == (None, ((0, MORE_RELEVANT),))
    assert answered.queue.calls_queue == ("p",)
    assert answered.queue.api_calls == (QueuedCall(1, BIND),)


def test_who_is_told_that_a_call_in_flight_is_overwritten() -> None:
    """#135180 is about calls of two types. A newer PATCH still has the caller of one in flight answered."""
    running = with_call(NOMINATE, in_flight=True)
    assert add(OLD, running, BIND).sent == ((0, MORE_RELEVANT),)
    assert add(NEW, running, BIND).sent == ()
    assert add(OLD, running, CLEAR).sent == add(NEW, running, CLEAR).sent == ((0, SAME_TYPE),)


def test_a_patch_takes_over_what_only_the_older_one_wants_to_write() -> None:
    cleared = add(NEW, with_call(NOMINATE), CLEAR).queue.api_calls[0].call
    assert cleared == PodStatusPatchCall("p", PodStatus(), "Unschedulable", "")
    reason = PodStatusPatchCall("p", PodStatus(), "SchedulerError")
    assert add(NEW, with_call(NOMINATE), reason).queue.api_calls[0].call == PodStatusPatchCall(
        "p", PodStatus(), "SchedulerError", "n1"
    )


def test_a_call_without_effect_takes_the_pending_one_with_it() -> None:
    nominate = evolve(NOMINATE, new_condition=None)
    answered = add(NEW, with_call(nominate), CLEAR)
    assert (answered.queue, answered.error) == (CallQueue(next_id=2), NO_EFFECT)
    assert answered.sent == ((0, SAME_TYPE), (1, NO_EFFECT))


def test_behind_a_call_in_flight_a_call_without_effect_waits_and_writes_nothing() -> None:
    """The call knows the status from before the nomination, so the nomination stays at the API server."""
    queue, nominating = pop(with_call(evolve(NOMINATE, new_condition=None)))
    assert isinstance(nominating.call, PodStatusPatchCall)
    begun, patch = execute(nominating.call)
    queue = began(queue, evolve(nominating, call=begun))
    assert patch == Patch("n1")
    status = patched(PodStatus(), patch)
    queue = add(NEW, queue, CLEAR).queue
    queue = finalize(queue, nominating)
    queue, clearing = pop(queue)
    assert isinstance(clearing.call, PodStatusPatchCall)
    assert execute(clearing.call)[1] is None
    assert status == PodStatus("n1")


def test_what_a_sync_changes() -> None:
    queue = with_call(NOMINATE)
    answered, shown = sync_object(queue, "p", PodStatus("n2"))
    assert shown == PodStatus("n1", "Unschedulable")
    assert answered.queue.api_calls[0].call == evolve(NOMINATE, pod_status=PodStatus("n2"))
    # The goroutine shares the call until it begins; afterwards nothing changes.
    running, popped = pop(queue)
    heard = sync_object(running, "p", PodStatus("n2"))[0].queue
    assert heard.in_flight == heard.api_calls == answered.queue.api_calls
    assert isinstance(popped.call, PodStatusPatchCall)
    begun = began(running, evolve(popped, call=execute(popped.call)[0]))
    assert sync_object(begun, "p", PodStatus("n2"))[0].queue == begun
    # A call that a sync leaves without effect goes, and its caller is told.
    done = sync_object(queue, "p", PodStatus("n1", "Unschedulable"))[0]
    assert (done.queue, done.sent) == (CallQueue(next_id=1), ((0, NO_EFFECT_AFTER_SYNC),))
    assert sync_object(CallQueue(), "p", PodStatus("n1"))[1] == PodStatus("n1")


def test_a_patch_of_a_reason_alone_leaves_a_bound_pod_bound() -> None:
    bound = PodStatus("", "True")
    again = PodStatusPatchCall("p", PodStatus("", "Unschedulable"), "SchedulerError")
    patch = execute(again)[1]
    assert patch == Patch(None, "SchedulerError", with_status=False)
    assert patched(bound, patch) == bound
    first = execute(evolve(again, pod_status=PodStatus()))[1]
    assert first is not None
    assert patched(bound, first) == PodStatus("", "SchedulerError")


def test_how_it_is_known() -> None:
    for release in ("1.34.1", "1.34.2", "1.34.9", "1.35.0", "1.35.1", "1.36.2"):
        assert cell("async_api_calls_default", known_release(release)).evidence == "read"
        for field in ("answers_call_in_flight", "is_less_relevant", "merge_patches"):
            assert cell(field, known_release(release)).evidence == "recorded", (field, release)


@pytest.mark.parametrize("release", ["1.34.1", "1.35.0", "1.36.2"])
def test_excerpts_of_recordings_replay(release: str) -> None:
    replay = replay_file(DATA / f"api_dispatcher-{release}.jsonl")
    assert replay.divergences == []
    assert set(replay.played) == {"patch", "bind", "sync", "pop", "execute", "finalize"}


def test_a_recording_of_1_34_tells_who_is_answered(tmp_path: Path) -> None:
    text = (DATA / "api_dispatcher-1.34.1.jsonl").read_text("utf-8").replace('"release":"1.34.1"', '"release":"1.36.2"')
    other = tmp_path / "recording.jsonl"
    other.write_text(text, "utf-8")
    assert replay_file(other).divergences


_STATUS = st.builds(PodStatus, st.sampled_from(["", "n1"]), st.sampled_from(["", "r1", "True"]))
_UID = st.sampled_from(["p", "q"])
_CALLS = st.one_of(
    st.builds(
        PodStatusPatchCall,
        _UID,
        _STATUS,
        st.sampled_from([None, "r1", "r2"]),
        st.sampled_from([None, "", "n1"]),
    ),
    st.builds(PodBindingCall, _UID, st.sampled_from(["n1", "n2"])),
)
_OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), _CALLS),
        st.tuples(st.just("pop"), st.none()),
        st.tuples(st.just("finalize"), st.integers(0, 1)),
        st.tuples(st.just("sync"), st.tuples(_UID, _STATUS)),
    ),
    max_size=16,
)


@given(st.sampled_from([OLD, NEW]), _OPERATIONS)
def test_random_operations_keep_what_the_dispatcher_promises(
    chosen: ApiDispatcherRules, operations: list[tuple[str, object]]
) -> None:
    queue = CallQueue()
    for name, argument in operations:
        before = queue
        match name, argument:
            case "add", (PodStatusPatchCall() | PodBindingCall()) as call:
                queue = add(chosen, queue, call).queue
                _less_relevant_replaces_nothing(before, queue, call)
            case "pop", _ if queue.calls_queue:
                queue, _ = pop(queue)
            case "finalize", int(at) if at < len(queue.in_flight):
                queue = finalize(queue, queue.in_flight[at])
            case "sync", (str(uid), PodStatus() as status):
                queue = sync_object(queue, uid, status)[0].queue
        _consistent(queue)
    # Without new calls every call ends: each Pop is of a call that is there, and nobody waits for ever.
    for _ in range(8):
        for running in queue.in_flight:
            queue = finalize(queue, running)
        while queue.calls_queue:
            queue, _ = pop(queue)
            _consistent(queue)
    assert queue == CallQueue(next_id=queue.next_id)


def _consistent(queue: CallQueue) -> None:
    """One call in flight for an object; whatever is known of an object waits, or is in flight, and not both."""
    running = [each.call.uid for each in queue.in_flight]
    assert len(set(running)) == len(running)
    assert len(set(queue.calls_queue)) == len(queue.calls_queue)
    known = {each.call.uid for each in queue.api_calls}
    assert known == set(running) | set(queue.calls_queue)
    assert not set(running) & set(queue.calls_queue)


def _less_relevant_replaces_nothing(
    before: CallQueue, after: CallQueue, call: PodStatusPatchCall | PodBindingCall
) -> None:
    old, new = before.of(call.uid), after.of(call.uid)
    if old is None:
        return
    if isinstance(old.call, PodBindingCall):
        assert new is not None
        assert isinstance(new.call, PodBindingCall)
    elif isinstance(call, PodStatusPatchCall) and isinstance(old.call, PodStatusPatchCall):
        # Nothing that the older PATCH wants to write is lost, unless the newer one says otherwise.
        if new is None:
            return
        assert isinstance(new.call, PodStatusPatchCall)
        for wanted in ("nominated", "new_condition"):
            newer, older = getattr(call, wanted), getattr(old.call, wanted)
            assert getattr(new.call, wanted) == (older if newer is None else newer)
