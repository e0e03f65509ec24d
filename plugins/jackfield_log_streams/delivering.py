"""Delivery: of the daemons of a store one delivers each stream. Records of the audit log go at least once, from where
the cursor in the store stands. Events of executions go while there is room for them."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections import deque
from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError, StoreUnavailable
from jackfield.api.memos import Memos
from jackfield.api.projects import whole_store
from jackfield.api.records import state
from jackfield.api.storage.audit import AuditFilter
from jackfield_log_streams.book import LogStream, StreamBook
from jackfield_log_streams.messages import StreamMessage, of_audit, of_event, wants
from jackfield_log_streams.senders.sending import Sender, SendFailed, sender_of
from jackfield_log_streams.settings import LogStreamsSettings

_LEASE = "log-stream"


@state
class StreamFigures:
    """Of one stream at this daemon. error: why the last batch did not go; empty: it did. behind: records of the audit
    log that wait."""

    sent: int = 0
    failures: int = 0
    dropped: int = 0
    lost: int = 0
    behind: int = 0
    error: str = ""
    at: int = 0
    holds: bool = False


class Deliveries:
    """One per daemon."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._book = context.port(StreamBook)
        self._settings = context.settings(LogStreamsSettings)
        self._tasks: dict[str, tuple[LogStream, asyncio.Task[None]]] = {}
        self._changed = asyncio.Event()
        self.figures: dict[str, StreamFigures] = {}

    def wake(self) -> None:
        """Streams have changed here."""
        self._changed.set()

    def waiting(self, stream_id: str) -> StreamFigures:
        return self.figures.setdefault(stream_id, StreamFigures())

    async def run(self) -> None:
        """Keep one task for each stream that is enabled."""
        while True:
            self._changed.clear()
            try:
                await self._follow(await self._book.all())
            except StoreUnavailable:
                pass  # the store says so itself
            except (JackfieldError, ValueError) as exc:
                self._context.log.error("The log streams cannot be read: %s", exc)
            # Another daemon may have changed them.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(1.0, self._settings.interval)):
                    await self._changed.wait()

    async def close(self) -> None:
        tasks = [task for _, task in self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._tasks.clear()

    async def _follow(self, streams: Sequence[LogStream]) -> None:
        wanted = {stream.id: stream for stream in streams if stream.enabled and not stream.problem}
        for ident, (stream, task) in list(self._tasks.items()):
            if wanted.get(ident) != stream or task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                del self._tasks[ident]
        for ident in self.figures.keys() - {stream.id for stream in streams}:
            del self.figures[ident]
        for ident, stream in wanted.items():
            if ident not in self._tasks:
                delivery = StreamDelivery(self._context, self._book, stream, self.waiting(ident))
                self._tasks[ident] = stream, asyncio.create_task(delivery.run(), name=f"log stream {ident}")


class StreamDelivery:
    """Of one stream, as it is now."""

    def __init__(self, context: PluginContext, book: StreamBook, stream: LogStream, figures: StreamFigures) -> None:
        self._context, self._book, self._stream, self._figures = context, book, stream, figures
        self._settings = context.settings(LogStreamsSettings)
        self._memos = context.port(Memos)
        self._sender: Sender | None = None
        self._mine = secrets.token_bytes(16)
        self._renewed: float | None = None
        self._live: deque[StreamMessage] = deque()
        self._heard = asyncio.Event()

    async def run(self) -> None:
        try:
            while True:
                if not await self._leased():
                    self._figures.holds = False
                    await self._context.clock.sleep(min(self._settings.interval, self._settings.lease / 3))
                    continue
                self._figures.holds = True
                await self._deliver()
        except asyncio.CancelledError:
            raise
        except Exception:
            self._context.log.exception("The log stream %s ended; it begins again.", self._stream.name)
        finally:
            await self._end()

    async def _end(self) -> None:
        self._figures.holds = False
        if self._sender is not None:
            await self._sender.close()
        with contextlib.suppress(StoreUnavailable):
            await self._memos.change_memo(_LEASE, self._stream.id, self._mine, None, 1)

    async def _leased(self) -> bool:
        """Whether this daemon delivers the stream, which is asked again after a third of the lease."""
        now = self._context.clock.monotonic()
        if self._renewed is not None and now - self._renewed < self._settings.lease / 3:
            return True
        before = None if self._renewed is None else self._mine
        try:
            got = await self._memos.change_memo(_LEASE, self._stream.id, before, self._mine, self._settings.lease)
        except StoreUnavailable:
            got = False
        self._renewed = now if got else None
        return got

    async def _deliver(self) -> None:
        """As long as the lease holds."""
        listening = asyncio.create_task(self._listen()) if self._wants_events() else None
        pause = 1.0
        try:
            while await self._leased():
                try:
                    went = await self._audit() + await self._events()
                except SendFailed as exc:
                    self._failed(str(exc))
                    await self._wait(min(pause, self._settings.retry))
                    pause = min(pause * 2, self._settings.retry)
                except StoreUnavailable:
                    await self._context.clock.sleep(1)
                else:
                    pause = 1.0
                    if not went:
                        await self._idle()
        finally:
            if listening is not None:
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)

    async def _wait(self, seconds: float) -> None:
        """The lease is kept meanwhile."""
        while seconds > 0 and await self._leased():
            part = min(seconds, self._settings.lease / 3)
            await self._context.clock.sleep(part)
            seconds -= part

    async def _idle(self) -> None:
        self._heard.clear()
        if self._live:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(self._settings.interval, self._settings.lease / 3)):
                await self._heard.wait()

    async def _audit(self) -> int:
        """The next records; how many there were."""
        if not any(each.partition(":")[0] == "audit" for each in self._stream.filters):
            return 0
        cursor = await self._book.cursor(self._stream.id)
        store = whole_store(self._context.store)
        rows = await store.audit_rows(AuditFilter(), after=cursor, limit=self._settings.batch, newest_first=False)
        if not rows:
            self._figures.behind = 0
            await self._look_back(cursor)
            return 0
        self._figures.behind = len(rows)
        self._figures.lost += rows[0].number - cursor - 1  # retention was quicker
        messages = [of_audit(row, n8n=self._stream.n8n_names) for row in rows]
        plain = [of_audit(row, n8n=False) for row in rows] if self._stream.n8n_names else messages
        chosen = [message for message, named in zip(messages, plain, strict=True) if wants(self._stream.filters, named)]
        await self._send(chosen)
        await self._book.move(self._stream.id, rows[-1].number)
        return len(rows)

    async def _look_back(self, cursor: int) -> None:
        """Records that were sent and are gone: what comes next has their numbers, and would never be sent."""
        head = await whole_store(self._context.store).audit_head()
        if head.number >= cursor:
            return
        self._context.log.error(
            "The audit log ends with record %d, and the log stream %s has sent record %d. Somebody has changed the "
            "database, or put back an older one.",
            head.number,
            self._stream.name,
            cursor,
        )
        await self._book.put_back(self._stream.id, max(0, head.number - self._settings.batch))

    async def _events(self) -> int:
        batch = [self._live.popleft() for _ in range(min(len(self._live), self._settings.batch))]
        try:
            await self._send(batch)
        except BaseException:
            self._live.extendleft(reversed(batch))
            raise
        return len(batch)

    async def _send(self, messages: Sequence[StreamMessage]) -> None:
        """Raises `SendFailed`."""
        if not messages:
            return
        if self._sender is None:
            # Longer than this, and another daemon would take over in the midst of a batch.
            timeout = min(self._settings.timeout, self._settings.lease / 3)
            self._sender = await asyncio.to_thread(sender_of, self._context, self._stream, timeout)
        await self._sender.send(messages)
        self._figures.sent += len(messages)
        self._figures.error, self._figures.at = "", self._context.clock.now_ms()

    def _failed(self, why: str) -> None:
        if not self._figures.error:
            self._context.log.warning("The log stream %s waits: %s", self._stream.name, why)
        self._figures.failures += 1
        self._figures.error, self._figures.at = why, self._context.clock.now_ms()

    def _wants_events(self) -> bool:
        return any(each.partition(":")[0] in ("executions", "nodes") for each in self._stream.filters)

    async def _listen(self) -> None:
        with self._context.events.subscribe("workflows") as events:
            async for event in events:
                self._figures.dropped += events.missed()
                named = of_event(event, n8n=self._stream.n8n_names)
                for message, plain in zip(named, of_event(event, n8n=False), strict=True):
                    if wants(self._stream.filters, plain):  # filters name our events, as those of the audit log do
                        self._take(message)

    def _take(self, message: StreamMessage) -> None:
        if len(self._live) >= self._settings.queue:
            self._live.popleft()
            self._figures.dropped += 1
        self._live.append(message)
        self._heard.set()


async def start(context: PluginContext) -> None:
    context.spawn("log streams", context.port(Deliveries).run())


async def stop(context: PluginContext) -> None:
    if (deliveries := context.built_port(Deliveries)) is not None:
        await deliveries.close()
