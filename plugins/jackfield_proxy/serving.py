"""The plugin's work at the start of the daemon. The manager of proxies is loaded with the first of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import cast

from jackfield.api.context import PluginContext
from jackfield.api.object_references import load
from jackfield_proxy.settings import ProxySettings

MARKER = "proxies.json"
"""In the configuration directory: the aliases whose proxies run, to be started again with the daemon."""
_RESUME = "jackfield_proxy.daemon.manager:resume"
"""By object reference: a start without proxies needs none of it."""


class DaemonRole:
    """Whether this process is the daemon; else it is a command, which uses the daemon's proxies where it runs."""

    def __init__(self, context: PluginContext) -> None:
        self.serving = False


def start(context: PluginContext) -> None:
    context.port(DaemonRole).serving = True
    context.spawn("start again", _resume(context))


async def _resume(context: PluginContext) -> None:
    """Start those that ran when the daemon stopped, and the shared listener where there is one."""
    shared = context.settings(ProxySettings).shared_port
    if shared or await asyncio.to_thread((context.service.config_dir / MARKER).exists):
        await cast("Callable[[PluginContext], Awaitable[None]]", load(_RESUME))(context)
