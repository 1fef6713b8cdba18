"""Which release follows which rule of the scheduler's components."""

from model.rules import Row
from model.scheduler.api_dispatcher import API_DISPATCHER_ROWS
from model.scheduler.binding_error import BINDING_ERROR_ROWS
from model.scheduler.cache import node_list as snapshot, node_tree
from model.scheduler.cache.rows import CACHE_ROWS
from model.scheduler.cache.zone_key import ZONE_KEY_ROWS
from model.scheduler.cycle_point_rows import CYCLE_POINT_ROWS
from model.scheduler.cycle_rows import CYCLE_ROWS
from model.scheduler.done_rows import DONE_ROWS
from model.scheduler.event_rows import EVENT_ROWS
from model.scheduler.events_to_register_rows import EVENTS_TO_REGISTER_ROWS
from model.scheduler.extender_answer_rows import EXTENDER_ANSWER_ROWS
from model.scheduler.filtering_rows import FILTERING_ROWS
from model.scheduler.go_files import CACHE_GO, GENERIC_GO, NODE_TREE_GO
from model.scheduler.hint_function_rows import HINT_FUNCTION_ROWS
from model.scheduler.inter_pod_affinity_rows import INTER_POD_AFFINITY_ROWS
from model.scheduler.pod_handler_rows import POD_HANDLER_ROWS
from model.scheduler.preemption.async_preemption import ASYNC_PREEMPTION_ROWS
from model.scheduler.preemption.budgets_api import BUDGETS_API_ROWS
from model.scheduler.preemption.node_resources_fit import FIT_ROWS
from model.scheduler.preemption.node_statuses import NODE_STATUS_ROWS
from model.scheduler.preemption.rows import PREEMPTION_ROWS
from model.scheduler.preemption.waiting_victims import WAITING_VICTIM_ROWS
from model.scheduler.queue.hint_rows import QUEUEING_HINT_ROWS
from model.scheduler.queue.nominator_lock_rows import NOMINATOR_LOCK_ROWS
from model.scheduler.queue.pre_enqueue_rows import PRE_ENQUEUE_ROWS
from model.scheduler.queue.rows import NOMINATOR_ROWS, QUEUE_ROWS
from model.scheduler.schedule_one_rows import SCHEDULE_ONE_ROWS
from model.scheduler.scoring_rows import SCORING_ROWS
from model.scheduler.start_rows import START_ROWS
from model.scheduler.told_rows import TOLD_ROWS
from model.scheduler.volumes import VOLUME_ROWS

NODE_LISTING_ROWS: tuple[Row, ...] = (
    Row("add_node", "1.13.0", node_tree.add_node, "", f"{NODE_TREE_GO} addNode"),
    Row("remove_node", "1.13.0", node_tree.remove_node_unquoted, "", f"{NODE_TREE_GO} removeNode"),
    Row("remove_node", "1.16.0-alpha.1", node_tree.remove_node, "names in error texts are quoted",
        f"{NODE_TREE_GO} removeNode"),
    Row("list_nodes", "1.13.0", node_tree.list_from_resuming_cursors, "", f"{NODE_TREE_GO} next"),
    Row("list_nodes", "1.18.7", node_tree.list_from_reset_cursors,
        "#93355 by #93387; in 1.18.8, which is 1.18.7 built with another Go, not in 1.18.6",
        f"{CACHE_GO} updateNodeInfoSnapshotList"),
    Row("list_nodes", "1.19.0-alpha.1", node_tree.list_from_resuming_cursors,
        "the branch that became 1.19 got #93355 only between 1.19.0-rc.1 and 1.19.0", f"{NODE_TREE_GO} next"),
    Row("list_nodes", "1.19.0", node_tree.list_from_reset_cursors, "#93355", f"{CACHE_GO} updateNodeInfoSnapshotList"),
    Row("list_nodes", "1.20.0-alpha.1", node_tree.list_stateless, "#93473", f"{NODE_TREE_GO} list"),
    Row("update_snapshot", "1.13.0", snapshot.update_snapshot_every_cycle, "#84014 (1.17) stores the list",
        f"{GENERIC_GO} snapshot"),
    Row("update_snapshot", "1.18.0-alpha.1", snapshot.update_snapshot_on_node_change, "#85738",
        f"{CACHE_GO} UpdateSnapshot"),
)  # fmt: skip

SCHEDULER_ROWS: tuple[Row, ...] = (
    NODE_LISTING_ROWS
    + CACHE_ROWS
    + QUEUE_ROWS
    + QUEUEING_HINT_ROWS
    + NOMINATOR_ROWS
    + NOMINATOR_LOCK_ROWS
    + EVENT_ROWS
    + EVENTS_TO_REGISTER_ROWS
    + HINT_FUNCTION_ROWS
    + PRE_ENQUEUE_ROWS
    + CYCLE_ROWS
    + CYCLE_POINT_ROWS
    + VOLUME_ROWS
    + BINDING_ERROR_ROWS
    + DONE_ROWS
    + EXTENDER_ANSWER_ROWS
    + ZONE_KEY_ROWS
    + TOLD_ROWS
    + INTER_POD_AFFINITY_ROWS
    + WAITING_VICTIM_ROWS
    + PREEMPTION_ROWS
    + ASYNC_PREEMPTION_ROWS
    + API_DISPATCHER_ROWS
    + FIT_ROWS
    + NODE_STATUS_ROWS
    + BUDGETS_API_ROWS
    + SCORING_ROWS
    + FILTERING_ROWS
    + SCHEDULE_ONE_ROWS
    + POD_HANDLER_ROWS
    + START_ROWS
)
