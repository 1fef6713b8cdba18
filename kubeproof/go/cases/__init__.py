"""Cases for the drivers of `kubeproof go record`: a file for each component, and `registry`, which has them all.

`telling_apart` finds those that tell rules apart, and writes `kubeproof/go/operations/`. `kept_queue_runs` has what the
kept runs of bugs ask of the queue.
"""
