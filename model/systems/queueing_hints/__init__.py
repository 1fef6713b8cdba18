"""queueing-hints: pods in flight and the events that come meanwhile, 1.28 on."""

from model.systems.queueing_hints.machine import QueueingHintsMachine as QueueingHintsMachine
from model.systems.queueing_hints.records import QueueingHints as QueueingHints
from model.systems.queueing_hints.rules import QueueingHintsRules as QueueingHintsRules
from model.systems.queueing_hints.scope import QueueingHintsScope as QueueingHintsScope
