"""The section about scores: what holds of totals, of normalizing, and of how one of equal nodes is chosen."""

from functools import cache

from kubeproof.report.scheduling_cycle.section import Section, by_release, cell, rules, table
from model.releases import Release, parse_release
from properties.scoring.catalogue import CLAIMS
from properties.scoring.claim import Claim, Judged, ScoreRules
from properties.scoring.totals import first_extender_weight, most_plugins, outvotes_plugins, shares

# An example: weights of three plugins and of one extender.
_PLUGINS, _EXTENDERS = (("NodeAffinity", 2), ("TaintToleration", 3), ("ImageLocality", 1)), (("extender", 1),)


@cache
def _judged(claim: Claim, asked: ScoreRules) -> Judged:
    return claim.judge(asked)


def verdict(claim: Claim, release: Release) -> str:
    """What a release makes of a claim, in words."""
    found = _judged(claim, rules(ScoreRules, release))
    return f"{found.verdict}: {found.why}"


def _rows() -> list[list[str]]:
    return [
        [f"`{claim.name}`", claim.says, cell(by_release(lambda release, claim=claim: verdict(claim, release)))]  # type: ignore[misc]
        for claim in CLAIMS
    ]


def _shares(release: str) -> list[str]:
    found = shares(rules(ScoreRules, parse_release(release)), _PLUGINS, _EXTENDERS)
    return [f"{share.points} points, {share.part}" for share in found]


def _body() -> str:
    old, new = (rules(ScoreRules, parse_release(release)) for release in ("1.16.15", "1.31.13"))
    names = [name for name, _ in (*_PLUGINS, *_EXTENDERS)]
    weights = [str(weight) for _, weight in (*_PLUGINS, *_EXTENDERS)]
    parts = zip(names, weights, _shares("1.16.15"), _shares("1.31.13"), strict=True)
    return f"""
A node's total is the sum of the scores of plugins (to 1.17 of priorities, too) and extenders, each by its weight. The
numbers are int64. A claim is judged for all inputs by arithmetic, or for all inputs of the grid that is named. Of
`selectHost` each outcome is counted with its exact probability.

{table(("claim", "what it says", "verdict"), _rows())}

How much of the total each can move, in an example:

{table(("who", "weight", "to 1.16", "1.17 on"), parts)}

- An extender answers 0 to 10. From 1.17 on that is multiplied by 10, since plugins answer 0 to 100 (#83522, #83490).
  So an extender and a plugin of the same weight count alike in each release. Here an extender of weight
  {outvotes_plugins([weight for _, weight in _PLUGINS])} decides alone.
- Plugins alone cannot overflow, since their weights are int32: it would take more than {most_plugins(new)} of them (to
  1.16 {most_plugins(old)}). So the check "total score of Score plugins could overflow" (1.18 on) refuses no
  configuration that can be written.
- The weight of an extender is an int64 of which only the sign is checked. From {first_extender_weight(new)} on (to 1.16
  {first_extender_weight(old)}) 10 points make the total negative, and the node that the extender likes best loses.
- Up to 1.15 equal nodes are taken in turn, by a number that every choice of any pod moves. So one of two equal nodes
  may never be chosen for the pods of one kind, if they are listed in the same order. From 1.16
  on (#78009) each is chosen with the same probability.
"""


SECTIONS = (Section("What scores add up to", _body),)
