"""Scores that count otherwise than the file says: a plugin that is asked twice, a weight that is lost or negative.

Go: `expandMultiPointPlugins`, `pluginsNeeded`, `RunScorePlugins` in pkg/scheduler/framework/runtime/framework.go,
`appendToPluginSet` in framework/plugins/legacy_registry.go, `Filter` in pkg/scheduler/extender.go.
"""

from collections.abc import Iterator

from kubeproof.advise.cpu_state.wording import listed
from kubeproof.advise.scheduler_config.hazard import Hazard, hazard
from kubeproof.advise.scheduler_config.numbers import names_of
from kubeproof.advise.scheduler_config.runs import Scheduler
from model.releases import rules_for
from model.scheduler.framework.plugin_sets import SCORE, PluginSet
from model.scheduler.score_weights import ScoreWeightRules, weight_of_plugin
from model.scheduler.scoring import ScoredNodeRules, ScoringRules
from properties.components.scores import first_extender_weight, totals

# Of these a second NormalizeScore turns the scores round, or ends with an error.
_TURNS = ("TaintToleration", "PodTopologySpread")
# They look at what runs on a node, or at its images.
_OF_LOAD = (
    "NodeResourcesFit", "NodeResourcesBalancedAllocation", "ImageLocality", "PodTopologySpread",
)  # fmt: skip


def score_hazards(scheduler: Scheduler) -> Iterator[Hazard]:
    """The hazards of a profile."""
    yield from _twice(scheduler)
    yield from _lost_weights(scheduler)
    yield from _negative_weights(scheduler)
    yield from _overflows(scheduler)
    yield from _unseen_load(scheduler)


def _twice(scheduler: Scheduler) -> Iterator[Hazard]:
    """#122066: the expansion of multiPoint puts a plugin at a point twice."""
    profile = scheduler.profile
    for point, plugins in profile.points.items():
        for name in dict.fromkeys(name for name in plugins if plugins.count(name) > 1):
            what = f"{name} is asked twice at {point}: the expansion of multiPoint puts it there twice (#122066)."
            if point == SCORE:
                what += f" Its weight of {profile.weights.get(name, 1)} counts twice"
                what += (
                    ", and so does NormalizeScore, which turns the scores round the second time: the worst node gets "
                    "most, or a score is out of range and no pod is scheduled."
                    if name in _TURNS
                    else "."
                )
            named = [each for each in profile.merged[point].names if each != name]
            mend = (
                f"Upgrade to 1.26.13, 1.27.10, 1.28.6, 1.29.1 or later. Until then disable {listed([name, *named])} "
                f"under multiPoint, and enable them at each of their points."
            )
            yield hazard(scheduler, "plugin-twice", name, what, mend)


def _lost_weights(scheduler: Scheduler) -> Iterator[Hazard]:
    """The weight that the file has at score is not the one that counts."""
    profile, policy = scheduler.profile, scheduler.configuration.policy
    if policy is not None:
        yield from _lost_priorities(scheduler)
        return
    written = dict(profile.merged.get(SCORE, PluginSet()).enabled)
    for name, weight in written.items():
        counts = profile.weights.get(name)
        if counts is None or counts == weight_of_plugin(weight):
            continue
        other = [point for point, plugins in profile.merged.items() if point != SCORE and name in plugins.names]
        what = (
            f"{name} has the weight {weight} at score, and {counts} counts: {scheduler.release} takes the weight of "
            f"the last point that names the plugin, and it stands at {listed(other)} too (#100613)."
        )
        mend = f"Write the same weight at each point of {name}, or upgrade to 1.22 or later."
        yield hazard(scheduler, "lost-weight", name, what, mend)


def _lost_priorities(scheduler: Scheduler) -> Iterator[Hazard]:
    """Go means to keep the greater weight, and changes a copy: the weight of the first name counts."""
    policy, scored = scheduler.configuration.policy, scheduler.profile.at(SCORE)
    assert policy is not None
    taken = rules_for(ScoreWeightRules, scheduler.release).weight_of_priority
    for each in policy.priorities or ():
        if taken(each.weight) != each.weight:
            what = f"{each.name} has the weight {each.weight}, and {taken(each.weight)} counts (SCORE-POLICY-WEIGHT)."
            yield hazard(scheduler, "lost-weight", each.name, what, "Give it a weight below 2147483648.")
    given = {each.name: each.weight for each in policy.priorities or ()}
    first, lost = "EvenPodsSpreadPriority", "SelectorSpreadPriority"
    one_plugin = "PodTopologySpread" in scored and not {"SelectorSpread", "DefaultPodTopologySpread"} & {*scored}
    if one_plugin and first in given and lost in given and given[first] != given[lost]:
        what = (
            f"{first} and {lost} are one plugin, PodTopologySpread: the weight {given[first]} of {first} counts, and "
            f"{given[lost]} does not."
        )
        yield hazard(scheduler, "lost-weight", lost, what, "Name one of them, with the weight that is meant.")


def _negative_weights(scheduler: Scheduler) -> Iterator[Hazard]:
    for name, weight in scheduler.profile.weights.items():
        if weight < 0:
            what = f"{name} has the weight {weight}: the node that it scores highest is chosen last."
            yield hazard(scheduler, "negative-weight", name, what, "Give it a positive weight, or disable it at score.")


def _overflows(scheduler: Scheduler) -> Iterator[Hazard]:
    """The total of a node that all like most, which wraps around at an int64."""
    rules, weights = rules_for(ScoringRules, scheduler.release), tuple(scheduler.profile.weights.values())
    given = scheduler.configuration.extenders
    for name, extender in zip(names_of(given), given, strict=True):
        if not extender.prioritize_verb or extender.weight < first_extender_weight(rules):
            continue
        best, other = totals(rules, weights, extender.weight)
        what = (
            f"{name} has the weight {extender.weight}: a node to which it gives 10 gets a total of {best}, and one to "
            f"which it gives 0 a total of {other} (SCORE-EXTENDER-OVERFLOW)."
        )
        yield hazard(scheduler, "overflow", name, what, "Give it a weight that is an int32.")


def _unseen_load(scheduler: Scheduler) -> Iterator[Hazard]:
    """#141781."""
    if rules_for(ScoredNodeRules, scheduler.release).scores_nodes_of_snapshot():
        return
    blind = [name for name in scheduler.profile.at(SCORE) if name in _OF_LOAD]
    given = scheduler.configuration.extenders
    for name, extender in zip(names_of(given), given, strict=True):
        if not blind or not extender.filter_verb or extender.node_cache_capable:
            continue
        whose = "each pod"
        if extender.resources:
            whose = f"each pod that asks for {' or '.join(resource.name for resource in extender.resources)}"
        what = (
            f"{name} answers Filter with Node objects (nodeCacheCapable is false), and {scheduler.release} scores the "
            f"nodes as the extender leaves them, without what runs on them (#141781). For {whose} "
            f"{listed(blind)} {'scores' if len(blind) == 1 else 'score'} a full node as an empty one."
        )
        mend = "Set nodeCacheCapable: true, if the extender knows nodes by name; no release cures that."
        yield hazard(scheduler, "unseen-load", name, what, mend)
