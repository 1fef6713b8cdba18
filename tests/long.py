"""Which tests take long: they count as slow, so that `make test` ends within minutes.

`make durations` measures every test that is not marked slow, and writes `long.txt`. Of each file at least the shortest
test stays among the fast ones, so that these run a part of everything.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.etree import ElementTree

LONG = Path(__file__).parent / "long.txt"
# In seconds, of setup, call and teardown.
LIMIT = 0.4


def long_tests() -> frozenset[str]:
    """The ids of the tests that take long."""
    return frozenset(LONG.read_text(encoding="utf-8").splitlines())


def durations_of(report: Path) -> dict[str, float]:
    """The seconds of each test in a report that `pytest --junitxml` has written, by the id of the test."""
    found = {}
    for case in ElementTree.parse(report).iter("testcase"):
        # Behind the name of the file is that of a class, if there is one.
        parts = case.attrib["classname"].split(".")
        file = next(at for at, part in enumerate(parts) if part.startswith("test_"))
        names = ("/".join(parts[: file + 1]) + ".py", *parts[file + 1 :], case.attrib["name"])
        found["::".join(names)] = float(case.attrib["time"])
    return found


def chosen(durations: Mapping[str, float]) -> list[str]:
    """The tests over the limit, less the shortest one of a file in which every test is over it."""
    by_file: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for test, seconds in durations.items():
        by_file[test.partition("::")[0]].append((seconds, test))
    shortest: Iterable[str] = (min(tests)[1] for tests in by_file.values())
    return sorted({test for test, seconds in durations.items() if seconds > LIMIT} - set(shortest))


if __name__ == "__main__":
    LONG.write_text("".join(f"{test}\n" for test in chosen(durations_of(Path(sys.argv[1])))), encoding="utf-8")
