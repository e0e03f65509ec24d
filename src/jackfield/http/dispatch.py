"""The ASGI entry: lifespan, request ids, the gate, then by the path's first segments a raw application or Quart."""

from __future__ import annotations

import itertools
import logging
import os
import time
from collections.abc import Awaitable, Callable

from jackfield.api.admission.connections import Admission
from jackfield.api.asgi import WITHOUT_AGENTS, Area, AsgiApp, AsgiMount, Message, Receive, Scope, Send
from jackfield.api.auth import OWNER, Principal
from jackfield.api.body_budget import BODY_BUDGET, BodyBudget
from jackfield.api.containment import passes
from jackfield.api.errors import (
    AccessDenied,
    AuthRequired,
    HeadersTooLarge,
    InvalidInput,
    JackfieldError,
    NotFound,
    RateLimited,
)
from jackfield.api.headroom import find_headroom, unexpected
from jackfield.api.limits import SlidingWindow, canonical_client
from jackfield.api.projects import PROJECT_HEADER, CallerReach, present_reach, set_reach
from jackfield.core.kernel import Kernel
from jackfield.core.logs import request_id as request_id_of_log
from jackfield.core.tables import AuthSettings, DaemonSettings, ServerSettings

from .cors import Cors
from .credential_lifetime import CredentialBoundSocket, while_credential_counts
from .errors import is_service, send_error
from .gate import Access, Gate
from .hosts.router import HostRouter
from .mounts import Mounts
from .probes import PROBES
from .replay import BodyReplay
from .unread_body import DrainingExchange

log = logging.getLogger("jackfield.http")
_PROJECT = PROJECT_HEADER.encode()
READING = frozenset({"GET", "HEAD", "OPTIONS"})
ABOUT_THE_DAEMON = frozenset({"/metrics", "/openapi.json", "/docs", "/ws"})
"""Paths that tell nothing about agents, or, as `/ws`, ask for each topic's own scopes: any valid credential is
enough."""

SESSIONS = "/api/session"
"""Where browsers log in."""


class CallerGone(ConnectionError):
    """The caller left what was sent unread for too long; the connection is cut."""


class Counters:
    """The figures of `/metrics` about requests: status class -> count; and about connections, where the server lets us
    know of them.
    """

    def __init__(self) -> None:
        self.admission: Admission | None = None
        self.answers: dict[int, int] = {}
        self.seconds = 0.0


