"""The task that syncs regularly."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield_registry.ports import LocalRegistry


async def sync_for_ever(context: PluginContext, interval: float) -> None:
    """interval: seconds. A failure is logged; the next turn tries again."""
    while True:
        try:
            await context.port(LocalRegistry).sync(unattended=True)
        except JackfieldError as exc:
            context.log.warning("The registry was not synced: %s", exc.message)
        await context.clock.sleep(interval)
