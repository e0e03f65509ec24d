"""The listener: who may come in, what is asked, and errors in the client's dialect."""

from __future__ import annotations

import asyncio
import hmac
import itertools
import secrets
import time
import traceback
from functools import partial
from typing import TYPE_CHECKING, Any

from aiohttp import web

from jackfield_proxy import dialects
from jackfield_proxy.child import catalogue, upstreams
from jackfield_proxy.child.call import Call
from jackfield_proxy.child.conversations import Conversations
from jackfield_proxy.child.counting import Counter
from jackfield_proxy.child.exchange import CLIENT_GONE, Exchange, Shared
from jackfield_proxy.child.faces import Face, face_of
from jackfield_proxy.child.log import say
from jackfield_proxy.child.ruling import Ruling
from jackfield_proxy.child.sending import Sender
from jackfield_proxy.dialects.model import ProxyError
from jackfield_proxy.plan import HOST, Plan

if TYPE_CHECKING:
    from jackfield_proxy.child.pipe import Pipe

HEAD_LIMIT = 64 * 1024
"""Bytes of one header or request line."""
BACKLOG = 512


class Server:
    """plan: may be replaced at any time; a request keeps the one it began with."""

    def __init__(self, plan: Plan, pipe: Pipe) -> None:
        self._ruling = Ruling(plan)
        self._pipe = pipe
        self._sender = Sender(plan)
        self._shared = Shared(self._sender, Counter(self._sender), Conversations(time.monotonic), pipe)
        # The operating system's randomness costs more than the rest of a short request.
        self._ids = (f"req_{prefix}{number:08x}" for prefix in [secrets.token_hex(8)] for number in itertools.count(1))
        self._web: web.Server | None = None
        self._listener: asyncio.Server | None = None

    @property
    def plan(self) -> Plan:
        return self._ruling.plan

    @plan.setter
    def plan(self, plan: Plan) -> None:
        self._ruling = Ruling(plan)
        self._sender.lanes.follow(plan.upstreams)

    async def listen(self) -> int:
        """The port. Raises OSError."""
        loop = asyncio.get_running_loop()
        # Any: the factory's arguments are aiohttp's own parser, payload and writer.
        factory = partial(web.BaseRequest, loop=loop, client_max_size=0)

        def request(message: Any, payload: Any, protocol: Any, writer: Any, task: Any) -> web.BaseRequest:
            return factory(message, payload, protocol, writer, task)

        self._web = web.Server(
            self._handle,
            request_factory=request,
            handler_cancellation=True,
            access_log=None,
            keepalive_timeout=120.0,
            max_line_size=HEAD_LIMIT,
            max_field_size=HEAD_LIMIT,
        )
        self._listener = await loop.create_server(self._web, HOST, self.plan.port, backlog=BACKLOG)
        return int(self._listener.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """No new requests; those in flight get `stop_grace`."""
        if self._listener is not None:
            self._listener.close()
        if self._web is not None:
            self._web.pre_shutdown()
            await self._web.shutdown(self.plan.limits.stop_grace)
        await self._sender.close()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        face = face_of(request.method, request.path)
        request_id = next(self._ids)
        try:
            return await self._answer(request, face, request_id)
        except ProxyError as exc:
            return error_response(face, exc, request_id)
        except asyncio.CancelledError:
            raise
        except ConnectionError:  # the client is gone, or takes nothing; aiohttp would log it as a failure of ours
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=CLIENT_GONE)
        except Exception as exc:
            trace = traceback.extract_tb(exc.__traceback__)[-1]
            say(f"{request_id} failed: {type(exc).__name__} in {trace.name} ({trace.filename}:{trace.lineno})")
            failed = ProxyError(500, f"The proxy failed; its log has more under {request_id}.")
            return error_response(face, failed, request_id)

    async def _answer(self, request: web.BaseRequest, face: Face, request_id: str) -> web.StreamResponse:
        if face.action == "probe":
            return web.Response(text="")
        ruling = self._ruling
        plan = ruling.plan
        if not _admitted(request, plan.token):
            raise ProxyError(
                401,
                "This proxy takes the token of its profile, as Bearer or in x-api-key.",
                "authentication_error",
                code="invalid_api_key",
            )
        if face.action == "none":
            raise ProxyError(404, f"There is no {request.method} {request.path} here.", "not_found_error")
        if face.action == "models":
            return catalogue.models(plan, request.path)
        body = await _body(request, plan.limits.body_limit)
        query = request.rel_url.raw_query_string
        counts = face.action == "count"
        call = Call(face.dialect, body, list(request.headers.items()), query, counts=counts)
        exchange = Exchange(ruling, call, self._shared, request_id)
        if counts:
            return await catalogue.count(exchange)
        return await exchange.serve(request)


def _admitted(request: web.BaseRequest, token: str) -> bool:
    kind, _, given = request.headers.get("Authorization", "").partition(" ")
    bearer = given.strip() if kind.lower() == "bearer" else ""
    wanted = token.encode()
    return any(
        hmac.compare_digest(found.encode("utf-8", "replace"), wanted)
        for found in (bearer, request.headers.get("x-api-key", ""))
    )


async def _body(request: web.BaseRequest, limit: int) -> bytes:
    too_large = ProxyError(413, f"The body may have at most {limit} bytes.", "request_too_large")
    if (request.content_length or 0) > limit:
        raise too_large
    parts, size = [], 0
    async for part in request.content.iter_any():
        size += len(part)
        if size > limit:
            raise too_large
        parts.append(part)
    return b"".join(parts)


def error_response(face: Face, error: ProxyError, request_id: str) -> web.Response:
    status, body, headers = dialects.of(face.dialect).error_body(error, request_id)
    return web.Response(status=status, body=body, headers=[*headers, (upstreams.REQUEST_ID[face.dialect], request_id)])
