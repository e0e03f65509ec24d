"""After a start: the tokens of runs that a crash has ended."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.object_references import load
from jackfield_mcp.profile_tokens.place import TokenPlace

if TYPE_CHECKING:
    from jackfield_mcp.profile_tokens.book import ProfileTokens

SWEEP_SECONDS = 20.0
"""After the start: nothing waits for it, and a token that is left reaches what its run did."""
_BOOK = "jackfield_mcp.profile_tokens.book:ProfileTokens"


def start(context: PluginContext) -> None:
    context.port(TokenPlace).is_daemon = True
    if context.service.worker == 0:
        context.spawn("sweep mcp tokens", _sweep(context))


async def _sweep(context: PluginContext) -> None:
    begun = context.clock.now_ms()
    await context.clock.sleep(SWEEP_SECONDS)
    kind = cast("type[ProfileTokens]", await asyncio.to_thread(load, _BOOK))
    await context.port(kind).sweep(begun)
