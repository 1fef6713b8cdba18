"""One pod that waits, and the nodes and pods that plugins look at: which changes is the pod told of?"""

from model.systems.requeueing.machine import RequeueingMachine as RequeueingMachine
from model.systems.requeueing.rules import (
    RequeueingRules as RequeueingRules,
    requeueing_rules as requeueing_rules,
)
from model.systems.requeueing.scope import RequeueingScope as RequeueingScope
