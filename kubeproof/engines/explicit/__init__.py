"""The explicit engine: a breadth-first search over all states of a scope, and a search for fair cycles.

Its counterexamples are shortest ones. From the numbers up: `core` searches and knows numbers only, `states` turns
records into rows of numbers, `tracked` and `remembered` note what a function reads and find its answer again, `shared`
does so for several choices of rules, `orbits` says which states differ in names alone, `search` explores, `disk` keeps
rows in a file, `checkpoint` a whole search, `lasso` finds fair cycles, `check` asks properties.
"""

from kubeproof.engines.explicit import compiled

compiled.choose()

from kubeproof.engines.explicit.check import check  # noqa: E402
from kubeproof.engines.explicit.search import MOST_STATES, Asked, Counts, Exploration, Limits, exploration, explore  # noqa: E402

__all__ = ["MOST_STATES", "Asked", "Counts", "Exploration", "Limits", "check", "exploration", "explore"]
