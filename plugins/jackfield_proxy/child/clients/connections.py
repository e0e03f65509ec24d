"""The connections of a proxy's clients.

They decide how many there may be, how long a request may take to arrive, and how much the daemon knows of each.
`jackfield.api.admission` decides about those of other users and about slow ones.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from aiohttp import EMPTY_PAYLOAD, StreamReader, web

from jackfield.api.admission.callers import Callers
from jackfield.api.admission.connections import Admission, AdmittedConnection, Overdue
from jackfield.api.admission.counts import ConnectionCounts
from jackfield.api.admission.limits import LEAST_RESERVED, AdmissionLimits, file_limit, share
from jackfield.api.dialects.model import DialectError, DialectName
from jackfield_proxy import final_answers
from jackfield_proxy.child.process.log import say
from jackfield_proxy.takeover import IDLE, MIDDLE, WAITING

if TYPE_CHECKING:
    from jackfield_proxy.child.clients.takeover import ConnectionSlot, TakeoverLink
    from jackfield_proxy.plan import ConnectionRules, ProxyLimits

SURPLUS = 64
"""Connections above `proxy.max_connections` that get a refusal.

The oldest of them gives way to a new one, so that a health check always comes in.
"""
SURPLUS_SECONDS = 5.0
"""Until the head of a request must be there on one of them."""
YOUNG = 0.05
"""Seconds for which a connection is left alone: what it has sent may not have been read yet."""
_POLL = 0.01
"""Seconds."""
MOST_BETWEEN = 1.0
"""Seconds between looks at connections that are one too many."""
RETRY_AFTER = 1.0
"""Seconds; the wait that the refusal names to a client whose connection was one too many."""
_PATH = 64
"""Bytes at the start of a request within which its path tells the dialect."""


def admission_limits(limits: ProxyLimits, rules: ConnectionRules) -> AdmissionLimits:
    """The owner may have as many as `proxy.max_connections`, and those above get a refusal; others have their
    shares."""
    most = limits.max_connections
    total = most + 2 * SURPLUS
    return AdmissionLimits(
        total=total,
        per_user=share(most, rules.user_share),
        per_address=share(most, rules.user_share),
        owner_reserve=total - share(most, 1 - rules.owner_share),
        highest=file_limit() - LEAST_RESERVED,
        first_byte_timeout=rules.first_byte_timeout,
        head_timeout=limits.head_timeout,
        request_timeout=rules.request_timeout,
    )


class ClientConnections:
    """All of a process. limits, rules: those of the current plan. report: tells the daemon. `watch` in the beginning,
    `close` in the end."""

    def __init__(
        self,
        takeover: TakeoverLink,
        limits: Callable[[], ProxyLimits],
        rules: ConnectionRules,
        report: Callable[[ConnectionCounts], None],
    ) -> None:
        self.takeover = takeover
        self.admission = Admission(admission_limits(limits(), rules), time.monotonic, say)
        self.callers = Callers()
        self._limits = limits
        self._report = report
        self._reported = ConnectionCounts()
        self._open: set[ClientConnection] = set()
        self._surplus: OrderedDict[ClientConnection, None] = OrderedDict()
        self._looking: asyncio.TimerHandle | None = None

    def follow(self, rules: ConnectionRules) -> None:
        """There is a new plan."""
        self.admission.limits = admission_limits(self._limits(), rules)

    def made(self, one: ClientConnection) -> None:
        self._open.add(one)
        if self._has_room(for_one_more=0):
            return
        if not self._surplus:
            say(f"more than {self._limits().max_connections} connections (proxy.max_connections)")
        self._surplus[one] = None
        if len(self._surplus) > SURPLUS:
            self._surplus.popitem(last=False)[0].force_close()

    def lost(self, one: ClientConnection) -> None:
        self._open.discard(one)
        self._surplus.pop(one, None)

    def is_surplus(self, request: web.BaseRequest) -> bool:
        """Whether its connection is one too many."""
        return connection_of(request) in self._surplus

    def require_room(self, request: web.BaseRequest) -> None:
        """Raises `DialectError` 503: its connection is one too many, and none that asks nothing can give way."""
        if not self.is_surplus(request):
            return
        if self._has_room(for_one_more=1) or self.admission.shed(YOUNG, "total"):
            del self._surplus[connection_of(request)]
            return
        message = f"The proxy has {self._limits().max_connections} connections already (proxy.max_connections)."
        raise DialectError(503, message, "overloaded_error", retry_after=RETRY_AFTER)

    def watch(self) -> None:
        """One timer for all."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        for one in [one for one in self._surplus if one.idle and now - one.made_at > SURPLUS_SECONDS]:
            one.force_close()
        counts = self.admission.counts()
        if counts != self._reported:
            self._reported = counts
            self._report(counts)
        self._looking = loop.call_later(MOST_BETWEEN, self.watch)

    async def heard(self, longest: float) -> None:
        """Until every request has begun that is on its way on an accepted connection; at most that many seconds."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + longest
        while loop.time() < deadline and any(one.expects for one in self._open):  # noqa: ASYNC110 - any byte changes it
            await asyncio.sleep(_POLL)

    def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()

    def _has_room(self, *, for_one_more: int) -> bool:
        return len(self._open) - len(self._surplus) + for_one_more <= self._limits().max_connections


class ClientConnection(web.RequestHandler):
    """made_at, head_since: by the loop's clock; when the head began that is not whole yet, 0 for none."""

    __slots__ = ("_all", "_asks", "_rest", "_socket", "admitted", "head_since", "made_at", "slot")

    # Any: aiohttp's own options, which it checks.
    def __init__(
        self, manager: web.Server, every: ClientConnections, *, admitted: AdmittedConnection, **options: Any
    ) -> None:
        super().__init__(manager, **options)
        self._all = every
        self.admitted = admitted
        admitted.end = self._end
        self._rest: StreamReader | None = EMPTY_PAYLOAD  # the body of the last request; None: one is being served
        self._asks = False  # what comes next is a request, in the dialect of the one before
        self.head_since = 0.0
        self.made_at = self._loop.time()

    @property
    def idle(self) -> bool:
        """No request is being served."""
        return self._rest is not None

    @property
    def expects(self) -> bool:
        """Nothing was asked on it yet, or the head of a request is not whole."""
        return self.head_since > 0 or (self.idle and not self._asks)

    @property
    def flushed(self) -> bool:
        """Whether the kernel has all that was written."""
        return self.transport is not None and not self.transport.get_write_buffer_size()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._socket = transport.get_extra_info("socket")
        self.slot: ConnectionSlot = self._all.takeover.enter(self._socket)
        super().connection_made(transport)
        self._all.made(self)

    def connection_lost(self, exc: BaseException | None) -> None:
        self._all.lost(self)
        self.admitted.release()
        super().connection_lost(exc)
        self._all.takeover.leave(self.slot, self._socket)

    def data_received(self, data: bytes) -> None:
        if not self.head_since and self._rest is not None and self._rest.is_eof():
            self.head_since = self._loop.time()
            self.admitted.receives()
            if not self._asks:
                self._asks = self.flushed
                self.slot.speaks(_dialect(data))
            if self._asks:
                self.slot.put(WAITING)
        super().data_received(data)

    def begins(self, dialect: DialectName, body: StreamReader) -> None:
        """The head of a request is whole."""
        self.admitted.head_is_whole(has_body=not body.is_eof())
        if not self.head_since or self.slot.dialect != dialect:  # it came with the one before, or speaks otherwise
            self.slot.speaks(dialect)
            self.slot.put(WAITING if self.flushed else MIDDLE)
        self.head_since = 0.0
        self._rest = None

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        self.slot.put(MIDDLE)
        found = await super().finish_response(request, resp, start_time)
        self.head_since = 0.0
        self.admitted.idles()
        self._rest = request.content
        self._asks = self.flushed
        if self._asks:
            self.slot.put(IDLE)
        return found

    def _end(self, reason: Overdue | None) -> bool:
        """As `AdmittedConnection.end`."""
        limits = self._all.admission.limits
        if reason == "head":
            self._tell(f"The head of the request was not whole within {limits.head_timeout:g} s (proxy.head_timeout).")
        elif reason == "request":
            setting = "server.connections.request_timeout"
            self._tell(f"The body of the request was not whole within {limits.request_timeout:g} s ({setting}).")
        self.force_close()
        return True

    def _tell(self, message: str) -> None:
        if self.transport is not None:
            self.transport.write(final_answers.answer(self.slot.dialect, DialectError(408, message, "timeout_error")))


def connection_of(request: web.BaseRequest) -> ClientConnection:
    """Every request of a proxy comes on one."""
    connection: ClientConnection = request.protocol  # type: ignore[assignment] # a `cast` is a call of its own
    return connection


def _dialect(start: bytes) -> DialectName:
    """As well as the first bytes tell; `begins` knows."""
    if start.find(b"/v1beta/", 0, _PATH) >= 0:
        return "gemini"
    if start.find(b"/messages", 0, _PATH) >= 0:
        return "anthropic"
    return "responses" if start.find(b"/responses", 0, _PATH) >= 0 else "chat"
