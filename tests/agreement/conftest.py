"""What the runs of TLC share in a long session: the classes of Java, loaded once."""

import os
from collections.abc import Iterator
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest

from kubeproof.engines.tlc import launch
from kubeproof.engines.tlc.engine import ask
from kubeproof.engines.tlc.java import MissingError
from kubeproof.engines.tlc.question import Question
from kubeproof.systems.scheduling import SCHEDULING
from model.releases import parse_release, rules_for
from model.systems.scheduling import SchedulingScope
from tests.agreement.tlc_runs import kept_or_run

# Slow tests of this folder from which on the classes are kept: that costs as much as fifteen runs of TLC gain by it.
MANY = 100
OPTIONS = "JAVA_TOOL_OPTIONS"


@pytest.fixture(autouse=True)
def _kept_runs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests of the modules read what TLC said of the same question. Those of the manifest ask TLC."""
    if request.path.name.startswith("test_tla_"):
        monkeypatch.setattr(launch, "run", kept_or_run(launch.run))


@pytest.fixture(scope="session", autouse=True)
def _classes_of_tlc(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Loading classes is a fifth of the time of a short run of TLC. What they do stays the same."""
    here = [item for item in request.session.items if item.path.is_relative_to(Path(__file__).parent)]
    if sum(item.get_closest_marker("slow") is not None for item in here) < MANY:
        yield
        return
    with pytest.MonkeyPatch.context() as environment:
        kept = _kept_classes(tmp_path_factory.getbasetemp())
        if kept is not None:
            environment.setenv(OPTIONS, f"-XX:AOTCache={kept} -Xlog:disable")
        yield


def _kept_classes(folder: Path) -> Path | None:
    """The file with the classes, made by the first of the session's workers. None if this Java makes no such file."""
    # Of two workers each has a folder of its own in the session's.
    of_session = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    kept, tried = of_session / "tlc.aot", of_session / "tlc.aot.tried"
    with (of_session / "tlc.aot.lock").open("w") as lock, pytest.MonkeyPatch.context() as environment:
        flock(lock, LOCK_EX)
        if not tried.exists():
            tried.touch()
            environment.setenv(OPTIONS, f"-XX:AOTCacheOutput={kept}")
            scope = SchedulingScope(pods=1, nodes=1, goroutines=1)
            form = SCHEDULING.tla_form(scope, rules_for(SCHEDULING.rules_class, parse_release("1.30.0")), {})
            operators = tuple(each.operator for each in form.properties.values() if each.kind == "liveness")
            try:
                ask(form, Question(invariants=("TypeOK",), properties=operators, fair=True))
            except MissingError:
                return None
    return kept if kept.is_file() else None
