"""Hears that another process of the host has changed its packages."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from jackfield.api.bus import Bus
from jackfield.api.object_references import load
from jackfield_community_nodes.offers import TOPIC

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield_community_nodes.changes import Changes


_CHANGES = "jackfield_community_nodes.changes:Changes"
"""By object reference: a start without packages imports none of it."""


def start(context: PluginContext) -> None:
    context.spawn("community-nodes", _listen(context))


async def _listen(context: PluginContext) -> None:
    with context.port(Bus).subscribe(TOPIC) as messages:
        async for _ in messages:
            await context.port(cast("type[Changes]", load(_CHANGES))).reread()
