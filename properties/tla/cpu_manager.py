"""cpu-manager in TLA+: which modules, rules and properties there are, and how its states read."""

from collections.abc import Mapping
from pathlib import Path

from model.systems.cpu_manager import CPUManagerRules, CPUManagerScope
from properties.tla.form import TlaForm


def form(scope: CPUManagerScope, rules: CPUManagerRules, operators: Mapping[str, Path] | None = None) -> TlaForm:
    """The TLA+ form of cpu-manager in `scope` under `rules`, or why there is none."""
    return TlaForm(module="MCCpuManager", reason="no release of cpu-manager is written in TLA+")
