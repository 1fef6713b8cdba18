"""What was measured, and what is made of it: the tables and the pictures."""

import json
from pathlib import Path
from typing import Any

from attrs import frozen

from benchmarks.peers.asked import ASKED
from benchmarks.peers.engines import Said

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "benchmarks" / "measured" / "peers.json"


@frozen
class Run:
    """One engine to the end of one scope, or until it was cut. Seconds are on the clock."""

    engine: str
    system: str
    scope: str
    release: str
    symmetry: bool
    # None where it was cut.
    said: Said | None
    cut: str | None
    # Before the search: C is made of the form, and compiled.
    prepare_seconds: float
    prepare_cpu: float
    # From the start of the process to the verdict.
    seconds: float
    cpu: float
    # Peak memory.
    mb: float

    @property
    def name(self) -> str:
        """The engine, and whether it uses symmetry."""
        return f"{self.engine}{' with symmetry' if self.symmetry else ''}"

    @property
    def cpu_in_all(self) -> float:
        """CPU seconds, those of the compilation too."""
        return self.prepare_cpu + self.cpu


def run_of(kept: dict[str, Any]) -> Run:
    return Run(**{**kept, "said": kept["said"] and Said(**kept["said"])})


def files() -> dict[Path, str]:
    """Each file that is made of the kept numbers, with its text."""
    from benchmarks.peers.pages import page, picture

    kept = json.loads(KEPT.read_text("utf-8"))
    made = {KEPT.with_suffix(".md"): page(kept)}
    for asked in ASKED:
        if asked.system.name in kept:
            runs = [run_of(run) for run in kept[asked.system.name]["runs"]]
            made[ROOT / "docs" / f"peers-{asked.system.name}.svg"] = picture(asked, runs)
    return made


def write_all() -> None:
    for path, text in files().items():
        path.write_text(text, "utf-8")
