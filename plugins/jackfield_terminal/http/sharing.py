"""`/ws/shared`: a session to look at, for whoever has a link; and the routes that make and end links.

The token is the first message, not a part of the address, which would be in logs. The messages after it follow the
protocol of `/ws/terminal/{id}?mode=ro`.
"""

from __future__ import annotations

import asyncio
from collections import Counter

from quart import Blueprint, Response

from jackfield.api import jsontext
from jackfield.api.asgi import AsgiApp, Message, Receive, Scope, Send
from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, JackfieldError, NotFound
from jackfield.api.events import STOPPING, Subscription
from jackfield.api.hosts import Host, HostCalls, Hosts
from jackfield.api.http import operation, read_model, request_scope, standing, success
from jackfield_terminal.http.reach import reach_guard
from jackfield_terminal.http.share_schemas import ShareIn
from jackfield_terminal.http.shares import Share, ShareInvalid, Shares, host_of
from jackfield_terminal.ports import SessionHub

SEGMENT = "ws/shared"
PATIENCE = 10.0
"""Seconds within which the token must come."""
LOOK = 1.0
"""Seconds between two looks at whether the link still counts."""
WAITING = 100
"""Connections whose token has not come, at most."""
REFUSED = 4401
AGAIN = 1013
"""Source: the registry of close codes of RFC 6455, 'Try Again Later'."""
FULL = 4409
"""Close code as of a session with too many clients."""
_SCHEMAS = "jackfield_terminal.http.share_schemas"


