"""Entry point. The first message is the plan; the end of standard input is the end of the process."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING, cast

from jackfield.api.object_references import load
from jackfield_proxy.child.process import descriptors, fitting
from jackfield_proxy.child.process.log import say
from jackfield_proxy.child.process.pipe import Pipe
from jackfield_proxy.messages import FromChild, ToChild
from jackfield_proxy.takeover import InheritedDescriptors

if TYPE_CHECKING:
    from jackfield_proxy.child.serving.server import Server

SERVER = "jackfield_proxy.child.serving.server:Server"
"""By object reference: with an aiohttp that does not fit, the import itself may fail, before anybody learns why."""
COLLECTED = 3_000
"""Objects after which rings of them are looked for.

Requests leave no rings, and as many objects as 30 of them have at the same time are no reason to look.
"""


async def serve(inherited: InheritedDescriptors) -> int:
    # Ctrl-C in the daemon's terminal reaches its whole group; the daemon decides when its proxies end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipe = Pipe()
    await pipe.open()
    if (problem := fitting.problem()) is not None:
        say(problem)
        pipe.send(FromChild(failed=problem))
        return 1
    server_class = cast("type[Server]", load(SERVER))
    terminated = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminated.set)
    async with aclosing(pipe.received()) as messages:
        first = await anext(messages, None)
        if first is None or first.plan is None:
            return 0
        os.environ.update(first.plan.environment)
        descriptors.allow(first.plan.limits.max_connections)
        server = server_class(first.plan, pipe, inherited)
        try:
            port = await server.listen()
        except OSError as exc:
            reason = f"the port {first.plan.port} cannot be used: {exc.strerror or exc}"
            say(reason)
            pipe.send(FromChild(failed=reason))
            return 1
        say(f"listening on port {port}, process {os.getpid()}")
        gc.freeze()
        gc.set_threshold(COLLECTED)
        pipe.send(FromChild(listening=port))
        following = asyncio.create_task(_follow(messages, server, pipe))
        stopping = asyncio.create_task(terminated.wait())
        await asyncio.wait({following, stopping}, return_when=asyncio.FIRST_COMPLETED)
        for task in (following, stopping):
            task.cancel()
        await asyncio.gather(following, stopping, return_exceptions=True)
        await server.close()
        pipe.flush()
    return 0


async def _follow(messages: AsyncIterator[ToChild], server: Server, pipe: Pipe) -> None:
    """New plans count from the next request on."""
    async for message in messages:
        if message.plan is not None:
            server.plan = message.plan
            pipe.send(FromChild(applied=message.number))


if __name__ == "__main__":
    sys.exit(asyncio.run(serve(InheritedDescriptors.of(sys.argv[1:]))))
