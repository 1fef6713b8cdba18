"""What must hold: predicates over states and runs of the systems in `model`. Imports `model` only."""
