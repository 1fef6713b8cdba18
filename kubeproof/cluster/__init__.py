"""A real cluster, as kubectl prints it, and whether a release of the scheduler can lose one of its nodes."""

from kubeproof.cluster.answer import ClusterAnswer, analyse, to_json
from kubeproof.cluster.kubectl_nodes import ClusterNode, ClusterNodes, read_nodes
from kubeproof.cluster.rendering import render

__all__ = ["ClusterAnswer", "ClusterNode", "ClusterNodes", "analyse", "read_nodes", "render", "to_json"]
