"""Results that were computed once, kept by all that they depend on. The folder may be deleted at any time.

A result is found again as in a build system that verifies traces. Its key has all that is known before: what is
computed and by which code, the system, the scope, the property, the engine and its version. Which rules the computation
looks up is known only afterwards (`LookedUp`). So under a key lie entries, each with the rule fields that were
looked up. An entry answers for other rules if these have, in each of its fields, a rule with the same digest: then the
computation would look up the same rules in the same order, and come to the same end.

`digests` says what each digest is made of. A result of a rule from outside is never kept.
"""
