"""The quick `evolve` does as attrs.evolve does, and the quick `maker` as the class does."""

import pickle
from collections.abc import Callable
from typing import Any

import pytest
from attrs import define, evolve as slow, field, frozen
from attrs.exceptions import FrozenInstanceError

from model.evolve import evolve, maker


@frozen
class One:
    name: str


@frozen
class Two:
    name: str
    one: One


@frozen(cache_hash=True)
class Hashed:
    name: str
    number: int = 0


@frozen
class More(Hashed):
    other: str = ""


@frozen(slots=False)
class WithoutSlots:
    name: str
    number: int = 0


@define
class Changeable:
    name: str
    number: int = 0


@frozen
class Converted:
    name: str = field(converter=str)
    number: int = 0


@frozen
class Checked:
    name: str
    number: int = 0

    def __attrs_post_init__(self) -> None:
        if self.number < 0:
            raise ValueError("a negative number")


@frozen
class Validated:
    name: str
    number: int = field(default=0)

    @number.validator
    def _not_negative(self, attribute: object, value: int) -> None:
        if value < 0:
            raise ValueError("a negative number")


@frozen
class OwnInit:
    name: str
    number: int

    def __init__(self, name: str, number: int) -> None:
        self.__attrs_init__(name, abs(number))  # type: ignore[attr-defined]


EVERY: list[type[Any]] = [Hashed, More, WithoutSlots, Changeable, Converted, Checked, Validated, OwnInit]


def test_it_replaces_the_named_fields_and_keeps_the_others() -> None:
    two = Two("a", One("b"))
    assert evolve(two, name="c") == slow(two, name="c") == Two("c", One("b"))
    assert evolve(two, name="c").one is two.one
    assert evolve(two) == two
    assert evolve(two.one, name="c") == One("c")
    assert evolve(two.one) == two.one


def test_a_name_that_is_no_field_is_an_error() -> None:
    with pytest.raises(KeyError, match="names"):
        evolve(Two("a", One("b")), names="c")


@pytest.mark.parametrize("cls", EVERY)
def test_a_record_made_quickly_is_like_any_other(cls: type[Any]) -> None:
    record = cls("a", 1)
    number = -1 if cls is OwnInit else 2
    expected, rest = cls("a", abs(number)), [""] if cls is More else []
    for made in (evolve(record, number=number), maker(cls)("a", number, *rest)):
        assert type(made) is cls
        assert made == expected
        assert repr(made) == repr(expected)
        assert pickle.loads(pickle.dumps(made)) == expected
        if cls is not Changeable:
            assert hash(made) == hash(expected) == hash(made)
            with pytest.raises(FrozenInstanceError):
                made.number = 3
            with pytest.raises(FrozenInstanceError):
                del made.number


def test_the_hash_of_the_old_record_is_not_kept() -> None:
    record = Hashed("a", 1)
    hash(record)
    assert hash(evolve(record, number=2)) == hash(Hashed("a", 2))
    assert len({record, evolve(record, number=2)}) == 2


@pytest.mark.parametrize("make", [evolve, lambda record, number: maker(type(record))("a", number)])
@pytest.mark.parametrize("cls", [Checked, Validated])
def test_what_a_class_checks_is_checked(cls: type[Any], make: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="a negative number"):
        make(cls("a", 1), number=-1)


def test_what_a_class_converts_is_converted() -> None:
    assert evolve(Converted("a"), name=5).name == "5"
    assert maker(Converted)(5, 0).name == "5"
