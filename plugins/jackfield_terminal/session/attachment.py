"""One client of a session, over a WebSocket: what it is sent, and what it says.

Source: docs/decisions.md, 'Terminals'.
"""

from __future__ import annotations

import asyncio
from urllib.parse import parse_qs

from jackfield.api import jsontext
from jackfield.api.asgi import Receive, Scope, Send, ShortcutSocket, shortcut_of
from jackfield.api.clock import Clock
from jackfield.api.errors import Conflict, InvalidInput
from jackfield.api.records import record
from jackfield_terminal.output.flow import PATIENCE
from jackfield_terminal.session.messages import Resize, Signal, TakenOutput, parsed
from jackfield_terminal.session.session import Session
from jackfield_terminal.settings import TerminalSettings

FRAME = 128 * 1024
"""Bytes of output in one frame, about."""

AT_ONCE = 16 * 1024
"""Bytes of output up to which a client that waits for it is sent it as it is read."""

QUIET = 0.001
"""Seconds without output before that.

Tasks send output that comes closer together: they take turns, and a flood makes larger and so fewer frames.
"""

LEAST_WINDOW = 64 * 1024
"""Bytes; a client that asks for less gets this."""

GOING_AWAY = 1001
"""Close code when the daemon stops and the session goes on (RFC 6455 section 7.4.1)."""


@record
class AttachOptions:
    """The options that a client gives in its address.

    `writes`: not with the mode `ro`. `window`: bytes of output that it may get before it has said that they are worked
    off (`taken`). Browsers need it, since they cannot stop a socket; 0: without limit. `sizes`: whether it gets the
    terminal's size.
    """

    writes: bool = True
    window: int = 0
    sizes: bool = False


