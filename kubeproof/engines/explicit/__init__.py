"""The explicit engine: breadth-first over all states of a scope, shortest counterexamples, fair-cycle search.

`check` is the entrance; `search` explores, `stores` keeps states, `lasso` finds fair cycles.
"""

from kubeproof.engines.explicit.check import check
from kubeproof.engines.explicit.search import Counts, Limits, explore

__all__ = ["Counts", "Limits", "check", "explore"]
