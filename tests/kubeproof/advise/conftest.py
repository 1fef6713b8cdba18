"""What the tests of advice share: who asks `kubeproof scheduler-memory`."""

from pathlib import Path

import pytest

from tests.kubeproof.advise.scheduler_dumps import Asker


@pytest.fixture
def ask(tmp_path: Path) -> Asker:
    return Asker(tmp_path)
