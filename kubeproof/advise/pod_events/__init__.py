"""A real cluster's pods and events, as kubectl prints them, and which of the scheduler's bugs they fit."""

from kubeproof.advise.pod_events.answer import PodEventsAnswer, analyse, to_json
from kubeproof.advise.pod_events.picture import Picture
from kubeproof.advise.pod_events.reading import picture_of, read_files
from kubeproof.advise.pod_events.rendering import render

__all__ = ["Picture", "PodEventsAnswer", "analyse", "picture_of", "read_files", "render", "to_json"]
