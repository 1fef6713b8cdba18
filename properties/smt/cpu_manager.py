"""cpu-manager as formulas: not yet said."""

from collections.abc import Mapping
from typing import Any

from model.systems.cpu_manager import CPUManagerRules, CPUManagerScope
from properties.smt.form import SmtForm


def encode(scope: CPUManagerScope, rules: CPUManagerRules, fix_forms: Mapping[str, Any]) -> SmtForm | str:
    """The formulas of cpu-manager in `scope` under `rules`, or why there are none."""
    return "cpu-manager has no formulas yet"
