"""What is read of a state, and no more: fields of records in places, entries by key, and fields that no row keeps."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, ClassVar

from attrs import field, frozen

from kubeproof.engines.explicit import explore
from model.evolve import evolve
from model.machine import Action
from model.variables import Entries, Places, Series, apart


@apart
@frozen(cache_hash=True)
class Part:
    """A record in a place."""

    on: bool = False
    seen: int = 0
    # No state is told from another by this.
    words: str = field(default="", eq=False)


@frozen(cache_hash=True)
class System:
    """A state."""

    parts: Places[Part] = Places((Part(), Part()))
    told: Entries[str, int] = Entries()
    series: Series[int] = Series((0, 0))


class Machine:
    """`step` does what the test says. Every action is always enabled."""

    cuts: ClassVar[dict[str, str]] = {}
    symmetric = False
    sorts: ClassVar[dict[str, tuple[str, ...]]] = {}
    named: ClassVar[dict[str, tuple[str, ...]]] = {}

    def __init__(self, **does: Any) -> None:
        self.does = does
        self.action_names = tuple(does)
        self.asked = dict.fromkeys(does, 0)

    def initial_states(self) -> tuple[System, ...]:
        return (System(),)

    @cached_property
    def offers(self) -> Any:
        return (self.actions,)

    def ends(self, state: System) -> bool:
        return False

    def actions(self, state: System) -> Iterator[Action]:
        return (Action(name) for name in self.does)

    def step(self, state: System, action: Action) -> System:
        self.asked[action.name] += 1
        return self.does[action.name](state)

    def canonical(self, state: System, fixed: frozenset[str] = frozenset()) -> System:
        return state


def found(**does: Any) -> tuple[set[System], dict[str, int]]:
    """All states, and how often each action's step was evaluated."""
    machine = Machine(**does)
    run = explore(machine)
    return {run.state(number) for number in range(run.counts.distinct)}, machine.asked


def on(state: System, at: int) -> System:
    return evolve(state, parts=state.parts.put(at, evolve(state.parts[at], on=True)))


def count(state: System, at: int) -> System:
    part = state.parts[at]
    return evolve(state, parts=state.parts.put(at, evolve(part, seen=min(part.seen + 1, 3))))


def test_a_field_of_a_record_in_a_place_is_read_alone() -> None:
    states, asked = found(on=lambda state: on(state, 1), count=lambda state: count(state, 0))
    assert {(s.parts[1].on, s.parts[0].seen) for s in states} == {
        (on, seen) for on in (False, True) for seen in range(4)
    }
    assert asked == {"on": 1, "count": 4}


def test_a_field_without_a_part_in_equality_is_in_no_row() -> None:
    def say(state: System) -> System:
        assert state.parts[0].words == ""
        said = evolve(state.parts[0], words="said", on=True)
        assert said.words == ""
        return evolve(state, parts=state.parts.put(0, said))

    states, _ = found(say=say)
    assert {s.parts[0].on for s in states} == {False, True}
    assert {s.parts[0].words for s in states} == {""}


def test_a_new_record_in_a_place_is_kept_field_by_field() -> None:
    states, asked = found(new=lambda state: evolve(state, parts=state.parts.put(0, Part(seen=2))))
    assert {s.parts[0] for s in states} == {Part(), Part(seen=2)}
    assert asked == {"new": 1}


def test_what_is_asked_after_changes_is_all_that_is_read() -> None:
    def a(state: System) -> System:
        return evolve(state, told=state.told.enter("a", 1))

    def b(state: System) -> System:
        changed = state.told.enter("b", 1).less("c")
        return evolve(state, told=changed.enter("b", 2) if changed.has("a", 1) else changed)

    def without(state: System) -> System:
        changed = state.told.without(1)
        return evolve(state, told=changed.enter("a", 3) if changed.get("a") == 3 else changed)

    states, asked = found(a=a, b=b, without=without)
    assert {s.told for s in states} == {
        (), (("a", 1),), (("b", 1),), (("a", 1), ("b", 1)), (("a", 1), ("b", 2)), (("b", 2),),
    }  # fmt: skip
    # `a` reads nothing, `b` whether a is 1; after `without(1)` no state has another value for a.
    assert asked == {"a": 1, "b": 2, "without": 1}


def test_what_a_function_makes_of_a_row_reads_nothing() -> None:
    def counted(row: tuple[int, ...], at: int) -> list[int]:
        return [min(value + (place == at), 2) for place, value in enumerate(row)]

    states, asked = found(
        first=lambda state: evolve(state, series=state.series.turned(counted, 0)),
        second=lambda state: evolve(state, series=state.series.turned(counted, 1)),
    )
    assert {s.series for s in states} == {(one, other) for one in range(3) for other in range(3)}
    assert asked == {"first": 1, "second": 1}
