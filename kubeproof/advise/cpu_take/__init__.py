"""Answers which CPUs a pod would get from a kubelet's static policy: on this machine, with these options and state."""

from kubeproof.advise.cpu_take.answer import TakeAnswer, analyse, to_json
from kubeproof.advise.cpu_take.pod_files import asked_pod
from kubeproof.advise.cpu_take.question import question
from kubeproof.advise.cpu_take.rendering import render

__all__ = ["TakeAnswer", "analyse", "asked_pod", "question", "render", "to_json"]
