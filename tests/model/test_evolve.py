"""The quick `evolve` does as attrs.evolve does."""

import pytest
from attrs import evolve as slow, frozen

from model.evolve import evolve


@frozen
class One:
    name: str


@frozen
class Two:
    name: str
    one: One


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
