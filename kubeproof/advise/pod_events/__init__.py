"""Which bugs of the scheduler the pods and events of a real cluster fit, read from kubectl's output."""

from kubeproof.advise.plain import to_json
from kubeproof.advise.pod_events.answer import PodEventsAnswer, analyse
from kubeproof.advise.pod_events.picture import Picture
from kubeproof.advise.pod_events.reading import picture_of, read_files
from kubeproof.advise.pod_events.rendering import render

__all__ = ["Picture", "PodEventsAnswer", "analyse", "picture_of", "read_files", "render", "to_json"]
