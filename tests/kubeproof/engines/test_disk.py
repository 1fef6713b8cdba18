"""Numbers in a mapped file are those that are in memory; where the disk is full, they go there."""

import resource
import signal
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kubeproof.engines.explicit.core import InMemory
from kubeproof.engines.explicit.disk import OnDisk


@contextmanager
def full_disk(left: int) -> Iterator[None]:
    """The kernel refuses a file beyond this size as it refuses one on a full disk."""
    ignored, (soft, hard) = signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (left, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)


def filled(kept: Any, counts: tuple[int, ...]) -> list[int]:
    """What is in it after it has grown so often, and each new number was set."""
    random, begun = Random(1), 0
    for count in counts:
        kept.grow(count)
        numbers = kept.numbers
        assert not any(numbers[begun:count])
        for at in range(begun, count):
            numbers[at] = random.getrandbits(8 * numbers.itemsize)
        begun = count
        del numbers
    return list(kept.numbers)


@pytest.mark.parametrize("kind", ["Q", "I"])
def test_numbers_are_kept_on_the_disk(kind: Any, tmp_path: Path) -> None:
    counts = (1, 5_000, 20_000)
    expected = filled(InMemory(kind), counts)
    kept = OnDisk(tmp_path / "new", kind)
    assert filled(kept, counts) == expected
    assert filled(kept.another(), counts) == expected
    assert list((tmp_path / "new").iterdir()) == []
    for left in (0, 4_096, array(kind).itemsize * 6_000):
        with full_disk(left):
            assert filled(OnDisk(tmp_path, kind), counts) == expected
        # It does not go back to a file that is empty.
        kept = OnDisk(tmp_path, kind)
        with full_disk(left):
            kept.grow(10_000)
            kept.numbers[9_999] = 7
        kept.grow(20_000)
        assert (kept.numbers[9_999], len(kept.numbers)) == (7, 20_000)


def test_a_folder_that_takes_no_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert filled(OnDisk(tmp_path / "file" / "below", "I"), (5,)) == filled(InMemory("I"), (5,))
