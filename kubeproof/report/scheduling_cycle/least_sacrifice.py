"""The section about "the least sacrifice": five readings, and what Go leaves open when a node is chosen."""

from functools import cache
from itertools import takewhile

from attrs import evolve

from kubeproof.report.scheduling_cycle.section import Section, by_release, cell, rules, table
from model.releases import Release, parse_release
from model.scheduler.preemption.objects import Pods
from model.scheduler.preemption.preempt import MinCandidates, PreemptionRules
from properties.preemption.least_sacrifice import (
    PROTECTED,
    READINGS,
    Case,
    Tally,
    chosen_on,
    grid,
    grid_of_two_nodes,
    harms_more_than_needed,
    tally,
)
from properties.preemption.open_orders import first_cut_search, in_any_order

_PROVED = "nothing-can-be-added-back"
# Pods of a case at most.
_PODS = 3


def _told(pods: Pods, with_start: bool = False) -> str:
    """Priority and CPU of each pod."""
    found = []
    for pod in pods:
        protected = " protected" if pod.labels == PROTECTED else ""
        found.append(f"{pod.priority}/{pod.cpu_milli}{protected}{f' since {pod.start_time}' if with_start else ''}")
    return ", ".join(found) or "nobody"


@cache
def _first_refuting(asked: PreemptionRules, name: str) -> str:
    """A smallest case that refutes a reading on one node."""
    (reading,) = (each for each in READINGS if each.name == name)
    for case in grid(_PODS):
        choice = chosen_on(asked, case)
        if choice is not None and not reading.holds(choice):
            room, allowed = case.preemptor.cpu_milli, sum(each.disruptions_allowed for each in case.budgets)
            budget = f", a budget for {allowed}" if case.budgets else ""
            return f"no: pods {_told(choice.node.pods)}{budget}; {room} asked for; evicted {_told(choice.victims)}"
    return f"on every full node of up to {_PODS} pods"


def _small(case: Case) -> bool:
    return sum(len(node.pods) for node in case.nodes) <= _PODS


@cache
def _how_often(asked: PreemptionRules) -> dict[str, Tally]:
    return tally(asked, grid(_PODS))


def share(name: str, release: Release) -> str:
    """How often a release keeps a reading, of all cases of the grid in which a node is a candidate."""
    found = _how_often(_only(_ON_NODE, release))[name]
    return f"{found.kept:,} of {found.cases:,}"


@cache
def _node(asked: PreemptionRules) -> str:
    """Whether the node is chosen that harms least by the documented criteria."""
    for case in takewhile(_small, grid_of_two_nodes(2)):
        found = harms_more_than_needed(asked, case)
        if found is not None:
            pods = "; ".join(f"{node.name}: {_told(node.pods, with_start=True)}" for node in case.nodes)
            return f"no: {pods}; {case.preemptor.cpu_milli} asked for; {found[0]} is chosen, {found[1]} harms less"
    return f"on every two full nodes of up to {_PODS} pods"


@cache
def _beginning(asked: PreemptionRules) -> str:
    for case in grid_of_two_nodes(1):
        cut, whole = (frozenset().union(*in_any_order(asked, case, enough)) for enough in (1, 2))
        if cut != whole:
            return (
                f"changes who goes, also to more harm, from {first_cut_search(MinCandidates())} nodes on that may help"
            )
    return "there is none, every node is looked at"


def reading(name: str, release: Release) -> str:
    """What a release makes of a reading on one node."""
    if name == _PROVED:
        return "for any number of pods, if the filters are monotone: see below"
    return _first_refuting(_only(_ON_NODE, release), name)


# The fields that decide who goes on a node; which node is chosen; and where the search begins.
_ON_NODE = ("pods_with_pdb_violation", "order_of_lower_pods")
_AMONG_NODES = (*_ON_NODE, "order_of_victims", "pick_one_node", "takes_a_single_candidate")
_BEGINNING = ("nodes_to_look_at",)


@cache
def _newest() -> PreemptionRules:
    return rules(PreemptionRules, parse_release("1.31.13"))


def _only(fields: tuple[str, ...], release: Release) -> PreemptionRules:
    """The rules of the release in these fields. So releases that are alike there are asked once."""
    found = rules(PreemptionRules, release)
    return evolve(_newest(), **{field: getattr(found, field) for field in fields})


def _shares() -> list[list[str]]:
    return [
        [each.says, cell(by_release(lambda release, name=each.name: share(name, release)))]  # type: ignore[misc]
        for each in READINGS
    ]


def _rows() -> list[list[str]]:
    found = [
        [each.says, cell(by_release(lambda release, name=each.name: reading(name, release)))]  # type: ignore[misc]
        for each in READINGS
    ]
    least = "The node is chosen that harms least by the documented criteria in their order."
    return [*found, [least, cell(by_release(lambda release: _node(_only(_AMONG_NODES, release))))]]


def _body() -> str:
    beginning = cell(by_release(lambda release: _beginning(_only(_BEGINNING, release))))
    return f"""
A comment of `selectVictimsOnNode` promises "the least sacrifice". Five readings of that, each held against every other
choice. A pod is written as priority/CPU, with its start time where that counts; a protected one has a budget. The case
is a smallest one.

{table(("reading", "kept"), _rows())}

How often the choice is the best one, of all nodes of the grid with up to {_PODS} pods on which the pod may preempt:

{table(("reading", "kept"), _shares())}

What Go leaves open:

- The order of the map from which nodes are taken, and with `--parallelism` the order in which they are looked at,
  decide only among nodes that the release takes for equals, as long as every node that may help is looked at.
- The random node at which the search begins: {beginning}.
- The order of equal pods on a node, which `sort.Slice` does not keep, decides who goes, and even how many.
"""


SECTIONS = (Section('Is it "the least sacrifice"?', _body),)
