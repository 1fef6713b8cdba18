"""The explicit engine: a breadth-first search over all states of a scope, and a search for fair cycles.

Its counterexamples are shortest ones. `check` asks properties, `search` explores, `stores` keeps states, `lasso` finds
fair cycles.
"""

from kubeproof.engines.explicit.check import check
from kubeproof.engines.explicit.search import Counts, Limits, explore

__all__ = ["Counts", "Limits", "check", "explore"]
