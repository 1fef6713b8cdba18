"""Whether a scheduler's memory grows as queueing hints make memory grow, read from what an operator has of it."""

from kubeproof.advise.plain import to_json
from kubeproof.advise.scheduler_memory.answer import MemoryAnswer, analyse, exit_status
from kubeproof.advise.scheduler_memory.question import question
from kubeproof.advise.scheduler_memory.reading import read_files
from kubeproof.advise.scheduler_memory.rendering import render

__all__ = ["MemoryAnswer", "analyse", "exit_status", "question", "read_files", "render", "to_json"]
