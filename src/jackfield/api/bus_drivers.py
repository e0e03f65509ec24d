"""Bases of `jackfield.api.bus.Bus`: everything but the line between the daemons."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from collections import deque
from collections.abc import Coroutine, Iterator
from typing import cast

from .bus import MOST_BYTES, QUEUE, Answerer, BusMessage, Messages, Payload
from .clock import Clock
from .containment import passes
from .errors import JackfieldError
from .ids import new_id
from .json_values import Json
from .jsontext import dumps, loads
from .lossy_queue import LossyQueue

_TOPIC = re.compile(r"[a-z0-9_]{1,60}(\.[a-z0-9_-]{1,60}){0,4}")
_BATCH = 7900
"""Bytes that are sent at once, at most."""
_RECEIVED = 65_536
"""Bytes of a batch that is read at all."""
_TELL_EVERY = 60.0
"""Seconds between two lines in the log about batches that are no messages."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
"""Seconds between two attempts to connect."""
_FAREWELL = 1.0
"""Seconds for what waits at the end."""


class _Listener(LossyQueue[BusMessage]):
    def __init__(self, topic: str, *, own: bool) -> None:
        super().__init__(QUEUE)
        self.topic = topic
        self.own = own


class MessageBus:
    """A driver says how a batch gets to the others (`send`), and hands over what comes from them (`received`)."""

    name = ""

    def __init__(self, clock: Clock, log: logging.Logger) -> None:
        self.clock = clock
        self.log = log
        self.connected = False
        self._id = new_id()
        self._open = False
        self._listeners: set[_Listener] = set()
        self._asked: dict[str, asyncio.Future[Payload]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._told = -_TELL_EVERY

    async def open(self) -> None:
        self._open = True
        self._spawn(self._take_answers())

    async def close(self) -> None:
        self._open = False
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._listeners.clear()

    def send(self, message: bytes) -> None:
        """Bring it to the others some time; never waits."""
        raise NotImplementedError

    # -- for whoever uses the bus

    def publish(self, topic: str, payload: Payload) -> None:
        self._publish(topic, payload, "")

    def _publish(self, topic: str, payload: Payload, request: str) -> None:
        """request: the id that an answer names; empty: nobody waits for one."""
        if not _TOPIC.fullmatch(topic):
            raise ValueError(f"{topic!r} is no topic: write words of a to z, digits and _ with dots between.")
        size = len(dumps(_plain(payload)))
        if size > MOST_BYTES:
            raise ValueError(f"A message of {topic} has {size} bytes, more than {MOST_BYTES}: send ids, not contents.")
        if not self._open:
            return
        for listener in self._listeners:
            if listener.topic == topic and listener.own:
                listener.offer(BusMessage(topic, payload))
        self.send(dumps({"topic": topic, "from": self._id, "payload": _plain(payload), "request": request}))

    @contextlib.contextmanager
    def subscribe(self, topic: str, *, own: bool = False) -> Iterator[Messages]:
        with self._listening(_Listener(topic, own=own)) as listener:
            yield listener

    @contextlib.contextmanager
    def _listening(self, listener: _Listener) -> Iterator[_Listener]:
        self._listeners.add(listener)
        try:
            yield listener
        finally:
            self._listeners.discard(listener)

    @contextlib.contextmanager
    def respond(self, topic: str, answerer: Answerer) -> Iterator[None]:
        with self._listening(_Listener(_questions(topic), own=False)) as questions:
            task = self._spawn(self._answer(questions, answerer))
            try:
                yield
            finally:
                task.cancel()

    async def request(self, topic: str, payload: Payload, *, timeout: float) -> Payload:
        ident = new_id()
        answer = self._asked[ident] = asyncio.get_running_loop().create_future()
        try:
            self._publish(topic, payload, ident)
            return await asyncio.wait_for(answer, timeout)
        finally:
            del self._asked[ident]

    async def _answer(self, questions: _Listener, answerer: Answerer) -> None:
        async for message in questions:
            asker, request, payload = (message.payload[key] for key in ("asker", "request", "payload"))
            try:
                answer = await answerer(cast("Payload", payload))
                if answer is not None:
                    self.publish(_answers(str(asker)), {"request": request, "answer": _plain(answer)})
            except BaseException as exc:
                if passes(exc):
                    raise
                self.log.exception("A request over the bus was not answered: %s.", message.topic)

    async def _take_answers(self) -> None:
        with self.subscribe(_answers(self._id)) as messages:
            async for message in messages:
                waiting = self._asked.get(str(message.payload.get("request")))
                answer = message.payload.get("answer")
                if waiting is not None and not waiting.done() and isinstance(answer, dict):
                    waiting.set_result(answer)

    def _spawn(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # -- for the driver

    def received(self, batch: bytes) -> None:
        """A JSON list of messages, as somebody has sent it.

        It leaves out everything that is no message, and logs it.
        """
        try:
            found = loads(batch) if len(batch) <= _RECEIVED else None
        except JackfieldError:
            found = None
        for each in found if isinstance(found, list) else [None]:
            if not isinstance(each, dict) or not self._heard(each):
                self._tell_of_malformed()

    def _heard(self, given: dict[str, Json]) -> bool:
        """False: it is no message."""
        topic, sender, payload = given.get("topic"), given.get("from"), given.get("payload")
        request = given.get("request", "")
        if not (isinstance(topic, str) and isinstance(sender, str) and isinstance(payload, dict)):
            return False
        if sender == self._id:
            return True
        message = BusMessage(topic, payload)
        if request:
            message = BusMessage(_questions(topic), {"asker": sender, "request": request, "payload": payload})
        for listener in self._listeners:
            if listener.topic == message.topic:
                listener.offer(message)
        return True

    def _tell_of_malformed(self) -> None:
        now = self.clock.monotonic()
        if now - self._told >= _TELL_EVERY:
            self._told = now
            self.log.warning("Something on the bus is no message of Jackfield, and ignored.")


class LineBus(MessageBus):
    """Over a line that may break. A driver connects and serves (`serve`) and sends one batch (`send_batch`); everything
    that waits goes in few batches."""

    def __init__(self, clock: Clock, log: logging.Logger) -> None:
        super().__init__(clock, log)
        self._waiting: deque[bytes] = deque()
        self.outgoing = asyncio.Event()
        """Set while something waits to be sent."""
        self._sent = asyncio.Event()
        self._sent.set()
        self._lost = 0
        self._failed = False

    async def open(self) -> None:
        await super().open()
        self._spawn(self._keep_serving())

    async def close(self) -> None:
        if self.connected:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._sent.wait(), _FAREWELL)
        await super().close()
        self.connected = False

    async def serve(self) -> None:
        """Connect, call `is_up`, receive and `flush` whenever `outgoing` is set, until the line breaks. Raises whatever
        the line's library raises; without the password."""
        raise NotImplementedError

    async def send_batch(self, batch: bytes) -> None:
        """Raises when the line is broken; the batch is lost then."""
        raise NotImplementedError

    def send(self, message: bytes) -> None:
        if len(self._waiting) >= QUEUE:
            self._waiting.popleft()
            self._lost += 1
        self._waiting.append(message)
        self._sent.clear()
        self.outgoing.set()

    async def flush(self) -> None:
        """Send what waits."""
        self.outgoing.clear()
        while self._waiting:
            await self.send_batch(self._batch())
        self._sent.set()
        if self._lost:
            self.log.warning("%d messages did not get onto the bus in time, and are lost.", self._lost)
            self._lost = 0

    def _batch(self) -> bytes:
        batch = [self._waiting.popleft()]
        size = len(batch[0]) + 2
        while self._waiting and size + len(self._waiting[0]) + 1 <= _BATCH:
            size += len(self._waiting[0]) + 1
            batch.append(self._waiting.popleft())
        return b"[" + b",".join(batch) + b"]"

    def is_up(self) -> None:
        """There is a line."""
        self.connected = True
        if self._failed:
            self._failed = False
            self.log.info("The bus works again.")

    async def _keep_serving(self) -> None:
        pause = _FIRST_PAUSE
        while True:
            try:
                await self.serve()
            except BaseException as exc:
                if passes(exc):
                    raise
                self._tell_of_failure(exc)
            pause = _FIRST_PAUSE if self.connected else min(pause * 2, _LONGEST_PAUSE)
            self.connected = False
            await self.clock.sleep(pause)

    def _tell_of_failure(self, error: BaseException) -> None:
        """Once per outage."""
        if not self._failed:
            self._failed = True
            said = " ".join(str(error).split())
            self.log.warning("The bus does not work, and changes of other daemons come late: %s.", said[:300])


def _questions(topic: str) -> str:
    return f"question.{topic}"


def _answers(asker: str) -> str:
    return f"answer.{asker}"


def _plain(payload: Payload) -> dict[str, Json]:
    return dict(payload)
