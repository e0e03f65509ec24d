"""Messages of a topic as events: several of a partition may start one execution, in their order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING, Any

from jackfield.api.clock import Clock
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.nodes.files import kept_file
from jackfield.api.records import record
from jackfield.api.triggers.listening import EventFiles, Heard, ListenRun
from jackfield.api.workflows import Item
from jackfield_integrations.listening.node import json_or_text

if TYPE_CHECKING:
    from jackfield_integrations.messaging.kafka_session import KafkaReader
    from jackfield_integrations.messaging.schema_registry import SchemaRegistry

_IDLE_S = 1.0


@record
class Settling:
    """until_end: whether the execution's end is waited for. after: ends after which the offset is committed. retry:
    seconds after which messages come again otherwise."""

    until_end: bool
    after: frozenset[str]
    retry: float

    @property
    def once(self) -> bool:
        """Whether a message may start one execution only, however that ends."""
        return not self.until_end or self.after >= {"success", "failed"}


@record
class KafkaItems:
    """How a message becomes an item. `json`: it is read. `files`: it becomes a file as well. `headers`: the item has
    them. `alone`: the item has the message alone. `strict`: a message that the registry does not decode stays unread.
    Else it stays as it is."""

    json: bool
    files: bool
    headers: bool
    alone: bool
    registry: SchemaRegistry | None
    strict: bool

    async def item(self, run: ListenRun, message: Any, files: EventFiles) -> Item:  # Any: aiokafka's `ConsumerRecord`
        """Raises `NodeError`."""
        content: bytes | None = message.value
        value: Json = None
        if content is not None:
            text = content.decode("utf-8", "replace")
            value = await json_or_text(text) if self.json else text
            if self.registry is not None:
                value = await self._decoded(run, content, value)
        told: dict[str, Json] = {"headers": _headers(message)} if self.headers else {}
        if content is not None:
            told["message"] = value
        told["topic"] = message.topic
        if self.alone:
            told = value if isinstance(value, dict) else {"data": value}
        item: Item = {"json": told}
        if self.files and content is not None:
            file = await kept_file(files, content, mime_type="application/octet-stream", file_name="message")
            item["binary"] = {"data": file}
        return item

    async def _decoded(self, run: ListenRun, content: bytes, otherwise: Json) -> Json:
        assert self.registry is not None  # noqa: S101 - asked for with one alone
        try:
            return await self.registry.decoded(content)
        except NodeError as exc:
            if self.strict:
                raise
            run.log.warning("A message of Kafka stays as it came: %s", exc.message)
            return otherwise


def _headers(message: Any) -> dict[str, Json]:  # Any: as above
    """A name that comes several times has its values with commas, as in n8n."""
    found: dict[str, list[str]] = {}
    for name, value in message.headers:
        found.setdefault(name, []).append((value or b"").decode("utf-8", "replace"))
    return {name: ",".join(values) for name, values in found.items()}


class KafkaMessages:
    """Of one connection. Of a partition one event is open at a time, and of at most `width` partitions."""

    def __init__(self, reader: KafkaReader, items: KafkaItems, settling: Settling, group: str, clock: Clock) -> None:
        self._reader = reader
        self._items = items
        self._settling = settling
        self._group = group
        self._clock = clock
        self._open: dict[Any, asyncio.Task[None]] = {}  # Any: aiokafka's `TopicPartition`
        self._begun: dict[str, Json] = {}

    async def heard(self, run: ListenRun, width: int, most: int) -> AsyncGenerator[Heard]:
        """most: messages of one event. Raises `NodeError`."""
        self._begun = dict(known) if isinstance(known := run.state.get(self._group), dict) else {}
        try:
            while True:
                await self._room(width)
                free = self._reader.assigned() - self._open.keys()
                if not free:
                    await self._waited()
                    continue
                for partition, messages in (await self._reader.fetched(free, most)).items():
                    await self._room(width)
                    if fresh := await self._fresh(partition, messages):
                        yield await self._event(run, partition, fresh)
        finally:
            for task in self._open.values():
                task.cancel()
            await asyncio.gather(*self._open.values(), return_exceptions=True)

    async def _room(self, width: int) -> None:
        """Until fewer partitions are busy. Raises what kept an offset from being committed."""
        self._swept()
        while len(self._open) >= width:
            await asyncio.wait(self._open.values(), return_when=asyncio.FIRST_COMPLETED)
            self._swept()

    async def _waited(self) -> None:
        """For a partition: one that is busy, or one that the group gives to this member."""
        if self._open:
            await asyncio.wait(self._open.values(), timeout=_IDLE_S, return_when=asyncio.FIRST_COMPLETED)
        else:
            await self._clock.sleep(_IDLE_S)
        self._swept()

    def _swept(self) -> None:
        for partition, task in list(self._open.items()):
            if task.done():
                del self._open[partition]
                task.result()

    async def _fresh(self, partition: Any, messages: Sequence[Any]) -> Sequence[Any]:  # Any: as above
        """Without those that had started an execution before a crash kept the group from going on behind them. One that
        somebody sets the group back to in other ways starts another."""
        if not self._settling.once or self._begun.get(_name(partition)) is None:
            return messages
        begun: Any = self._begun[_name(partition)]
        if [messages[0].offset, messages[0].timestamp] != begun[:2]:
            return messages
        last = begun[2]
        await self._reader.commit(partition, last)
        return [message for message in messages if message.offset > last]

    async def _event(self, run: ListenRun, partition: Any, messages: Sequence[Any]) -> Heard:  # Any: as above
        files = run.files()
        items = [await self._items.item(run, message, files) for message in messages]
        first, last = messages[0], messages[-1]
        became: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        work = asyncio.ensure_future(self._settled(partition, first.offset, last.offset, became))
        self._open[partition] = work

        async def settle(how: str) -> None:
            if not became.done():
                became.set_result(how)
            if how == "stored":
                await asyncio.shield(work)

        if self._settling.once:
            self._begun[_name(partition)] = [first.offset, first.timestamp, last.offset]
        return Heard(
            items,
            state={self._group: dict(self._begun)} if self._settling.once and not run.test else None,
            files=files,
            settle=settle,
            until_end=self._settling.until_end and not run.test,
        )

    async def _settled(self, partition: Any, first: int, last: int, became: asyncio.Future[str]) -> None:
        how = await became
        if how == "stored" or how in self._settling.after:
            if self._group:
                await self._reader.commit(partition, last)
            return
        await self._clock.sleep(self._settling.retry)
        self._reader.again(partition, first)


def _name(partition: Any) -> str:  # Any: as above
    return f"{partition.topic}/{partition.partition}"
