"""Drafts that nobody has changed for long go."""

from __future__ import annotations

import asyncio

from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield_copilot.settings import CopilotSettings

_DAY_MS = 86_400_000


def start(context: PluginContext) -> None:
    if not context.service.worker:
        context.spawn("drafts", sweep(context))


async def sweep(context: PluginContext) -> None:
    """As long as the daemon runs."""
    settings = context.settings(CopilotSettings)
    while True:
        await asyncio.sleep(settings.sweep_interval)
        try:
            before = context.clock.now_ms() - int(settings.draft_days * _DAY_MS)
            gone = await context.store.forget_drafts(before)
        except JackfieldError as exc:
            context.log.warning("Old drafts were not looked for: %s", exc.message)
        else:
            if gone:
                context.log.info("%d drafts that nobody has changed for long are gone.", gone)
