"""How much a scheduler's queue keeps of a long run: one run of the components for each release, no exploration.

`scheduler` is the handlers, cycles and bindings on a `clock`; `cluster` and `workloads` are what goes on around the
scheduler; `hints` is what plugins wait for; `meter` counts retained events; `answer` and `svg` lay out.
"""
