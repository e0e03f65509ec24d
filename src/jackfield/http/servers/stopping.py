"""When a server ends."""

from __future__ import annotations

import asyncio
import signal

from ..app import Application


async def stop_signal(app: Application) -> None:
    """Return at SIGTERM, SIGINT or a failure that came up behind the start."""
    stop = app.kernel.stop_requested
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await stop.wait()
    app.kernel.begin_stop()
