"""For any number of nodes: when a node is examined at the latest.

Go: `nextStartNodeIndex`, "all nodes have the same chance of being examined". A search that looks for `quota` feasible
nodes examines the nodes from the start on and moves the start behind those that it examined, by `quota` nodes at least.
So after searches for as many feasible nodes as there are nodes, each node was examined: with n nodes and the quota q at
the latest in the search number n/q, rounded up. One node is watched, whichever one. A node is examined if its verdict
counts: the node at which a search ends is asked, too, but its answer is dropped. So a node is asked at the latest in
the search number (n - 1)/q, rounded up, or in the first. Up to 1.16 the node tree says which node is next: see
node-listing.

The bound needs the conditions below. Each can be left out: then steps are added, and there may be a run that breaks the
bound. The profile has filter plugins, and one worker examines the nodes; more of them may examine a few nodes more.
"""

from functools import cache, partial
from typing import Literal

from attrs import frozen
from z3 import And, ArithRef, Bool, BoolRef, BoolVal, If, Implies, Int, IntVal, Not, Or

from model.scheduler import filtering_rules as rules_of
from model.scheduler.filtering import FilteringRules
from properties.forms import Forms, without_form
from properties.smt.scheduling_cycle.argument import Argument, Claim, CycleStep, Lemma, Run

Condition = Literal["same-nodes", "quota", "no-error", "no-named-nodes", "no-nominated-node"]
CONDITIONS: dict[Condition, str] = {
    "same-nodes": "The nodes and their order stay as they are.",
    "quota": "A search looks for one feasible node at least.",
    "no-error": "No filter fails with an error.",
    "no-named-nodes": "PreFilter names no nodes.",
    "no-nominated-node": "No pod that is popped has a nominated node.",
}
EXAMINED, ASKED = "examined-within-bound", "asked-within-bound"
# Whether the next start is counted round all nodes, and not only round those that could be asked.
ROUND_ALL = Forms("start_goes_round", {rules_of.round_the_nodes_asked: False, rules_of.round_all_nodes: True})
# What counts as a verdict where PreFilter names nodes: of the named ones, or all others, too. None: nobody reads names.
VERDICTS = Forms(
    "named_nodes",
    {
        rules_of.names_are_not_looked_at: None,
        rules_of.error_for_missing_node: False,
        rules_of.others_are_unresolvable: True,
        rules_of.missing_nodes_are_left_out: False,
    },
)
# Whether a search of the nominated node alone moves the start.
MOVES = Forms("nominated_node_moves_start", {rules_of.moved_by_the_nominated_node: True, rules_of.moved_once: False})
# Whether the nodes are taken from the node tree, of which the proof knows nothing.
TREE = Forms("takes_nodes_from_tree", {rules_of.from_the_snapshot: False})
# Whatever these rules say: they decide how many nodes are looked for, who chooses, and what happens without filters.
_ANY = ("num_feasible_nodes_to_find", "enough_to_choose", "without_filters", "prefer", "start_moves_without_filters",
        "select_host_panics")  # fmt: skip


@frozen
class Form:
    """How a release moves the start."""

    # Whether the next start is counted round all nodes.
    round_all: bool
    # What counts as a verdict where PreFilter names nodes; None: it names none.
    all_verdicts: bool | None
    # Whether the nominated node is tried alone before the others, and whether that moves the start.
    looks_first: bool
    nominated_moves: bool


