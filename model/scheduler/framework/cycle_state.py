"""The CycleState of an attempt: what a plugin writes at one point and reads at a later one. Pure functions.

Go: `CycleState` in pkg/scheduler/framework/cycle_state.go (1.17 to 1.19 framework/v1alpha1), `PluginContext` in
framework/v1alpha1/context.go (1.15, 1.16) and plugins/v1alpha1/context.go (1.14). 1.13 has no plugins. In 1.14 plugins
have one context, if they have any. `scheduleOne` empties the context before it pops, while bindings are under way that
still read it at Prebind. From 1.15 on each call of `scheduleOne` makes one of its own, which goes on into the goroutine
of the binding.

From 1.17 on a filter that counts nominated pods, and preemption, change a copy (`Clone`), and drop the copy afterwards.
"""

from collections.abc import Callable

from attrs import frozen


def one_for_all_cycles() -> bool:
    """1.14."""
    return True


def one_for_each_cycle() -> bool:
    """1.15 on."""
    return False


def changes_a_copy() -> bool:
    """1.17 on. Before, plugins do not hear of nominated pods."""
    return False


@frozen(slots=False, kw_only=True)
class CycleStateRules:
    """Who else has the state of an attempt."""

    # Whether all cycles share one state, which each cycle empties when it begins.
    shares_cycle_state: Callable[[], bool]
    # Whether what plugins note of nominated pods stays in the state of the attempt.
    keeps_nominated_in_state: Callable[[], bool]
