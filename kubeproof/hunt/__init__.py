"""`kubeproof hunt`: which distinct bugs a release has, and which rules are to blame for each.

`systems/growing.py` says in which scopes to look, `one_scope` looks in one of them, `blame` finds the rules, `known`
names the kept bug, `found` is a bug with all of this, `hunt` puts all together and `kept` writes down what is known so
far.
"""
