"""Behind the gate: does a request belong to this host?

A path that names a thing of a host goes to that host. The router looks here first, then wherever another host says that
it has it, and remembers the place for a while. Lists are joined. `?host=NAME` names a host whatever the path is. A
request that another host has passed on stays here. A daemon that is alone looks at nothing of this.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, cast
from urllib.parse import parse_qsl, urlencode

from jackfield.api import jsontext
from jackfield.api.asgi import AsgiApp, Message, Receive, Scope, Send
from jackfield.api.auth import OWNER, Principal
from jackfield.api.errors import Conflict, InvalidInput, JackfieldError, NotFound, PayloadTooLarge
from jackfield.api.hosts import Host, HostReply, HostResources, HostUnavailable, RoleMissing
from jackfield.api.jsontext import Json
from jackfield.api.memos import Memos, leased
from jackfield.api.object_references import load
from jackfield.core.hosts.words import EVENTS
from jackfield.core.kernel import Kernel

from . import merging
from .resource_index import ResourceIndex
from .scopes import Headers, caller_of, target_of
from .tokens import HEADER, ForwardedCaller, ForwardingTokens

if TYPE_CHECKING:
    from .client import HostClient

    PassRequest = Callable[[HostClient, Host, Scope, Receive, Send], Awaitable[int]]
    PassWebSocket = Callable[[HostClient, Host, Scope, Receive, Send], Awaitable[None]]

HAS = "/internal/hosts/has"
"""Path at which hosts ask each other for a thing. From outside there is nothing."""
_OF_ALL = ("/api/v1", "/api/hosts", "/api/session")
"""Paths that are the same at every host."""
_REMEMBERED = 1000
_REMEMBER_S = 30.0
_LONGEST_NAME = 200
"""Characters; a longer name, or one that cannot be printed, is no host's."""
_MAKING_S = 60.0
"""Seconds that the making of a thing may take until another host may make one of its name."""
_MOST_BODY = 1024 * 1024
"""Bytes of a request that begins something, which are read to see where."""
_MOST_WORK = 8 * _MOST_BODY
"""The same of work for one of several hosts, such as a prompt of a million characters."""


