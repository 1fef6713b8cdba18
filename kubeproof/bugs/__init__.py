"""Reads the texts of the bugs (bugs/<system>/*.md), and makes and replays their counterexamples.

`runs` are all kept runs of a bug, as actions and a digest of each state; `beside` says what they violate under any
rules, `facts` where a bug is reported and seen. `demonstrations/` has the code of bugs that only components show.
"""
