"""Judges the CPU manager state file of a real kubelet. Reads the file and the description of the machine."""

from kubeproof.advise.cpu_state.answer import StateAnswer, analyse, to_json
from kubeproof.advise.cpu_state.question import question
from kubeproof.advise.cpu_state.reading import read_machine, read_state_file
from kubeproof.advise.cpu_state.rendering import render

__all__ = ["StateAnswer", "analyse", "question", "read_machine", "read_state_file", "render", "to_json"]