class HostRouter:
    """One per daemon. Also `HostCalls`."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._hosts = kernel.hosts
        self._tokens = ForwardingTokens(kernel.secrets, kernel.clock, kernel.hosts.here.name)
        self._index: ResourceIndex | None = None
        self._known: dict[tuple[str, str], tuple[str, float]] = {}
        """Thing -> the host that has it, and until when that is believed (monotonic)."""
        self._client: HostClient | None = None

    # -- from other hosts

    def accept(self, scope: Scope) -> ForwardedCaller | None:
        """None: no other host has passed it on.

        Raises `ForwardingRefused`. The scope is then that of the caller, who comes from another machine, whatever the
        address says. A process at the other host is none here.
        """
        token = next((value for name, value in scope["headers"] if name.lower() == HEADER), None)
        if token is None:
            return None
        found = self._tokens.read(token, scope.get("method", "GET"), target_of(scope))
        scope["headers"] = [pair for pair in scope["headers"] if pair[0].lower() != HEADER]
        scope["client"] = found.peer
        scope["jackfield.client"] = found.client
        scope["jackfield.forwarded"] = True
        scope["jackfield.one_host"] = True
        scope["jackfield.principal"] = found.principal
        return found

    async def answer_host(self, scope: Scope, send: Send) -> bool:
        """Whether it was a question of another host, which is answered."""
        if scope["type"] != "http" or scope["path"] not in (HAS, EVENTS):
            return False
        asked, relay = _query(scope), self._kernel.event_relay
        if scope["path"] == HAS:
            has = await self._has(asked.get("kind", ""), asked.get("name", ""))
            await _send_json(send, jsontext.dumps({"success": True, "data": {"has": has}}))
        elif relay is None or scope.get("jackfield.principal") != OWNER:
            return False
        else:
            await _send_json(send, relay.answer(asked))
        return True

    # -- to other hosts

    def around(self, scope: Scope, app: AsgiApp) -> AsgiApp:
        """The application that answers: this host's own, unless it may be another's turn."""
        path: str = scope["path"]
        if not self._hosts.others and self._hosts.takes("agents") and not self._may_be_elsewhere(scope):
            return app
        if not path.startswith(("/api/", "/ws/")) or path.startswith(_OF_ALL):
            return app
        if scope.get("jackfield.principal") is None:  # no host vouches for somebody whom it does not know
            return app
        return partial(self._serve, app)

    def _may_be_elsewhere(self, scope: Scope) -> bool:
        """Although no other host is known: one may have come a moment ago, or the store knows something of it."""
        path, index = scope["path"], self._resources()
        beside = path in index.lists or path in index.joins or index.find(path) is not None
        return self._knows_absent(scope) or (self._hosts.shares and beside)

    def _knows_absent(self, scope: Scope) -> bool:
        """Whether an answer of this daemon alone may have something of hosts that are gone."""
        if not self._hosts.remembers_others or scope["type"] != "http" or scope["method"] != "GET":
            return False
        return scope["path"] in self._resources().standing

    async def _serve(self, app: AsgiApp, scope: Scope, receive: Receive, send: Send) -> None:
        named = _named_host(scope)
        if named == self._hosts.here.name:
            scope["jackfield.one_host"] = True
            await self._here(app, scope, receive, send)
            return
        if named:
            await self._pass(await self._living(named), scope, receive, send)
            return
        method, path = scope.get("method", "GET"), scope["path"]
        index = self._resources()
        if method == "GET" and scope["type"] == "http" and (path in index.lists or path in index.joins):
            await self._list(app, scope, receive, send)
            return
        if method == "POST" and path in index.everywhere:
            await self._everywhere(app, scope, receive, send)
            return
        if method == "POST" and path in index.makes:
            await self._make(app, scope, receive, send, index.makes[path])
            return
        if method == "POST" and (placed := index.placed(path)) is not None:
            place, name = placed
            body = await _body(receive, _MOST_WORK)
            key = await asyncio.to_thread(_field, body, "key")
            async with place(name, _query(scope), key) as host:
                await self._at(host, app, scope, _Replay(body, receive), send)
            return
        if method == "POST" and path in index.starts:
            resource = index.starts[path]
            body = await _body(receive, _MOST_BODY)
            receive = _Replay(body, receive)
            thing = resource.kind, _field(body, resource.starts[path])
        elif (found := index.find(path)) is not None:
            thing = found
        else:
            thing = "", ""
        if thing[1] and not await self._has(*thing):
            await self._hosts.look_again()
            hosts = await self.find(*thing)
            if hosts:
                await self._pass(hosts[0], scope, receive, send, thing)
                return
        await self._here(app, scope, receive, send)

    async def _at(self, host: Host, app: AsgiApp, scope: Scope, receive: Receive, send: Send) -> None:
        if host.name == self._hosts.here.name:
            await self._here(app, scope, receive, send)
        else:
            await self._pass(host, scope, receive, send)

    async def _here(self, app: AsgiApp, scope: Scope, receive: Receive, send: Send) -> None:
        self.check_role(scope)
        await app(scope, receive, send)

    def check_role(self, scope: Scope) -> None:
        """Raises `RoleMissing` for what begins something of an agent's on a host that does not take it."""
        if scope.get("method") == "POST" and not self._hosts.takes("agents"):
            index, path = self._resources(), scope["path"]
            if path in index.starts or path in index.lists:
                self._require_agents()

    async def _living(self, name: str) -> Host:
        """One that has come a moment ago too. Raises `NotFound`."""
        if not self._lives(name):
            await self._hosts.all()
        found = next((host for host in self._hosts.others if host.name == name), None)
        if found is None:
            raise NotFound(
                f"There is no host {name[:100]} that lives; `GET /api/hosts` lists them.", code="HOST_NOT_FOUND"
            )
        return found

    def _require_agents(self) -> None:
        if not self._hosts.has("agents"):
            raise RoleMissing("daemon.roles of this host lacks agents; name another one with ?host=NAME.")
        if not self._hosts.takes("agents"):
            raise RoleMissing("This host is being drained; name another one with ?host=NAME.", code="HOST_DRAINING")

    async def _pass(
        self, host: Host, scope: Scope, receive: Receive, send: Send, thing: tuple[str, str] = ("", "")
    ) -> None:
        client = self._opened()
        if scope["type"] == "websocket":
            pass_websocket = cast("PassWebSocket", load("jackfield.http.hosts.passing:pass_websocket"))
            await pass_websocket(client, host, scope, receive, send)
            return
        pass_request = cast("PassRequest", load("jackfield.http.hosts.passing:pass_request"))
        if await pass_request(client, host, scope, receive, send) == NotFound.status:
            self._known.pop(thing, None)

    async def _list(self, app: AsgiApp, scope: Scope, receive: Receive, send: Send) -> None:
        await self._hosts.look_again()
        query, here, others = _query(scope), self._hosts.here, self._hosts.others
        heeded = self._resources().heeded.get(scope["path"])
        asked = _without(scope, heeded) if heeded else scope
        standing = merging.UnansweredHosts()
        if not others:
            standing = await self._standing(asked, [here.id])
            if not standing:
                await self._here(app, scope, receive, send)
                return
        scope = asked
        own = await merging.captured(app, scope, receive)
        if own.status != 200:
            await own.again(send)
            return
        found = await self._others(scope, others)
        if others:
            standing = await self._standing(scope, [here.id, *(part.host.id for part in found if part.rows(dict))])
        join = self._resources().joins.get(scope["path"])
        bound = None if join is None else lambda data: join(data, query)
        body = await merging.joined(bytes(own.body), here.name, found, bound, standing)
        if body is not None:
            own.replace_body(body)
        await own.again(send)

    async def _standing(self, scope: Scope, answered: Collection[str]) -> merging.UnansweredHosts:
        """The standing of others. Hosts that have no id yet have told nothing."""
        path = scope["path"]
        stand_in = self._resources().standing.get(path)
        if stand_in is None:
            return merging.UnansweredHosts()
        try:
            found = await stand_in(path, _query(scope), frozenset(answered))
        except JackfieldError as exc:
            return merging.UnansweredHosts(trouble=exc.message)
        public = bool(scope.get("jackfield.public_host"))
        return merging.UnansweredHosts([each for each in found if not (each.inside and public)])

    async def _everywhere(self, app: AsgiApp, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _body(receive, _MOST_BODY)
        own = await merging.captured(app, scope, _Replay(body, receive))
        if own.status == 200:
            own.replace_body(merging.done(bytes(own.body), await self._others(scope, self._hosts.others, body)))
        await own.again(send)

    async def _make(self, app: AsgiApp, scope: Scope, receive: Receive, send: Send, resource: HostResources) -> None:
        """Raises `Conflict` when another host has one of this name, `HostUnavailable` when it may."""
        body = await _body(receive, _MOST_BODY)
        name = await asyncio.to_thread(_field, body, resource.makes[scope["path"]])
        if len(name) > _LONGEST_NAME or not name.isprintable() or not name:
            await self._here(app, scope, _Replay(body, receive), send)
            return
        memos, thing = self._kernel.ports.get(Memos), _digest(f"{resource.kind}:{name.lower()}")
        async with leased(memos, "hosts-made", thing, _MAKING_S, self._kernel.clock):
            if (found := await self._asked(resource.kind, name)) and not await resource.has(name):
                raise Conflict(
                    f"The host {found[0].name} has the {resource.kind} {name} already; choose another name, or name "
                    "the host of a second one with ?host=NAME.",
                    code="EXISTS_AT_HOST",
                )
            await self._here(app, scope, _Replay(body, receive), send)

    async def _others(self, scope: Scope, others: Sequence[Host], body: bytes = b"") -> Sequence[merging.Part]:
        """The answers of these others to the same request."""
        caller, target, method = caller_of(scope), target_of(scope), scope["method"]
        headers = [("content-type", "application/json")] if body else []
        return await asyncio.gather(
            *(self._part(host, target, caller, method, headers, body or None) for host in others)
        )

    async def _part(
        self,
        host: Host,
        target: bytes,
        caller: ForwardedCaller,
        method: str = "GET",
        headers: Headers = (),
        body: bytes | None = None,
    ) -> merging.Part:
        try:
            async with asyncio.timeout(self._hosts.answer_timeout):
                return merging.Part(host, await self._opened().whole(host, method, target, caller, headers, body))
        except (JackfieldError, TimeoutError):
            return merging.Part(host, None)

    # -- where things are

    async def _has(self, kind: str, name: str) -> bool:
        resource = self._resources().kinds.get(kind)
        return resource is not None and bool(name) and await resource.has(name)

    async def find(self, kind: str, name: str) -> Sequence[Host]:
        """See `HostCalls.find`."""
        now = self._kernel.clock.monotonic()
        host, until = self._known.get((kind, name), ("", 0.0))
        remembered = [each for each in self._hosts.others if each.name == host]
        if remembered and until > now:
            return remembered
        found = await self._asked(kind, name)
        if len(found) == 1:
            self._remember((kind, name), found[0].name, now)
        return found

    async def _asked(self, kind: str, name: str) -> Sequence[Host]:
        """The same, without what is remembered."""
        target = f"{HAS}?{urlencode({'kind': kind, 'name': name})}".encode()
        caller = ForwardedCaller(OWNER, "", ("", 0))
        parts = await asyncio.gather(*(self._part(each, target, caller) for each in self._hosts.others))
        found = [part.host for part in parts if part.reply is not None and _says_yes(part.reply.data)]
        silent = [part.host.name for part in parts if part.reply is None or part.reply.status != 200]
        if not found and silent:
            raise HostUnavailable(
                f"No host that answers has the {kind} {name[:100]}; these do not answer: {', '.join(silent)}.",
                details={"hosts": silent},
            )
        return found

    def _remember(self, thing: tuple[str, str], host: str, now: float) -> None:
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[thing] = host, now + _REMEMBER_S

    async def call(self, host: Host, method: str, path: str, caller: Principal, *, body: Json = None) -> HostReply:
        """See `HostCalls.call`."""
        content = None if body is None else jsontext.dumps(body)
        headers = [] if body is None else [("content-type", "application/json")]
        asked = ForwardedCaller(caller, "", ("127.0.0.1", 0))
        return await self._opened().whole(host, method, path.encode(), asked, headers, content)

    @asynccontextmanager
    async def stream(self, host: Host, path: str, scope: Scope) -> AsyncIterator[AsyncIterator[bytes]]:
        """See `HostCalls.stream`."""
        async with self._opened().parts(host, path.encode(), caller_of(scope)) as parts:
            yield parts

    async def hand_over(self, host: Host, scope: Scope, receive: Receive, send: Send) -> None:
        """See `HostCalls.hand_over`."""
        await self._pass(host, scope, receive, send)

    def _resources(self) -> ResourceIndex:
        if self._index is None:
            given = self._kernel.plugins.each("jackfield_host_resources", HostResources)
            self._index = ResourceIndex([cast("HostResources", resource) for _, resource in given])
        return self._index

    def _opened(self) -> HostClient:
        """Its library is loaded with the first request to another host."""
        if self._client is None:
            made = cast("type[HostClient]", load("jackfield.http.hosts.client:HostClient"))
            self._client = made(self._tokens, self._lives)
        return self._client

    def _lives(self, name: str) -> bool:
        return any(host.name == name for host in self._hosts.others)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()


def _query(scope: Scope) -> Mapping[str, str]:
    """Of parameters that come more than once, the last counts."""
    return dict(parse_qsl(scope.get("query_string", b"").decode("latin-1")))


def _without(scope: Scope, names: Collection[str]) -> Scope:
    """The same request without these parameters."""
    pairs = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
    query = urlencode([pair for pair in pairs if pair[0] not in names]).encode()
    return {**scope, "query_string": query, "raw_path": (scope.get("raw_path") or b"").partition(b"?")[0]}


def _named_host(scope: Scope) -> str:
    """By the query, which loses it; empty for none."""
    query: bytes = scope.get("query_string", b"")
    if b"host=" not in query:
        return ""
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    named = [value for name, value in pairs if name == "host"]
    if named:
        scope["query_string"] = urlencode([pair for pair in pairs if pair[0] != "host"]).encode()
        scope["raw_path"] = (scope.get("raw_path") or b"").partition(b"?")[0]
    return named[-1] if named else ""


class _Replay:
    """`Receive` that gives a body again."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


async def _body(receive: Receive, most: int) -> bytes:
    """Raises `PayloadTooLarge` when it is too large to tell where it belongs."""
    found = bytearray()
    while True:
        message = await receive()
        found += message.get("body", b"")
        if len(found) > most:
            raise PayloadTooLarge(f"The body may have at most {most} bytes; name the host with ?host=NAME for more.")
        if message["type"] != "http.request" or not message.get("more_body"):
            return bytes(found)


def _field(body: bytes, name: str) -> str:
    """Empty where the view has something to complain of."""
    try:
        found = jsontext.loads(body)
    except InvalidInput:
        return ""
    value = found.get(name) if isinstance(found, dict) else None
    return value if isinstance(value, str) else ""


def _digest(thing: str) -> str:
    """A memo's key has ASCII alone."""
    return hashlib.sha256(thing.encode()).hexdigest()


def _says_yes(data: Json) -> bool:
    found = data.get("data") if isinstance(data, dict) else None
    return isinstance(found, dict) and found.get("has") is True


async def _send_json(send: Send, body: bytes) -> None:
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": body})
