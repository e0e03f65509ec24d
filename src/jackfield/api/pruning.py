"""Deleting rows of the store that are past their time, in small steps, so that others write in between."""

from __future__ import annotations

from collections.abc import Callable

from .context import PluginContext
from .errors import StoreUnavailable
from .storage import Retention

_PAUSE = 0.05
"""Seconds between two steps, in which others write."""


async def prune_forever(
    context: PluginContext, interval: float, retention: Callable[[int], Retention], failed: str
) -> None:
    """Delete every `interval` seconds; go on while there is more to delete than one step takes.

    Args: context: Of the plugin whose rows they are. `interval`: Seconds. `retention`: What to delete at this Unix time
    in milliseconds. `failed`: Logged when the store does not answer. The next turn tries again.
    """
    while True:
        await context.clock.sleep(interval)
        try:
            while await prune(context, retention):
                await context.clock.sleep(_PAUSE)
        except StoreUnavailable:
            context.log.warning("%s", failed)


async def prune(context: PluginContext, retention: Callable[[int], Retention]) -> bool:
    """One step; whether there may be more. Raises `StoreUnavailable`."""
    wanted = retention(context.clock.now_ms())
    return await context.store.prune(wanted) >= wanted.limit
