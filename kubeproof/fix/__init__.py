"""A proposed fix as a value: rules that take the place of a release's. Knows no engine.

`fix` reads a file, which `stranger` executes in processes of its own (`process`, and within it `server`). `wire` says
how values travel, `reading` what may come back, `said` what goes with an answer. `guarded` makes whatever goes wrong in
a rule, or by what the rule returned (`rule_results`), a RuleError.
"""
