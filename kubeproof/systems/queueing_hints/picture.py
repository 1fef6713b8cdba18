"""How queueing-hints is drawn: a scheduler, and the plugins that reject pods."""

from attrs import evolve

from kubeproof.systems.picture import Columns
from kubeproof.systems.scheduler_picture import PICTURE as SCHEDULER

PICTURE = evolve(SCHEDULER, panels=(*SCHEDULER.panels, Columns("plugins", ("plugins that accept every pod",))))
