"""The tasks of a connection, and its flow."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any, cast

from hypercorn.asyncio.task_group import TaskGroup
from hypercorn.asyncio.tcp_server import MAX_RECV
from hypercorn.asyncio.worker_context import AsyncioSingleTask
from hypercorn.config import Config

from .receiving import ReceiveQueue


class ConnectionTasks(TaskGroup):
    """The tasks of one connection; its applications have a queue of ours."""

    async def spawn_app(self, app: Any, config: Config, scope: Any, send: Any) -> Callable[[Any], Awaitable[None]]:
        queue = ReceiveQueue(config.max_app_queue_size)

        def own(scope: Any, _: Any, *more: Any) -> Any:  # Any: as Hypercorn wraps applications
            return app(scope, queue.get, *more)

        async def closing(message: Any) -> None:  # an ASGI message; None once the application is over
            if message is None:
                queue.close()
            await send(message)

        shorten = getattr(getattr(send, "__self__", None), "shorten", None)
        if shorten is not None:  # a WebSocket of ours
            shorten(queue)
        await super().spawn_app(cast("Any", own), config, scope, closing)
        return queue.put


class NoTask(AsyncioSingleTask):
    """Hypercorn's limit of an idle connection's time is its own task, begun with each answer."""

    async def restart(self, *_: Any) -> None:  # Any: Hypercorn's
        pass

    async def stop(self) -> None:
        pass


class StreamFlow:
    """`jackfield.http.http1.exchange.Flow` over streams, which pause reading by themselves."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    @property
    def write_paused(self) -> bool:
        return self.transport.get_write_buffer_size() > MAX_RECV

    @property
    def transport(self) -> asyncio.WriteTransport:
        return self._writer.transport

    async def drain(self) -> None:
        """Raises `TimeoutError`."""
        with contextlib.suppress(ConnectionError):  # which the reader tells as well
            await self._writer.drain()

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass
