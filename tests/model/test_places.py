"""The place of a step follows the release."""

import pytest
from packaging.version import Version

from model.places import always, place_in

MOVED = (("1.15.0", "a.go f"), ("1.19.0-alpha.1", "b.go f"), ("1.24.3", "c.go g"))


@pytest.mark.parametrize(
    ("release", "place"),
    [
        ("1.15.0", "a.go f"),
        ("1.18.20", "a.go f"),
        ("1.19.0a1", "b.go f"),
        ("1.19.0", "b.go f"),
        ("1.24.2", "b.go f"),
        ("1.24.3", "c.go g"),
        ("1.31.0", "c.go g"),
        ("1.13.0", "a.go f"),
    ],
)
def test_the_place_is_that_of_the_newest_release_not_newer(release: str, place: str) -> None:
    assert place_in(MOVED, Version(release)) == place


def test_what_never_moves_has_one_place() -> None:
    assert place_in(always("a user"), Version("1.13.0")) == place_in(always("a user"), Version("1.31.0")) == "a user"


def test_no_place_is_an_error() -> None:
    with pytest.raises(ValueError, match="not a place"):
        place_in((), Version("1.31.0"))
