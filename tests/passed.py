"""Which tests pytest runs: those that what changed may break (`--since-passed`), or those that have not yet passed.

`make test-all` runs every test that has not passed, and writes `tests/passed.txt` when all have. What passes meanwhile
is kept under `out/`, by commit, so that a run goes on where an earlier one was stopped or failed: a test has passed if
it did so at an ancestor, and depends on nothing that changed since. A test that is skipped has not passed: the file
names it, and it runs again at each commit.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from tests.selection import PARTS, PASSED, Chosen, Repository, chosen_since_passed, definition_of_test, depending

KEPT = "out/passed"


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("passed", "which tests run")
    group.addoption(
        "--since-passed",
        action="store_true",
        help=f"Run what depends on something that changed since the commit in {PASSED}, and a tenth of the rest.",
    )
    group.addoption(
        "--until-passed", action="store_true", help=f"Run what has not passed. Write {PASSED} when everything has."
    )


def configure(config: pytest.Config, root: Path) -> None:
    """Have the options do what they say. The workers are told by the process that starts them."""
    if config.option.since_passed:
        config.pluginmanager.register(SincePassed(config, root))
    if config.option.until_passed and not config.option.collectonly:
        config.pluginmanager.register(UntilPassed(config, root))


class _Deselecting(ABC):
    """Runs some of the tests that were collected, and says in one line how many."""

    def __init__(self, config: pytest.Config) -> None:
        self._worker: dict[str, Any] | None = getattr(config, "workerinput", None)
        self.counts: Counter[str] = Counter()

    @abstractmethod
    def why(self, test: str) -> str:
        """Why a test runs, or "" if it does not."""

    @abstractmethod
    def line(self) -> str:
        """How many tests were chosen, and why."""

    @abstractmethod
    def for_workers(self) -> Any:
        """What a worker is told, so that it chooses the same tests."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        reasons = {item: self.why(item.nodeid) for item in items}
        self.counts = Counter(reasons.values())
        config.hook.pytest_deselected(items=[item for item in items if not reasons[item]])
        items[:] = [item for item in items if reasons[item]]

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["chosen"] = self.for_workers()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self.counts = Counter(getattr(node, "workeroutput", {}).get("counts", self.counts))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._worker is not None:
            session.config.workeroutput["counts"] = dict(self.counts)  # type: ignore[attr-defined]
        if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.counts:
            # There is nothing that must run.
            session.exitstatus = pytest.ExitCode.OK

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.write_line(self.line())


class SincePassed(_Deselecting):
    def __init__(self, config: pytest.Config, root: Path) -> None:
        super().__init__(config)
        if self._worker is None:
            self.chosen = chosen_since_passed(root)
        else:
            everything, since, changed, skipped, part = self._worker["chosen"]
            self.chosen = Chosen(everything, since, frozenset(changed), frozenset(skipped), part)

    def why(self, test: str) -> str:
        return self.chosen.why(test)

    def for_workers(self) -> Any:
        chosen = self.chosen
        return chosen.everything, chosen.since, [*chosen.changed], [*chosen.skipped], chosen.part

    def line(self) -> str:
        if self.chosen.everything:
            return f"All {self.counts['changed']} tests were chosen: {self.chosen.everything}."
        return (
            f"Of {self.counts.total()} tests {self.counts['changed']} were chosen as something changed since "
            f"{self.chosen.since[:12]}, and {self.counts['part']} as tenth number {self.chosen.part} of {PARTS}; "
            f"{self.counts['']} were left out."
        )


class UntilPassed(_Deselecting):
    def __init__(self, config: pytest.Config, root: Path) -> None:
        super().__init__(config)
        self._root, self._repository = root, Repository(root)
        self._head = self._repository.head() if self._repository.is_clean() else None
        self._written = ""
        self._failed: set[str] = set()
        self._skipped: set[str] = set()
        self._new: list[str] = []
        self._passed: Collection[str]
        if self._worker is not None:
            self._passed = frozenset(self._worker["chosen"])
        else:
            self._passed = frozenset(_passed_before(root)) if self._head else frozenset()
            option = config.option
            # Whoever names tests does not run all of them.
            self._all = config.args_source is not config.ArgsSource.ARGS and not (option.markexpr or option.keyword)

    def why(self, test: str) -> str:
        return "" if test in self._passed else "left"

    def for_workers(self) -> Any:
        return [*self._passed]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self._worker is not None:
            return
        if report.failed:
            self._failed.add(report.nodeid)
        if report.skipped and not hasattr(report, "wasxfail"):
            self._skipped.add(report.nodeid)
        if report.when == "teardown" and report.nodeid not in self._failed | self._skipped and self._head:
            self._new.append(report.nodeid)
            file = self._root / KEPT / self._head
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("a", encoding="utf-8") as kept:
                kept.write(f"{report.nodeid}\n")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        super().pytest_sessionfinish(session)
        if self._worker is not None or not self._head:
            return
        kept = self._root / KEPT
        if self._repository.head() != self._head or not self._repository.is_clean():
            # Nobody knows of which of them which tests were run.
            (kept / self._head).unlink(missing_ok=True)
            self._head = None
        elif self._all and session.exitstatus == pytest.ExitCode.OK:
            lines = [self._head, *sorted(self._skipped)]
            (self._root / PASSED).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            self._written = f"Every test has passed, or was skipped: {PASSED} says so."
            for file in kept.glob("*"):
                file.unlink()

    def line(self) -> str:
        said = (
            f"Of {self.counts.total()} tests {self.counts['']} had passed before, and depend on nothing that changed."
        )
        if not self._head:
            return f"{said} Nothing was kept: expected git, and a work tree without changes from beginning to end."
        return f"{said} {self._written}".rstrip()


def _passed_before(root: Path) -> set[str]:
    """The tests that have passed at an ancestor, and depend on nothing that changed since."""
    found: set[str] = set()
    for file in sorted((root / KEPT).glob("*")):
        changed = depending(Repository(root), file.name)
        if isinstance(changed, str):
            file.unlink()
        else:
            kept = file.read_text("utf-8").splitlines()
            found |= {test for test in kept if definition_of_test(test) not in changed}
    return found
