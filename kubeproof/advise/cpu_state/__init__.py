"""Judges the CPU manager state file of a real kubelet, with its machine and its configuration."""

from kubeproof.advise.cpu_state.answer import StateAnswer, analyse
from kubeproof.advise.cpu_state.configuration import NOT_GIVEN, Configuration, Flags, with_flags
from kubeproof.advise.cpu_state.configuration_files import read_configuration
from kubeproof.advise.cpu_state.question import question
from kubeproof.advise.cpu_state.reading import read_machine, read_state_file
from kubeproof.advise.cpu_state.rendering import render
from kubeproof.advise.plain import to_json

__all__ = [
    "NOT_GIVEN", "Configuration", "Flags", "StateAnswer", "analyse", "question", "read_configuration", "read_machine",
    "read_state_file", "render", "to_json", "with_flags",
]  # fmt: skip
