"""The services that run for as long as the daemon does: polls, subscriptions and connections, at the daemon that
leads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from jackfield.api.context import PluginContext
from jackfield_triggers.leadership import Leadership
from jackfield_triggers.listening.listeners import Listeners
from jackfield_triggers.polling.polls import Polls
from jackfield_triggers.subscribing.subscriptions import Subscriptions

_AGAIN_S = 10.0
"""Seconds until what has failed begins again."""


def begin(context: PluginContext) -> None:
    """Begin, once. Does nothing in a worker process."""
    polls = context.port(Polls)
    if polls.begun or context.service.worker:
        return
    polls.begun = True
    context.spawn("triggers that ask, subscribe and listen", _run(context))


async def _run(context: PluginContext) -> None:
    served = (context.port(Polls), context.port(Subscriptions), context.port(Listeners))

    async def lead() -> None:
        await asyncio.gather(*(_kept_up(context, one.run) for one in served))

    await context.port(Leadership).run(lead)


async def _kept_up(context: PluginContext, run: Callable[[], Awaitable[None]]) -> None:
    """Forever: a row that nobody can read, such as a damaged one, does not end what serves all the others."""
    while True:
        try:
            await run()
        except Exception:
            context.log.exception("Triggers stopped, and begin again in %g seconds.", _AGAIN_S)
        await context.clock.sleep(_AGAIN_S)
