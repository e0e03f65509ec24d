"""Hears that another process of the host has changed its packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jackfield.api.bus import Bus
from jackfield.api.object_references import load

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext

TOPIC = "community_nodes.changed"
"""The packages of some host are others; whoever shares its directory reads the index again."""


def start(context: PluginContext) -> None:
    context.spawn("community-nodes", _listen(context))


async def _listen(context: PluginContext) -> None:
    with context.port(Bus).subscribe(TOPIC) as messages:
        async for _ in messages:
            changes = context.port(load("jackfield_community_nodes.changes:Changes"))  # type: ignore[arg-type]  # its class
            await changes.reread()
