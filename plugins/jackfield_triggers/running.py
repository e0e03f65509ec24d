"""What runs for as long as the daemon does: polls and subscriptions, at the daemon that leads."""

from __future__ import annotations

import asyncio

from jackfield.api.context import PluginContext
from jackfield_triggers.leadership import Leadership
from jackfield_triggers.polling.polls import Polls
from jackfield_triggers.subscribing.subscriptions import Subscriptions


def begin(context: PluginContext) -> None:
    """Begin, once. Does nothing in a worker process."""
    polls = context.port(Polls)
    if polls.begun or context.service.worker:
        return
    polls.begun = True
    context.spawn("triggers that ask and subscribe", _run(context))


async def _run(context: PluginContext) -> None:
    polls, subscriptions = context.port(Polls), context.port(Subscriptions)

    async def lead() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(polls.run())
            group.create_task(subscriptions.run())

    await Leadership(context).run(lead)
