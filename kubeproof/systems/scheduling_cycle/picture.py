"""How scheduling-cycle is drawn: a scheduler, what its plugins hold, and who waits at Permit."""

from attrs import evolve

from kubeproof.systems.picture import Cards, Columns
from kubeproof.systems.scheduler_picture import PICTURE as SCHEDULER

PICTURE = evolve(
    SCHEDULER,
    panels=(
        *SCHEDULER.panels,
        Cards("waiting at Permit", ("waiting pods: *",)),
        Columns("plugins", ("Reserve plugins", "assumed volumes", "PreFilter", "PluginContext")),
        Cards("what each cycle has got", ("scheduling cycle has got for *", "binding cycle has got for *")),
        Cards(
            "search for a node", ("search for *", "nextStartNodeIndex", "nodeTree: cursors", "searches over all nodes")
        ),
    ),
)
