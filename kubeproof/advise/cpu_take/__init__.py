"""Answers which CPUs a pod would get from a kubelet's static policy: on this machine, with these options and state."""

from kubeproof.advise.cpu_take.answer import TakeAnswer, analyse
from kubeproof.advise.cpu_take.pod_files import asked_pod
from kubeproof.advise.cpu_take.question import question
from kubeproof.advise.cpu_take.rendering import render
from kubeproof.advise.plain import to_json

__all__ = ["TakeAnswer", "analyse", "asked_pod", "question", "render", "to_json"]
