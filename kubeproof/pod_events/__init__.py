"""A real cluster's pods and events, as kubectl prints them, and which of the scheduler's bugs they fit."""

from kubeproof.pod_events.answer import PodEventsAnswer, analyse, to_json
from kubeproof.pod_events.picture import Picture
from kubeproof.pod_events.reading import picture_of, read_files
from kubeproof.pod_events.rendering import render

__all__ = ["Picture", "PodEventsAnswer", "analyse", "picture_of", "read_files", "render", "to_json"]
