"""The calls of plugins that a step makes, in order, for whoever asks. No state depends on them."""

from collections.abc import Callable
from contextvars import ContextVar

# (the point, the plugin, counted from 1 in the order in which the profile names the plugins)
PluginCallMade = tuple[str, int]

_MADE: ContextVar[list[PluginCallMade] | None] = ContextVar("calls of plugins", default=None)


def made_call(point: str, plugin: int) -> None:
    """Say that a plugin is called."""
    made = _MADE.get()
    if made is not None:
        made.append((point, plugin))


def calls_made(step: Callable[[], object]) -> tuple[PluginCallMade, ...]:
    """The calls of plugins that `step` makes when it is called."""
    made: list[PluginCallMade] = []
    token = _MADE.set(made)
    try:
        step()
    finally:
        _MADE.reset(token)
    return tuple(made)
