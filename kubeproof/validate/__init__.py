"""`kubeproof validate`: does a fix cure what it claims, does it break what held, and what else does it change.

`validate` judges a fix in all systems that have its rules, `one_system` in one of them, by what `one_engine` finds
before and after it, and `verdict` is what comes of that. `one_scope` has the fix beside the release: where a call was
answered otherwise (`same_answers`), the same runs are taken with and without the fix (`side_by_side`). `further` says
in which other scopes to look. `upstream_cure` and `masked` hold the fix against known cures, in its place and beside
it. `effects` compares all steps from the states of the release.
"""
