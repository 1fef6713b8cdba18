"""What operations Hypothesis draws for each component: few names, so that operations meet."""

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from hypothesis import strategies as st

from kubeproof.go.cases import api_dispatcher, cpumanager, kept_queue_runs, scheduler, scheduling_queue
from kubeproof.go.cases.case import Blind, Case, drawn
from model.releases import Release

_ZONES = st.sampled_from(["z1", "z2", ""])
_NODES = st.sampled_from(["n1", "n2", "n3"])
MOST = 14  # operations of a case


def _cases(
    ops: st.SearchStrategy[dict[str, Any]], config: st.SearchStrategy[dict[str, Any]]
) -> st.SearchStrategy[Case]:
    return st.tuples(config, st.lists(ops, min_size=1, max_size=MOST))


NODE_TREE = _cases(
    st.one_of(
        drawn("list"),
        drawn("add", node=_NODES, zone=_ZONES),
        drawn("remove", node=_NODES, zone=_ZONES),
        drawn("update", node=_NODES, old_zone=_ZONES, zone=_ZONES),
    ),
    st.just({}),
)

_NODE = st.fixed_dictionaries({"name": _NODES, "zone": _ZONES, "cpu_milli": st.sampled_from([1000, 4000])})
_POD = st.fixed_dictionaries(
    {
        "uid": st.sampled_from(["p1", "p2"]),
        "node": st.sampled_from(["n1", "n2", ""]),
        "cpu_milli": st.sampled_from([100, 200]),
    }
)
_NOW = st.sampled_from([0, 1000, 9999, 10000, 10001, 30000])
CACHE = _cases(
    st.one_of(
        drawn("update_snapshot"),
        drawn("add_node", node=_NODE),
        drawn("update_node", old_node=_NODE, node=_NODE),
        drawn("remove_node", node=_NODE),
        *(drawn(name, pod=_POD) for name in ("assume_pod", "forget_pod", "add_pod", "remove_pod")),
        drawn("finish_binding", pod=_POD, now=_NOW),
        drawn("update_pod", old_pod=_POD, pod=_POD),
        drawn("expire", now=_NOW),
    ),
    st.fixed_dictionaries({"ttl_ms": st.sampled_from([10000, 0])}),
)

# By component: cases that the model can play in a release.
STRATEGIES: dict[str, Callable[[Release], st.SearchStrategy[Case]]] = {
    "node_tree": lambda _: NODE_TREE,
    "cache": lambda _: CACHE,
    "api_dispatcher": api_dispatcher.cases,
    "scheduling_queue": scheduling_queue.cases,
    "cpumanager": cpumanager.cases,
    "scheduler": scheduler.cases,
}

# By component: the rules that no operation tells from each other. Nobody looks for such operations.
_NO_CURSORS = "from 1.20 on no cursors are seen, and a listing from reset cursors is a listing without cursors"
BLIND: dict[str, tuple[Blind, ...]] = {
    "node_tree": (Blind("list_nodes", _NO_CURSORS, ("list_stateless",), ("list_from_reset_cursors",)),),
    "api_dispatcher": (
        Blind("async_api_calls_default", "a case has the queue itself; the gate decides whether there is one"),
    ),
    "cache": (
        # The cache shows no cursors in any release.
        Blind("list_nodes", _NO_CURSORS, ("list_from_reset_cursors", "list_stateless")),
        Blind("assumed_pod_ttl", "a case names the time to live"),
        Blind("mark_finished_binding", "from 1.36 on no binding is marked", ("no_mark",), ("mark_with_deadline",)),
        Blind(
            "remove_node",
            "in 1.13 to 1.15 the cache passes over what the tree's remove says",
            ("remove_node_unquoted",),
            ("remove_node",),
        ),
        Blind(
            "update_pod_on_node",
            "in 1.13 a pod that is on a node has a NodeInfo there",
            ("update_pod_on_any_node",),
            ("update_pod_on_known_node",),
        ),
    ),
    "scheduling_queue": scheduling_queue.BLIND,
    "cpumanager": cpumanager.BLIND,
    "scheduler": scheduler.BLIND,
}

# By component: cases that are not looked for, such as what kept runs of bugs ask of it.
MORE: dict[str, Callable[[], Iterable[Case]]] = {
    "cpumanager": cpumanager.long_runs,
    "scheduler": scheduler.long_runs,
    "scheduling_queue": lambda: chain(scheduling_queue.more(), kept_queue_runs.queue_runs()),
}

# By component: cases with which the search begins.
KEPT: dict[str, Callable[[], Iterable[Case]]] = {
    "cpumanager": cpumanager.kept_runs,
    "scheduler": scheduler.kept_runs,
}
