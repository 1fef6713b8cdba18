"""What an error says of a name that is not there."""

import pytest

from kubeproof.errors import FEW, MOST, nearest, not_one_of

MANY = [f"name-{number}" for number in range(FEW + 1)]


def test_few_names_are_listed_whole_and_of_many_the_nearest() -> None:
    assert not_one_of("x", "bound", MANY[:FEW]).endswith(f": expected one of {', '.join(MANY[:FEW])}")
    said = not_one_of("nam-7", "bound", MANY, "kubeproof list")
    assert said.startswith("'nam-7' is not a bound: did you mean name-7")
    assert said.endswith("? `kubeproof list` lists all")
    assert said.count("name-") == MOST
    assert not_one_of("qqq", "bound", MANY, "kubeproof list") == "'qqq' is not a bound: `kubeproof list` lists all"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("CURSOR", ["NODETREE-CURSOR"]),
        ("nodetree_curser", ["NODETREE-CURSOR"]),
        ("cu", []),  # So short a part is a part of too many.
        ("snap", ["SNAP-MAP", "A-SNAP"]),  # A name that begins so comes first.
    ],
)
def test_a_part_of_a_name_and_another_spelling_are_near(name: str, expected: list[str]) -> None:
    assert nearest(name, ["A-SNAP", "NODETREE-CURSOR", "SNAP-MAP"]) == expected


def test_what_is_given_is_shortened() -> None:
    assert len(not_one_of("x" * 100_000, "bug", MANY, "kubeproof bugs")) < 200