class Attachment:
    """A client's place in the output, and the two tasks that move data in its directions."""

    def __init__(
        self,
        session: Session,
        send: Send,
        settings: TerminalSettings,
        clock: Clock,
        options: AttachOptions,
        direct: ShortcutSocket | None,
    ) -> None:
        self.cursor = 0
        self.slow = False
        self.patience = PATIENCE
        self.progressed = clock.monotonic()
        self.size: tuple[int, int] | None = None
        self._session = session
        self._send = send
        self._settings = settings
        self._clock = clock
        self._options = options
        self._open = options.window
        """Bytes that may still be sent, of a client with a window."""
        self._told: tuple[int, int] | None = None
        self._more = asyncio.Event()
        self._waits = False
        """Whether it waits for news, and had been sent all there was."""
        self._direct = direct
        if direct is not None and options.writes:
            direct.listen(self._typed)

    def wake(self) -> None:
        if not self._sent_at_once():
            self._more.set()

    def _sent_at_once(self) -> bool:
        """Whether there was a little output, and nothing else to tell."""
        session, log = self._session, self._session.log
        if self._direct is None or not self._waits or self._more.is_set() or self._is_full():
            return False
        if self._is_to_tell_size() or session.state != "running" or session.left.is_set():
            return False
        if not log.start <= self.cursor < log.end <= self.cursor + AT_ONCE:
            return False
        if self._clock.monotonic() - self.progressed < QUIET:
            return False
        data = log.read(self.cursor, AT_ONCE)
        if not self._direct.send(data):
            return False
        self._sent(data)
        return True

    # -- to the client

    async def follow(self) -> None:
        """Send the scrollback, then output as it comes, and the end."""
        session = self._session
        log = session.log
        # Not a single await between the cut and the cursor: nothing is missed or repeated.
        scrollback, self.cursor = log.scrollback()
        await self._tell({"type": "connected", "session_id": session.id})
        if self._is_to_tell_size():
            await self._tell_size()
        await self._send({"type": "websocket.send", "bytes": scrollback})
        self._open -= len(scrollback)
        scrollback = b""
        while True:
            if self._is_to_tell_size():
                await self._tell_size()
            elif self._is_full() and self.cursor < log.end and not session.left.is_set():
                await self._news()
            elif self.cursor < log.start:
                await self._catch_up()
            elif self.cursor < log.end:
                await self._forward(log.read(self.cursor, FRAME))
            elif session.state == "terminated":
                break
            elif session.left.is_set():
                await self._refuse("The daemon stops; the session goes on.")
                await self._send({"type": "websocket.close", "code": GOING_AWAY})
                return
            else:
                await self._news()
        ended: dict[str, object] = {"type": "state_changed", "state": session.state, "exit_code": session.exit_code}
        await self._tell({**ended, "reason": session.reason} if session.reason else ended)
        await self._send({"type": "websocket.close", "code": 1000})

    def _is_full(self) -> bool:
        """Whether the client has to work off what it has first. It falls behind meanwhile, as one that does not
        read."""
        return self._options.window > 0 and self._open <= 0

    async def _news(self) -> None:
        self._more.clear()
        self._waits = True
        await self._more.wait()
        self._waits = False

    def _is_to_tell_size(self) -> bool:
        return self._options.sizes and self._told != (self._session.cols, self._session.rows)

    async def _tell_size(self) -> None:
        self._told = cols, rows = self._session.cols, self._session.rows
        await self._tell({"type": "size", "cols": cols, "rows": rows})

    async def _forward(self, data: bytes) -> None:
        await self._send({"type": "websocket.send", "bytes": data})
        self._sent(data)
        if len(data) >= FRAME:
            # A server whose buffers are empty never suspends; others want their turn.
            await asyncio.sleep(0)

    def _sent(self, data: bytes) -> None:
        self._open -= len(data)
        self.cursor += len(data)
        self._progress()

    async def _catch_up(self) -> None:
        """The client was away for longer than the log goes back: it gets a message, and begins anew near the end."""
        missed = self._session.log.start - self.cursor
        data, after = self._session.log.tail(self._settings.resync)
        self.cursor = after
        await self._tell({"type": "resync", "missed": missed})
        await self._send({"type": "websocket.send", "bytes": b"\x1bc" + data})
        self._open -= len(data) + 2
        self._progress()

    def _progress(self) -> None:
        self._session.advanced(self, self._clock.monotonic() - self.progressed)

    async def _tell(self, message: dict[str, object]) -> None:
        await self._send({"type": "websocket.send", "text": jsontext.dumps(message).decode()})

    # -- from the client

    async def listen(self, receive: Receive) -> None:
        """Until the client has gone."""
        while True:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                return
            if message["type"] == "websocket.receive":
                await self._take(message.get("bytes"), message.get("text"))

    def _typed(self, data: bytes) -> bytes:
        """Keystrokes on the short way; gives what is to come by `listen`."""
        return data if len(data) > self._settings.input_limit else self._session.write_now(data)

    async def _take(self, data: bytes | None, text: str | None) -> None:
        size = len(data) if data is not None else len(text or "")
        if size > self._settings.input_limit:
            await self._refuse(f"A frame may have at most {self._settings.input_limit} bytes.")
        elif data is not None:
            await self._type(data)
        elif text is not None:
            await self._obey(text)

    async def _type(self, data: bytes) -> None:
        if not self._options.writes:
            return
        try:
            await self._session.type(data)
        except Conflict as exc:
            await self._refuse(exc.message)

    async def _obey(self, text: str) -> None:
        try:
            message = parsed(text)
        except InvalidInput as exc:
            await self._refuse(exc.message)
            return
        if isinstance(message, TakenOutput):
            self._open = min(self._options.window, self._open + message.size)
            self.wake()
        if not self._options.writes:
            return
        match message:
            case Resize(cols=cols, rows=rows):
                self.size = (cols, rows)
                self._session.fit()
            case Signal(number=number):
                self._session.signal(number)

    async def _refuse(self, why: str) -> None:
        await self._tell({"type": "error", "message": why})


def is_viewer(scope: Scope) -> bool:
    """Whether the client has asked to look only (`?mode=ro`)."""
    query: bytes = scope.get("query_string", b"")
    return parse_qs(query.decode("latin-1")).get("mode", [""])[-1] == "ro"


def attach_options(scope: Scope) -> AttachOptions:
    """`?mode=ro&window=524288&sizes=1`; what is not understood is not asked for."""
    query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
    window = query.get("window", [""])[-1]
    size = max(int(window), LEAST_WINDOW) if window.isascii() and window.isdecimal() and len(window) < 12 else 0
    return AttachOptions(not is_viewer(scope), size, query.get("sizes", [""])[-1] == "1")


async def serve(
    session: Session, scope: Scope, receive: Receive, send: Send, settings: TerminalSettings, clock: Clock
) -> None:
    """An accepted connection, until the client or the session ends."""
    direct = shortcut_of(scope)
    attachment = Attachment(session, send, settings, clock, attach_options(scope), direct)
    session.attach(attachment)
    tasks = [asyncio.ensure_future(attachment.follow()), asyncio.ensure_future(attachment.listen(receive))]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        session.detach(attachment)
        if direct is not None:
            direct.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def refuse(send: Send, why: str, code: int) -> None:
    """Tell an accepted client why there is nothing for it, and close."""
    text = jsontext.dumps({"type": "error", "message": why}).decode()
    await send({"type": "websocket.send", "text": text})
    await send({"type": "websocket.close", "code": code})