@frozen
class Searches:
    """Between two searches."""

    # How many nodes there are, and how many feasible ones are looked for.
    nodes: ArithRef
    quota: ArithRef
    # nextStartNodeIndex, and the place of the watched node in the list.
    start: ArithRef
    watched: ArithRef
    # Whether the watched node was examined, and whether it was asked.
    examined: BoolRef
    asked: BoolRef
    # The sum of the quotas of the searches among all nodes so far. A quota of 0 counts as 1. Each search may have a
    # quota of its own, as profiles have.
    asked_for: ArithRef
    # Of the last search: how many nodes had a verdict, and how many nodes could be asked.
    verdicts: ArithRef
    among: ArithRef

    @classmethod
    def of(cls, tag: str) -> "Searches":
        """Fresh variables."""
        numbers = {name: Int(name + tag) for name in ("nodes", "quota", "start", "watched", "asked_for", "verdicts",
                                                      "among")}  # fmt: skip
        return cls(examined=Bool("examined" + tag), asked=Bool("asked" + tag), **numbers)

    def distance(self) -> ArithRef:
        """How many nodes from the start on come before the watched one."""
        ahead = self.watched - self.start
        return If(ahead >= 0, ahead, ahead + self.nodes)

    def within(self) -> BoolRef:
        """The start and the watched node are places of the list."""
        places = [And(place >= 0, place < self.nodes) for place in (self.start, self.watched)]
        return And(self.nodes >= 1, *places)


def _least(one: ArithRef, other: ArithRef) -> ArithRef:
    return If(one <= other, one, other)


def _round(place: ArithRef, nodes: ArithRef) -> ArithRef:
    """`place % nodes`, of a place below twice the number of nodes."""
    return If(place >= nodes, place - nodes, place)


def _same_nodes(now: Searches, then: Searches) -> BoolRef:
    return And(then.nodes == now.nodes, then.watched == now.watched)


def _all_nodes(now: Searches, then: Searches, *, quota: bool, error: bool) -> BoolRef:
    """A search among all nodes. It ends behind `verdicts` nodes, or at a node whose filter fails."""
    least = BoolVal(True) if error else then.verdicts >= _least(now.quota, now.nodes)
    ended_at = then.verdicts if error else then.verdicts - 1
    return And(
        _same_nodes(now, then),
        now.quota >= (1 if quota else 0),
        least,
        And(then.verdicts >= 0, then.verdicts < now.nodes) if error else then.verdicts <= now.nodes,
        then.among == now.nodes,
        then.start == _round(now.start + then.verdicts, now.nodes),
        then.examined == Or(now.examined, now.distance() <= ended_at),
        then.asked == Or(now.asked, now.distance() <= then.verdicts),
        then.asked_for == now.asked_for + If(now.quota >= 1, now.quota, 1),
    )


def _named(now: Searches, then: Searches, *, round_all: bool, all_verdicts: bool) -> BoolRef:
    """A search among some nodes that PreFilter names, the watched one not among them."""
    moved = now.start + then.verdicts
    left_out = now.nodes - then.among if all_verdicts else 0
    return And(
        _same_nodes(now, then),
        then.among >= 1,
        then.among < now.nodes,
        now.quota >= 1,
        then.verdicts >= left_out + _least(now.quota, then.among),
        then.verdicts <= then.among + left_out,
        then.start == (_round(moved, now.nodes) if round_all else moved % then.among),
        then.examined == now.examined,
        then.asked == now.asked,
        then.asked_for == now.asked_for,
    )


def _nominated(now: Searches, then: Searches, *, moves: bool) -> BoolRef:
    """The nominated node is tried alone, and it is not the watched one."""
    return And(
        _same_nodes(now, then),
        now.nodes >= 2,
        now.quota >= 1,
        then.among == 1,
        then.verdicts == 1,
        then.start == (IntVal(0) if moves else now.start),
        then.examined == now.examined,
        then.asked == now.asked,
        then.asked_for == now.asked_for,
    )


def _other_node(now: Searches, then: Searches) -> BoolRef:
    """A node goes, and another one comes, wherever in the list. The start stays as it is."""
    return And(
        then.nodes == now.nodes,
        then.watched >= now.watched - 1,
        then.watched <= now.watched + 1,
        then.watched >= 0,
        then.watched < then.nodes,
        then.start == now.start,
        then.examined == now.examined,
        then.asked == now.asked,
        then.asked_for == now.asked_for,
        then.verdicts == 0,
        then.among == then.nodes,
    )


def _looks_first(rules: FilteringRules) -> bool:
    """Whether the nominated node is tried alone before the others."""
    return rules.prefer("n", ("n", "")) == ("n",)


