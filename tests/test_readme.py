"""What the README says of each system is what the system says of itself."""

import re

from kubeproof.systems.registry import SYSTEMS
from tests.conftest import ROOT


def test_the_readme_has_each_system_with_its_releases() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    told = [line for line in readme.splitlines() if re.search(r"\| 1\.\d+ to 1\.\d+ \|$", line)]
    rows = [
        f"| `{name}` | {system.summary} | 1.{system.minors[0]} to 1.{system.minors[-1]} |"
        for name, system in SYSTEMS.items()
    ]
    assert told == rows