class Dispatcher:
    """The daemon as one ASGI application."""

    def __init__(
        self,
        kernel: Kernel,
        gate: Gate,
        cors: Cors,
        limit: SlidingWindow | None,
        quart: AsgiApp,
        mounts: Mounts,
        public: Callable[[], Awaitable[frozenset[str]]],
        expect: Callable[[], None],
        lifespan: AsgiApp,
        counters: Counters,
        hosts: HostRouter,
    ) -> None:
        """public: paths that nobody has to authenticate for; expect: told when a page is loaded that will ask
        `quart`."""
        self._kernel = kernel
        self._gate = gate
        self._cors = cors
        self._limit = limit
        self._quart = quart
        self._mount_of = mounts.find
        self._public = public
        self._expect = expect
        self._lifespan = lifespan
        self._hosts = hosts
        server = kernel.settings.get(ServerSettings)
        self._head_limit = server.header_limit
        self._body_timeout = server.body_timeout
        self._headroom = find_headroom(kernel.settings.get(DaemonSettings).memory_reserve)
        self._body_budget = BodyBudget(server.body_memory, server.body_memory_per_execution, self._headroom)
        strangers = kernel.authenticator.has_strangers
        self._body_limit = kernel.settings.get(AuthSettings).body_limit if strangers else None
        """None: no method reads bodies."""
        self._ids = itertools.count(int.from_bytes(os.urandom(4)) << 24)
        self._prefix = os.urandom(4).hex()
        self.counters = counters

    def _new_id(self) -> str:
        # Unique, not secret: a random prefix per start and a counter.
        return f"{self._prefix}{next(self._ids):x}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)
        else:
            await self._websocket(scope, receive, send)

    # -- HTTP

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        ident = scope["jackfield.request_id"] = self._new_id()
        counters = self.counters
        started = time.perf_counter()
        begun = False

        async def counted(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                status = message["status"]
                counters.answers[status] = counters.answers.get(status, 0) + 1
                message["headers"] = [*message["headers"], (b"x-request-id", ident.encode())]
            try:
                await send(message)
            except TimeoutError:  # of the connection: server.send_timeout
                raise CallerGone from None

        path: str = scope["path"]
        problem = self._head_problem(scope)
        exchange = DrainingExchange(receive, counted)
        scope[BODY_BUDGET] = self._body_budget
        try:
            if problem is not None:
                raise problem
            if self._headroom is not None and path not in PROBES:
                self._headroom.check()
            mount = self._mount_of(path)
            if mount is not None and mount.access == "public":
                self._gate.check_host(scope, mount.area or "webhooks")
                scope["jackfield.client"] = self._gate.client(scope)
                await mount.app(scope, exchange.receive, counted)
            else:
                request_id_of_log.set(ident)
                await self._guarded(scope, exchange.receive, exchange.send, mount)
        except CallerGone:
            log.debug("%s %s was given up: its caller read nothing.", scope["method"], path)
        except JackfieldError as exc:
            await self._answer_error(scope, exchange.send, exc, begun)
        except BaseException as exc:
            if passes(exc):
                raise
            log.exception("%s %s failed.", scope["method"], path, extra={"requestId": ident})
            await self._answer_error(scope, exchange.send, unexpected(exc), begun)
        finally:
            counters.seconds += time.perf_counter() - started

    def _head_problem(self, scope: Scope) -> JackfieldError | None:
        """Hypercorn has refused a large head that came in several pieces; httptools has no limit."""
        target = len(scope.get("raw_path") or b"") + len(scope["query_string"])
        if sum(map(len, itertools.chain.from_iterable(scope["headers"])), target) > self._head_limit:
            return HeadersTooLarge()
        return target_problem(scope)

    async def _guarded(self, scope: Scope, receive: Receive, send: Send, mount: AsgiMount | None) -> None:
        path: str = scope["path"]
        access: Access = "service" if is_service(path) else "gated"
        if self._comes_from_host(scope, access, mount):
            if not await self._hosts.answer_host(scope, send):
                await (mount.app if mount else self._quart)(scope, receive, send)
            return
        area = area_of(path, mount)
        self._gate.check_host(scope, area)
        scope["jackfield.client"] = self._gate.client(scope)
        if access == "service" and self._cors.enabled:
            if self._cors.is_preflight(scope):
                await self._cors.answer_preflight(scope, send)
                return
            send = self._cors.marking(scope, send)
        if self._body_limit is not None:
            replay = BodyReplay(receive, scope, self._body_limit, self._body_timeout)
            receive, scope["jackfield.body"] = replay.receive, replay.read
        try:
            await self._check(scope, access, mount, area)
        except JackfieldError as exc:
            # Answered here, so that the answer carries the CORS permission.
            if mount is not None and mount.challenge is not None and exc.status == AuthRequired.status:
                exc.headers.append(("WWW-Authenticate", mount.challenge(scope)))
            await send_error(send, exc, path, scope["jackfield.request_id"], scope["method"])
            return
        app = self._hosts.around(scope, mount.app if mount else self._quart)
        limit_reach(scope)
        caller: Principal | None = scope.get("jackfield.principal")
        if caller is None or not has_credential(caller):
            await app(scope, receive, send)
            return
        scope["jackfield.standing"] = self._gate.standing(scope, caller)
        if scope["method"] == "GET":
            await while_credential_counts(app, scope, receive, send, lambda: self._gate.still_counts(scope, caller))
        else:
            await app(scope, receive, send)

    def _comes_from_host(self, scope: Scope, access: Access, mount: AsgiMount | None) -> bool:
        """Whether another host has passed it on, which vouches for the caller and watches the credential. Raises
        `AuthRequired`, `AccessDenied`."""
        found = self._hosts.accept(scope)
        if found is None:
            return False
        caller = found.principal
        if caller is None and (mount is None or mount.access != "open"):
            raise AuthRequired("A host has passed on a request of nobody.")
        if access == "gated" and found.public:
            self._gate.check_remote()
        if caller is None:
            return True
        if access == "gated":
            require(caller, scope)
        if has_credential(caller):
            headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in found.credentials]
            scope["jackfield.standing"] = self._gate.standing({**scope, "headers": headers}, caller)
        self._hosts.check_role(scope)
        limit_reach(scope)
        return True

    async def _check(self, scope: Scope, access: Access, mount: AsgiMount | None, area: Area | None) -> None:
        if mount is not None and mount.access == "open":
            self._gate.check_origin(scope, "gated")
            self._expect()
            return
        if access == "service":
            self._count(scope)
        if scope["path"] in PROBES or (access == "service" and scope["path"] in await self._public()):
            self._gate.check_origin(scope, access)
            return
        if mount is None and scope["path"] in await self._public():
            scope["jackfield.principal"] = await self._gate.identify(scope)
            return
        caller = scope["jackfield.principal"] = await self._gate.check(scope, access, area or "api")
        # Routes of the service, and scoped applications, name the scope that they need.
        if access == "gated" and caller is not None and (mount is None or mount.access != "scoped"):
            require(caller, scope)

    def _count(self, scope: Scope) -> None:
        if self._limit is None:
            return
        retry = self._limit.hit(canonical_client(scope["jackfield.client"]))
        if retry is not None:
            raise RateLimited(retry, "This address has sent too many requests; see security.rate_limit.")

    async def serve_known(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A request of the management API, in the name of a caller whom the gate has let in with another one.

        Behind the gate, it is as their own request. Raises `JackfieldError` as long as nothing was sent.
        """
        path: str = scope["path"]
        if not path.startswith("/api/") or self._mount_of(path) is not None:
            raise NotFound("There is no operation of the management API at this address.")
        if is_service(path):
            self._count(scope)
        else:
            if scope.get(WITHOUT_AGENTS):
                raise AccessDenied("This public host does not reach agents; see server.areas.agents.")
            require(scope["jackfield.principal"], scope)
        limit_reach(scope)
        await self._hosts.around(scope, self._quart)(scope, receive, send)

    async def _answer_error(self, scope: Scope, send: Send, error: JackfieldError, begun: bool) -> None:
        if not begun:
            await send_error(send, error, scope["path"], scope["jackfield.request_id"], scope["method"])

    # -- WebSocket

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        ident = scope["jackfield.request_id"] = self._new_id()
        request_id_of_log.set(ident)
        path: str = scope["path"]
        try:
            if (problem := target_problem(scope)) is not None:
                raise problem
            access: Access = "service" if is_service(path) else "gated"
            mount = self._mount_of(path)
            if self._comes_from_host(scope, access, mount):
                await (mount.app if mount else self._quart)(scope, receive, send)
                return
            area = area_of(path, mount)
            self._gate.check_host(scope, area)
            scope["jackfield.client"] = self._gate.client(scope)
            caller = await self._caller(scope, access, mount, area or "api")
            app = self._hosts.around(scope, mount.app if mount else self._quart)
            if caller is not None and has_credential(caller):
                await CredentialBoundSocket(receive, send, lambda: self._gate.still_counts(scope, caller)).run(
                    app, scope
                )
            else:
                await app(scope, receive, send)
        except JackfieldError as exc:
            await refuse_websocket(scope, receive, send, exc)

    async def _caller(self, scope: Scope, access: Access, mount: AsgiMount | None, area: Area) -> Principal | None:
        """The caller of the WebSocket; an open application asks nobody."""
        if mount is not None and mount.access == "open":
            self._gate.check_origin(scope, "gated")
            self._expect()
            return None
        caller = scope["jackfield.principal"] = await self._gate.check(scope, access, area)
        if access == "gated" and caller is not None:
            require(caller, scope)
        limit_reach(scope)
        return caller


def area_of(path: str, mount: AsgiMount | None) -> Area | None:
    """The area of `[server.areas]`; None: every public host reaches it."""
    if path in PROBES:
        return None
    if path in ABOUT_THE_DAEMON or path == SESSIONS or path.startswith(f"{SESSIONS}/"):
        return "ui"
    if mount is not None:
        return mount.reached_as
    return "api" if is_service(path) else "agents"


def limit_reach(scope: Scope) -> None:
    """From now on the task that answers the request reaches what its caller may, of the project that is named. A call
    of the daemon's own in somebody's name stays with the project that they have named."""
    caller: Principal | None = scope.get("jackfield.principal")
    if caller is None:
        return
    named = next((value for name, value in scope["headers"] if name == _PROJECT), b"").decode("latin-1").strip()
    present = present_reach()
    if not named and isinstance(present, CallerReach) and present.caller == caller:
        named = present.project
    set_reach(CallerReach(caller, named))


def has_credential(caller: Principal) -> bool:
    """Whether it came with something that may end. The daemon's own user is known by the process or the token file."""
    return caller.method != OWNER.method


def require(caller: Principal, scope: Scope) -> None:
    """Outside the service: whoever may start an agent may do all that its user may. Raises `AccessDenied`."""
    if scope.get("method", "GET") not in READING:
        caller.require_change()
    elif scope["path"] not in ABOUT_THE_DAEMON:
        caller.require_look()


def target_problem(scope: Scope) -> InvalidInput | None:
    """The router takes `//api/v1` and `http://host/api/v1` for `/api/v1`, where the gate would see another path.

    The sent form counts too: `%2Fapi` is no path, and names another host where it is put behind an address.
    """
    path: str = scope["path"]
    sent: bytes = scope.get("raw_path") or b"/"
    if path.startswith("/") and not path.startswith("//") and sent.startswith(b"/") and not sent.startswith(b"//"):
        return None
    return InvalidInput("The request's target must be a path that begins with one slash.")


async def refuse_websocket(scope: Scope, receive: Receive, send: Send, error: JackfieldError) -> None:
    """A refused upgrade is a real HTTP answer (ASGI extension `websocket.http.response`), else close 1008."""
    message = await receive()
    if message["type"] != "websocket.connect":
        return
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008})
        return

    async def as_http(answer: Message) -> None:
        if answer["type"] == "http.response.start":  # so that a caller sees that its upgrade has come through
            answer["headers"] = [*answer["headers"], (b"sec-websocket-version", b"13")]
        await send({**answer, "type": "websocket." + answer["type"]})

    await send_error(as_http, error, scope["path"], scope["jackfield.request_id"])
