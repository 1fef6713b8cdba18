"""What a kube-scheduler's configuration brings: numbers, hazards, and what the scheduler itself refuses."""

from kubeproof.advise.plain import to_json
from kubeproof.advise.scheduler_config.answer import ConfigAnswer, analyse, exit_status
from kubeproof.advise.scheduler_config.question import question
from kubeproof.advise.scheduler_config.reading import read_files
from kubeproof.advise.scheduler_config.rendering import render

__all__ = ["ConfigAnswer", "analyse", "exit_status", "question", "read_files", "render", "to_json"]
