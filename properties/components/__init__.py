"""Component claims: what must hold of what components answer, over a grid of cases and not of a system's runs.

`claim` says what a claim is; `extenders`, `scores`, `ties` and `least_sacrifice` have the claims. `start_index` counts
after how many searches a node is examined.
"""
