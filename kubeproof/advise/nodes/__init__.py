"""Whether a release of the scheduler can lose a node of a real cluster, read from kubectl's output."""

from kubeproof.advise.nodes.answer import ClusterAnswer, analyse, to_json
from kubeproof.advise.nodes.kubectl_nodes import ClusterNode, ClusterNodes, read_nodes
from kubeproof.advise.nodes.rendering import render

__all__ = ["ClusterAnswer", "ClusterNode", "ClusterNodes", "analyse", "read_nodes", "render", "to_json"]