class Sharing:
    """The links of one daemon."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._hosts = context.port(Hosts)
        self._shares = Shares(context.clock, self._hosts.here.name)
        self._waiting = 0
        self._viewers: Counter[str] = Counter()
        """Session -> connections that links have opened."""

    def _hub(self) -> SessionHub:
        """Asked for with a connection or a request: this object is made on a thread, with the routes."""
        return self._context.port(SessionHub)

    # -- the socket

    async def connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI application; the gate has looked at Host and Origin and asks for no credential."""
        if scope["type"] != "websocket" or scope["path"] != f"/{SEGMENT}":
            raise NotFound
        if (await receive())["type"] != "websocket.connect":
            return
        await send({"type": "websocket.accept"})
        token = await self._token(receive)
        elsewhere = host_of(token, self._hosts.others)
        if elsewhere is not None:
            await self._hand_over(elsewhere, token, scope, receive, send)
            return
        try:
            share = await self._shares.find(token)
        except JackfieldError as exc:
            await close(send, exc.message)
            return
        # A person who has the link could else keep the owner out, with as many connections as a session may have.
        if self._viewers[share.session_id] >= max(1, self._hub().settings.max_clients // 2):
            await close(send, "The session has as many viewers as may come by links.", FULL)
            return
        self._viewers[share.session_id] += 1
        try:
            await self._show(share, token, scope, receive, send)
        finally:
            self._viewers[share.session_id] -= 1
            self._viewers += Counter()  # those of whom there are none are forgotten

    async def _hand_over(self, host: Host, token: str, scope: Scope, receive: Receive, send: Send) -> None:
        """To the host that has the session. The first messages have been exchanged here."""
        told = jsontext.dumps({"token": token}).decode()
        heard: list[Message] = [{"type": "websocket.receive", "text": told}, {"type": "websocket.connect"}]

        async def hear() -> Message:
            return heard.pop() if heard else await receive()

        async def say(message: Message) -> None:
            if message["type"] != "websocket.accept":
                await send(message)

        try:
            await self._context.port(HostCalls).hand_over(host, scope, hear, say)
        except JackfieldError as exc:
            await close(send, exc.message, AGAIN)

    async def _show(self, share: Share, token: str, scope: Scope, receive: Receive, send: Send) -> None:
        watch = asyncio.ensure_future(self._until_it_ends(token))
        look = asyncio.ensure_future(self._look(share, scope.get("query_string", b""), receive, send))
        try:
            await asyncio.wait({watch, look}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            watch.cancel()
            ended = look.cancel()
            await asyncio.gather(watch, look, return_exceptions=True)
        if ended:
            await close(send, ShareInvalid().message)

    async def _token(self, receive: Receive) -> str:
        """The client's first message; empty when there is none in time, or the daemon stops."""
        if self._waiting >= WAITING:
            return ""
        self._waiting += 1
        with self._context.events.subscribe("system") as system:
            first, stop = asyncio.ensure_future(receive()), asyncio.ensure_future(stop_of(system))
            try:
                await asyncio.wait({first, stop}, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
                found = jsontext.loads(first.result().get("text") or "{}", max_depth=4) if first.done() else None
            except InvalidInput:
                return ""
            finally:
                self._waiting -= 1
                first.cancel()
                stop.cancel()
                await asyncio.gather(first, stop, return_exceptions=True)
        return str(found.get("token", ""))[:200] if isinstance(found, dict) else ""

    async def _look(self, share: Share, query: bytes, receive: Receive, send: Send) -> None:
        """Be a client of the session that may look only, whatever the query says of that, and from wherever.

        The maker of the link has allowed it.
        """
        await self._hub().attach(share.session_id, scope_of_link(query), receive, send)

    async def _until_it_ends(self, token: str) -> None:
        while True:
            await asyncio.sleep(LOOK)
            try:
                await self._shares.find(token)
            except ShareInvalid:
                return
            except JackfieldError:  # the store does not answer: that says nothing of the link
                continue

    # -- the routes

    @operation(
        "Make a link with which anybody may look at the session, for as long as the caller's credential counts.",
        operation_id="shareTerminal",
        scope=None,
        request=f"{_SCHEMAS}:ShareIn",
        response=f"{_SCHEMAS}:ShareAnswer",
        tags=["terminal"],
    )
    async def share(self, session_id: str) -> Response:
        body = await read_model(ShareIn)
        self._hub().reached(session_id, "look", request_scope())
        token, share = self._shares.new(session_id, body.expires_in, standing())
        url = f"{self._context.service.public_url}/ui/shared#token={token}"
        answer = success(
            {"session_id": session_id, "token": token, "url": url, "mode": "ro", "expires_at": iso(share.until)}
        )
        answer.headers["Cache-Control"] = "no-store"
        return answer

    @operation(
        "End every link to the session.",
        operation_id="unshareTerminal",
        scope=None,
        response=f"{_SCHEMAS}:ShareEndAnswer",
        tags=["terminal"],
    )
    async def unshare(self, session_id: str) -> Response:
        return success({"ended": self._shares.end(session_id)})

    def blueprint(self) -> Blueprint:
        made = Blueprint("terminal_sharing", __name__, url_prefix="/api/terminal/sessions/<session_id>/share")
        made.before_request(reach_guard(self._context))
        made.add_url_rule("", view_func=self.share, methods=["POST"])
        made.add_url_rule("", view_func=self.unshare, methods=["DELETE"])
        return made


async def stop_of(system: Subscription) -> None:
    """Until the daemon begins to stop."""
    async for event in system:
        if event.type == STOPPING:
            return


def scope_of_link(query: bytes) -> Scope:
    """Nothing of the request but what a viewer needs: no header, no credential that came with it."""
    return {"type": "websocket", "headers": [], "query_string": query + b"&mode=ro"}


async def close(send: Send, why: str, code: int = REFUSED) -> None:
    """Tell the client why, and close."""
    try:
        async with asyncio.timeout(PATIENCE):
            text = jsontext.dumps({"type": "error", "message": why}).decode()
            await send({"type": "websocket.send", "text": text})
            await send({"type": "websocket.close", "code": code})
    except OSError:  # a time-out is one of them
        return


def application(context: PluginContext) -> AsgiApp:
    """The application that `/ws/shared` serves."""
    return context.port(Sharing).connect
