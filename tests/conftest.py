"""What the tests share: where the recordings are, and rules by name."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DATA = Path(__file__).parent / "data"


@pytest.fixture
def conformance() -> Path:
    """The recordings beside the project; tests that need all of them skip where they are absent."""
    folder = ROOT.parent / "shared" / "conformance"
    if not folder.is_dir():
        pytest.skip("the full recordings (../shared/conformance) are not here; tests/data has an excerpt")
    return folder
