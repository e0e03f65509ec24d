"""The listener: who may come in, what is asked, and errors in the client's dialect."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import secrets
import socket
import traceback
from functools import partial
from typing import TYPE_CHECKING, Any

from aiohttp import HttpVersion11, web

from jackfield.api import dialects
from jackfield.api.admission.accepting import AdmittingServer
from jackfield.api.admission.connections import AdmittedConnection
from jackfield.api.dialects.model import DialectError
from jackfield.api.records import record
from jackfield_proxy.child.answers import relay
from jackfield_proxy.child.answers.relay import STOPPING
from jackfield_proxy.child.clients.connections import ClientConnection, ClientConnections, connection_of
from jackfield_proxy.child.clients.takeover import TakeoverLink
from jackfield_proxy.child.incoming import addressing, client_body, large
from jackfield_proxy.child.incoming.endpoint_request import EndpointRequest
from jackfield_proxy.child.incoming.google_kept import UPLOAD, UPLOAD_ID
from jackfield_proxy.child.incoming.helpers import HelperProcesses
from jackfield_proxy.child.incoming.large import request_of
from jackfield_proxy.child.incoming.raw_model import require_one_reading
from jackfield_proxy.child.process.log import say
from jackfield_proxy.child.serving import catalogue
from jackfield_proxy.child.serving.callers import caller_of
from jackfield_proxy.child.serving.exchange import ProxiedExchange
from jackfield_proxy.child.serving.ownership import goes_on, kept_by
from jackfield_proxy.child.serving.tenants import PROFILE_HEADER, Tenants
from jackfield_proxy.client_routes import ClientRoute, route_of, short_of, token_in
from jackfield_proxy.messages import CLIENT_GONE, FromChild
from jackfield_proxy.plan import BACKLOG, ProxyPlan
from jackfield_proxy.takeover import InheritedDescriptors

if TYPE_CHECKING:
    from jackfield_proxy.child.incoming.client_request import ClientRequest
    from jackfield_proxy.child.process.pipe import Pipe

HEAD_LIMIT = 64 * 1024
"""Bytes of one header or request line."""
IDLE_CONNECTION = 120.0
"""Seconds that a connection is kept without a request."""
LARGEST_JSON = 4 * 2**20
"""Bytes of a body that is looked at for its model; a larger one of an endpoint that passes goes on as it comes."""
LAST_WORDS = 0.2
"""Seconds for the last words to clients when the proxy stops; less than the daemon waits beyond `stop_grace`."""
_NOTHING = InheritedDescriptors()


@record
class Asked:
    """credential, named: the token or key, and the profile, that the path begins with, empty: none; path: the rest."""

    route: ClientRoute
    credential: str
    named: str
    path: str
    request_id: str


class Server:
    """plan: may be replaced at any time. A request keeps the one it began with. inherited: of the daemon; without its
    listener the process binds the plan's port."""

    def __init__(self, plan: ProxyPlan, pipe: Pipe, inherited: InheritedDescriptors = _NOTHING) -> None:
        self._inherited = inherited
        self._tenants = Tenants(plan, pipe)
        self._pipe = pipe
        self._helpers = HelperProcesses()
        # The operating system's randomness costs more than the rest of a short request.
        self._ids = (f"req_{prefix}{number:08x}" for prefix in [secrets.token_hex(8)] for number in itertools.count(1))
        self._web: web.Server | None = None
        self._listener: AdmittingServer | None = None
        self._connections = ClientConnections(
            TakeoverLink.of(inherited),
            lambda: self.plan.limits,
            plan.connections,
            lambda counts: pipe.send(FromChild(connections=counts)),
        )
        self._running: set[asyncio.Task[Any]] = set()  # Any: nobody asks them for a value

    @property
    def plan(self) -> ProxyPlan:
        return self._tenants.plan

    @plan.setter
    def plan(self, plan: ProxyPlan) -> None:
        self._tenants.follow(plan)
        self._connections.follow(plan.connections)

    async def listen(self) -> int:
        """The port. Raises OSError."""
        loop = asyncio.get_running_loop()
        # Any: the factory's arguments are aiohttp's own parser, payload and writer.
        factory = partial(web.BaseRequest, loop=loop, client_max_size=0)

        def request(message: Any, payload: Any, protocol: Any, writer: Any, task: Any) -> web.BaseRequest:
            return factory(message, payload, protocol, writer, task)

        made = self._web = web.Server(self._handle, request_factory=request, handler_cancellation=True)
        connection = partial(
            ClientConnection,
            made,
            self._connections,
            loop=loop,
            access_log=None,
            logger=_nobody(),
            keepalive_timeout=IDLE_CONNECTION,
            max_line_size=HEAD_LIMIT,
            max_field_size=HEAD_LIMIT,
        )
        if self._inherited.listener < 0:
            listener = socket.create_server((self.plan.host, self.plan.port), backlog=BACKLOG)
        else:
            os.set_inheritable(self._inherited.listener, False)
            listener = socket.socket(fileno=self._inherited.listener)

        def made_for(admitted: AdmittedConnection) -> ClientConnection:
            return connection(admitted=admitted)

        connections = self._connections
        self._listener = AdmittingServer(listener, made_for, connections.admission, connections.callers)
        self._listener.start(BACKLOG)
        connections.watch()
        return int(self._listener.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """No new requests; those in flight get `stop_grace`, then their clients get an error."""
        if self._listener is not None:
            self._listener.close()
        if self._web is not None:
            await self._connections.heard(LAST_WORDS)
            self._web.pre_shutdown()
            await self._end_running(self.plan.limits.stop_grace)
            await self._web.shutdown(LAST_WORDS)
        self._connections.close()
        await self._tenants.close()
        self._helpers.close()

    async def _end_running(self, grace: float) -> None:
        for seconds in (grace, LAST_WORDS):
            if not self._running:
                return
            left = (await asyncio.wait(self._running, timeout=seconds))[1]
            for task in left:
                task.cancel(STOPPING)

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a request is served outside of a task")
        credential, path = token_in(request.path)
        named, path = self._tenants.split(path)
        route = route_of(request.method, path, request.headers)
        connection_of(request).begins(route.dialect, request.content)
        asked = Asked(route, credential, named, path, next(self._ids))
        marks: addressing.Pairs = []
        self._running.add(task)
        try:
            return await self._answer(request, asked, marks)
        except DialectError as exc:
            error = exc
        except asyncio.CancelledError as exc:
            error = relay.stopped(exc)
        except ConnectionError:  # the client is gone, or takes nothing; aiohttp would log it as a failure of ours
            return _cut(request)
        except Exception as exc:
            error = _fault(exc, asked.request_id)
        finally:
            self._running.discard(task)
        return self._refusal(request, asked, error, marks)

    def _refusal(
        self, request: web.BaseRequest, asked: Asked, error: DialectError, marks: addressing.Pairs
    ) -> web.StreamResponse:
        _let_go(error)
        if request.writer.output_size:  # an answer has begun: another one would become part of it
            return _cut(request)
        response = error_response(asked.route, error, asked.request_id, marks)
        if self._connections.is_surplus(request) or request.version < HttpVersion11 or _framing_fault(request):
            response.force_close()
        return response

    async def _answer(self, request: web.BaseRequest, asked: Asked, marks: addressing.Pairs) -> web.StreamResponse:
        """marks: headers of an error, added to once a target was chosen."""
        route = asked.route
        if fault := _framing_fault(request):
            self._connections.admission.malformed += 1
            raise DialectError(400, fault, "invalid_request_error")
        if route.action == "probe":
            return web.Response(text="")
        self._connections.require_room(request)
        plan = self.plan
        in_query = request.query.get("key", "") if route.dialect == "gemini" else ""
        upload = self._tenants.uploads.named(request, asked.path) if route.action == "pass" else None
        begun_with = upload.credential if upload is not None else ""
        came = await caller_of(request, asked.credential or in_query or begun_with, plan, self._pipe)
        caller, named = came.caller, asked.named or request.headers.get(PROFILE_HEADER, "")
        if route.action == "none":
            raise DialectError(
                404, f"There is no {request.method} {asked.path} here.", "not_found_error", code="unknown_url"
            )
        if route.action == "models":
            return catalogue.models(self._tenants.names(caller, named), asked.path, route.dialect)
        call = await self._call(request, route, came.credential)
        place = await kept_by(call, caller, plan, self._pipe) if upload is None else goes_on(call, caller, upload)
        tenant = self._tenants.serving(caller, named or (place.profile if place is not None else ""), call)
        exchange = ProxiedExchange(tenant, call, caller, asked.request_id, place)
        try:
            return await (exchange.count() if call.counts else exchange.serve(request))
        except DialectError:
            marks += exchange.marks()
            raise

    async def _call(self, request: web.BaseRequest, route: ClientRoute, credential: str) -> ClientRequest:
        """Raises `DialectError` for a body that cannot be read."""
        pairs = addressing.without_token(request.headers.items(), credential)
        query, limits = request.rel_url.raw_query_string, self.plan.limits
        passes = route.action == "pass"
        body: bytes | client_body.ClientBody
        if passes and not _is_json(request):
            body = client_body.ClientBody(request, limits) if request.body_exists else b""
        else:
            body = await client_body.whole(request, limits)
            connection_of(request).admitted.request_is_whole()
        if passes or isinstance(body, client_body.ClientBody):
            path = self._tenants.split(token_in(request.rel_url.raw_path)[1])[1]
            if route_of(request.method, path, request.headers) != route:  # an encoded slash would lead elsewhere
                raise DialectError(404, "There is no such path here.", "not_found_error", code="unknown_url")
            short = path if route.dialect == "gemini" else short_of(path)
            if isinstance(body, bytes):
                await large.read(self._helpers, require_one_reading, body)
            made = (short, body, pairs, query, self._helpers, route.named)
            found = EndpointRequest(route.dialect, request.method, *made)
            found.credential = credential
            return found
        counts = route.action == "count"
        return await request_of(route.dialect, body, pairs, query, self._helpers, counts=counts, named=route.named)


def _framing_fault(request: web.BaseRequest) -> str:
    """Why a request's end is in doubt; empty when it is not. aiohttp's parser takes any list that ends in `chunked`."""
    if "Transfer-Encoding" not in request.headers:
        return ""
    codings = [value.strip().lower() for value in request.headers.getall("Transfer-Encoding")]
    if request.version < HttpVersion11:
        return "HTTP/1.0 has no Transfer-Encoding; send Content-Length."
    return "Transfer-Encoding may be chunked and nothing else." if codings != ["chunked"] else ""


def _is_json(request: web.BaseRequest) -> bool:
    """Clients call the content of a file so as well."""
    if UPLOAD_ID in request.query and request.path.startswith(UPLOAD):
        return False
    return request.content_type.endswith("json") and (request.content_length or 0) <= LARGEST_JSON


def _cut(request: web.BaseRequest) -> web.Response:
    """End the connection in the middle, so that nobody takes what was sent for a whole answer."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=CLIENT_GONE)


def _fault(exc: Exception, request_id: str) -> DialectError:
    """The client is not told of what is wrong within; the log is."""
    trace = traceback.extract_tb(exc.__traceback__)[-1]
    say(f"{request_id} failed: {type(exc).__name__} in {trace.name} ({trace.filename}:{trace.lineno})")
    return DialectError(500, f"The proxy failed; its log has more under {request_id}.")


def _let_go(error: DialectError) -> None:
    """The frames that an error has come through hold it, and the request's body: a ring, which stays until somebody
    looks for such."""
    error.__traceback__ = error.__context__ = None


def _nobody() -> logging.Logger:
    """Listens to the library: it would write lines of requests that are no HTTP, tokens and all, into the log."""
    made = logging.getLogger("jackfield_proxy.http")
    made.propagate = False
    if not made.handlers:
        made.addHandler(logging.NullHandler())
    return made


def error_response(route: ClientRoute, error: DialectError, request_id: str, marks: addressing.Pairs) -> web.Response:
    status, body, headers = dialects.of(route.dialect).error_body(error, request_id)
    return web.Response(
        status=status, body=body, headers=[*headers, *marks, (addressing.REQUEST_ID[route.dialect], request_id)]
    )
