"""Whom a pod that waits would evict in a release, and how much of that is needless, from what kubectl prints."""

from kubeproof.advise.plain import to_json
from kubeproof.advise.preemption.analysis import analyse
from kubeproof.advise.preemption.answer import PreemptionAnswer, exit_status
from kubeproof.advise.preemption.cluster import ASKED_GATES, RULE_FIELDS
from kubeproof.advise.preemption.reading import picture_of, pod_named, read_files
from kubeproof.advise.preemption.rendering import render

__all__ = [
    "ASKED_GATES",
    "RULE_FIELDS",
    "PreemptionAnswer",
    "analyse",
    "exit_status",
    "picture_of",
    "pod_named",
    "read_files",
    "render",
    "to_json",
]
