"""From a configuration to the plugins that are asked, and what they see, under the rules of any release."""

from kubeproof.bugs.component import Demonstration, Under
from model.go.errors import GoError
from model.scheduler.framework.plugin_sets import PluginSet, PluginSetRules
from model.scheduler.scoring import (
    ScoredNodeRules,
    ScorePlugin,
    ScoringRules,
    default_normalize_score,
    prioritize_nodes,
)

# The order in which Go goes over the points of a profile.
_ORDER = ("preFilter", "filter", "reserve", "preScore", "score", "preBind", "bind", "postBind", "permit")


# --- MULTIPOINT-TWICE -------------------------------------------------------------------------------------------------


def asked_twice(under: Under) -> Demonstration:
    """Three of the plugins of multiPoint get other weights at score, among them TaintToleration."""
    own = ("NodeResourcesFit", "ImageLocality", "TaintToleration")
    multi = ("TaintToleration", "NodeAffinity", "NodeResourcesFit", "ImageLocality")
    asked = under.rules(PluginSetRules).expand_multi_point(own, multi)
    lines = [f"score names {', '.join(own)}", f"multiPoint names {', '.join(multi)}", f"asked: {', '.join(asked)}"]
    twice = [name for name in multi if asked.count(name) > 1]
    if not twice:
        return Demonstration((), tuple(lines))
    # n0 has a taint that the pod does not tolerate, and n1 has none. Both entries change one list of scores.
    once = default_normalize_score(reverse=True)
    scores = {"n0": 1, "n1": 0}
    for times in ("once", "twice"):
        found = once(scores)
        assert not isinstance(found, str)
        scores = dict(found)
        lines.append(f"TaintToleration, normalized {times}: n0 with a taint {scores['n0']}, n1 without {scores['n1']}")
    shown = [f"{name} is asked twice at score" for name in twice]
    if scores["n0"] > scores["n1"]:
        shown.append("the node with the taint gets the higher score")
    return Demonstration(tuple(shown), tuple(lines))


# --- MULTIPOINT-ORDER -------------------------------------------------------------------------------------------------


def own_plugin_first(under: Under) -> Demonstration:
    """A plugin of one's own stands at filter, and the defaults stand under multiPoint."""
    asked = under.rules(PluginSetRules).expand_multi_point(("Mine",), ("NodeUnschedulable", "NodeResourcesFit"))
    lines = (f"filter names Mine; asked: {', '.join(asked)}",)
    first = asked[0] == "Mine"
    return Demonstration(("a plugin of one's own is asked before all defaults",) if first else (), lines)


# --- SCORE-WEIGHT-LOST ------------------------------------------------------------------------------------------------


def weight_of_another_point(under: Under) -> Demonstration:
    """A plugin has the weight 6 at score, and stands at postBind too."""
    points = {"score": PluginSet((("Mine", 6),)), "postBind": PluginSet((("Mine", 0),))}
    weight = under.rules(PluginSetRules).score_weights(points, _ORDER, ())["Mine"]
    lines = (f"Mine has the weight 6 at score, and none at postBind: its scores count with {weight}",)
    return Demonstration(() if weight == 6 else (f"the weight 6 counts as {weight}",), lines)


# --- PLUGIN-ARGS-LAST -------------------------------------------------------------------------------------------------


def arguments_of_another(under: Under) -> Demonstration:
    """Two plugins have arguments."""
    given = (("First", {"of": "First"}), ("Last", {"of": "Last"}))
    found = under.rules(PluginSetRules).plugin_arguments(given)
    lines = tuple(f"{name} gets the arguments of {args['of']}" for name, args in found.items())
    shown = tuple(line for line, name in zip(lines, found, strict=True) if found[name]["of"] != name)
    return Demonstration(shown, lines)


# --- SCORE-UNSEEN-LOAD ------------------------------------------------------------------------------------------------


def load_is_not_seen(under: Under) -> Demonstration:
    """n0 is full and n1 is empty. An extender has answered Filter with the Node objects of both."""
    sees = under.rules(ScoredNodeRules).scores_nodes_of_snapshot()
    rules = under.rules(ScoringRules)
    # The least that is used gets the highest score. A node that is made of a Node object has no pods.
    most = rules.max_node_score()
    left = {"n0": most // 10 if sees else most, "n1": most}
    found = prioritize_nodes(rules, "p", tuple(left), (ScorePlugin("NodeResourcesFit", 1, dict(left)),), (), True)
    assert not isinstance(found, GoError)
    totals = {node.name: node.total for node in found}
    lines = (f"a tenth of n0 is left, and all of n1: NodeResourcesFit gives n0 {totals['n0']} and n1 {totals['n1']}",)
    alike = totals["n0"] == totals["n1"]
    return Demonstration(("a full node and an empty one get the same score",) if alike else (), lines)
