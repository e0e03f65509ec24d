"""One client of `/ws`: what it asks for, and what it gets.

Three tasks: one reads what the client sends, one sends it events, one waits for the daemon's stop. The first to end
ends the connection. A client that does not read holds up its own sending task alone; the bus counts what does not fit
into its queue.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

from jackfield.api import jsontext
from jackfield.api.asgi import Message, Receive, Send
from jackfield.api.auth import Principal
from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield.api.event_reach import heard_event
from jackfield.api.events import STOPPING, EventBus, Subscription
from jackfield.api.projects import ProjectAccess
from jackfield_events.frames import PONG, EventFrames, error, lagged, subscribed
from jackfield_events.settings import EventsSettings
from jackfield_events.topics import expanded

SYSTEM = "system"
GOING_AWAY = 1001
GRACE = 1.0
"""Seconds that a stop gives a client to take what it is being sent."""
DEPTH = 8
"""Levels of a client's message; ours have two."""


class EventClient:
    """Speaks with one client until either side ends it."""

    def __init__(
        self,
        caller: Principal,
        receive: Receive,
        send: Send,
        frames: EventFrames,
        settings: EventsSettings,
        *,
        public: bool,
        projects: ProjectAccess | None = None,
    ) -> None:
        """public: whether the caller comes by a public host. projects: None: there are none."""
        self._projects = projects
        self._caller = caller
        self._public = public
        self._receive = receive
        self._send = send
        self._frames = frames
        self._settings = settings
        self._turn = asyncio.Lock()
        self._topics: frozenset[str] = frozenset()

    async def serve(self, bus: EventBus) -> None:
        """Accept, and return when the connection has ended."""
        if (await self._receive())["type"] != "websocket.connect":
            return
        await self._send({"type": "websocket.accept"})
        with bus.subscribe_everywhere(SYSTEM) as events, bus.subscribe(SYSTEM) as system:
            code = await first_of(self._hear(events), self._tell(events), stop_of(system))
            if code is not None:
                await self._sent({"type": "websocket.close", "code": code}, GRACE)

    async def _hear(self, events: Subscription) -> None:
        """Take messages until the client leaves."""
        while (message := await self._receive())["type"] == "websocket.receive":
            try:
                answer = self._answer(message, events)
            except JackfieldError as exc:
                answer = error(exc.message)
            if not await self._say(answer):
                return

    def _answer(self, message: Message, events: Subscription) -> str:
        """Do what the message asks, and say so. Raises `JackfieldError`, whose message the client gets."""
        text = message.get("text")
        if text is None:
            raise InvalidInput("Messages are texts, not binary.")
        if len(text.encode()) > self._settings.frame_limit:
            raise InvalidInput(f"A message may have at most {self._settings.frame_limit} bytes.")
        try:
            asked = jsontext.loads(text, max_depth=DEPTH)
        except InvalidInput:
            raise InvalidInput("The message is not valid JSON.") from None
        kind = asked.get("type") if isinstance(asked, dict) else None
        if kind == "ping":
            return PONG
        if not isinstance(asked, dict) or kind not in ("subscribe", "unsubscribe"):
            raise InvalidInput("A message is an object whose type is subscribe, unsubscribe or ping.")
        named = expanded(self._caller, asked.get("topics"))
        self._topics = self._topics | named if kind == "subscribe" else self._topics - named
        events.listen({*self._topics, SYSTEM})
        return subscribed(self._topics)

    async def _tell(self, events: Subscription) -> int | None:
        """Send events until the client takes none any more, or the daemon stops: then the code to close with."""
        async for event in events:
            missed = events.missed()
            if missed and not await self._say(lagged(missed)):
                break
            # An event may have been in the queue before the client gave its topic up.
            told = event.topic in self._topics and not (event.inside and self._public)
            heard = await heard_event(self._projects, event) if told else None
            if heard is not None and not await self._say(self._frames.of(heard)):
                break
            if event.type == STOPPING:
                return GOING_AWAY
        return None

    async def _say(self, text: str) -> bool:
        """Whether the client has taken it; frames of the two tasks go one after the other."""
        async with self._turn:
            return await self._sent({"type": "websocket.send", "text": text}, self._settings.send_timeout)

    async def _sent(self, message: Message, timeout: float) -> bool:
        try:
            async with asyncio.timeout(timeout):
                await self._send(message)
        except OSError:  # a time-out is one of them, and so is a connection that is gone
            return False
        return True


async def stop_of(system: Subscription) -> int:
    """Return `GRACE` after the daemon has begun to stop: the code to close with."""
    async for event in system:
        if event.type == STOPPING:
            break
    await asyncio.sleep(GRACE)
    return GOING_AWAY


async def first_of(*coroutines: Coroutine[object, object, int | None]) -> int | None:
    """The result of the first to end; the others are cancelled. Raises what it raised."""
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return next(iter(done)).result()