def _steps(form: Form, without: frozenset[Condition]) -> tuple[CycleStep[Searches], ...]:
    search = partial(_all_nodes, quota="quota" not in without)
    steps = [CycleStep("a search among all nodes", partial(search, error=False))]
    if "no-error" in without:
        steps.append(CycleStep("a search that ends with an error of a filter", partial(search, error=True)))
    if "no-named-nodes" in without and form.all_verdicts is not None:
        named = partial(_named, round_all=form.round_all, all_verdicts=form.all_verdicts)
        steps.append(CycleStep("a search among named nodes", named))
    if "no-nominated-node" in without and form.looks_first:
        steps.append(CycleStep("a look at the nominated node", partial(_nominated, moves=form.nominated_moves)))
    if "same-nodes" in without:
        steps.append(CycleStep("a node goes and another comes", _other_node))
    return tuple(steps)


def _begins(now: Searches) -> BoolRef:
    """No search was made."""
    nothing = And(Not(now.asked), Not(now.examined), now.asked_for == 0)
    return And(now.within(), now.start == 0, now.quota >= 0, nothing)


LEMMAS: tuple[Lemma[Searches], ...] = (
    Lemma("The start is a place of the list.", Searches.within),
    Lemma(
        "A node that was not examined is nearer to the start by what was looked for since.",
        lambda now: Implies(Not(now.examined), now.asked_for + now.distance() < now.nodes),
    ),
    Lemma("A node that was examined was asked.", lambda now: Implies(now.examined, now.asked)),
    Lemma(
        "A node that no search has asked is not where the next one starts.",
        lambda now: Implies(And(Not(now.asked), now.asked_for > 0), now.distance() > 0),
    ),
)


def why_none(rules: FilteringRules) -> str | None:
    """Why there is no argument for these rules, or None."""
    unknown = without_form(rules, (ROUND_ALL, VERDICTS, MOVES, TREE), _ANY)
    return None if unknown is None else f"the rule {unknown} has no Z3 form"


def form_of(rules: FilteringRules, without: frozenset[Condition] = frozenset(CONDITIONS)) -> Form:
    """All that the argument has to know of the rules, `without` some of the conditions."""
    named, nominated = "no-named-nodes" in without, "no-nominated-node" in without and _looks_first(rules)
    return Form(
        round_all=named and ROUND_ALL.of(rules),
        all_verdicts=VERDICTS.of(rules) if named else None,
        looks_first=nominated,
        nominated_moves=nominated and MOVES.of(rules),
    )


def argument(form: Form, without: frozenset[Condition] = frozenset()) -> Argument[Searches]:
    """That a node is examined within the bound, `without` some of the conditions."""
    kept = [name for name in CONDITIONS if name not in without]
    return Argument(
        name="the start index",
        state=Searches.of,
        start=lambda now: And(
            now.within(), now.start == 0, now.quota >= 0, Not(now.asked), Not(now.examined), now.asked_for == 0
        ),
        steps=_steps(form, without),
        lemmas=LEMMAS,
        claims=(
            Claim(
                EXAMINED,
                "the distance of a node from the start is below the number of nodes, and shrinks by the quota",
                lambda now: And(now.asked_for >= now.nodes, Not(now.examined)),
            ),
            Claim(
                ASKED,
                "a node that was not asked is not where the next search starts, and so one node nearer",
                lambda now: And(now.asked_for >= now.nodes - 1, now.asked_for >= 1, Not(now.asked)),
            ),
        ),
        small=lambda now, size: And(now.nodes <= size, now.quota <= size),
        details={"nodes": "any number", "searches": "any number", "conditions": " ".join(kept)},
    )


@cache
def needed(form: Form) -> dict[Condition, Run | None]:
    """For each condition a run that breaks the bound without the condition; None: there is none in small states."""
    found: dict[Condition, Run | None] = {}
    for condition in CONDITIONS:
        asked = argument(form, frozenset({condition}))
        adds_nothing = condition != "quota" and len(asked.steps) == 1
        found[condition] = None if adds_nothing else asked.violation(EXAMINED)
    return found
