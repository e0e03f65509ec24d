"""Which connections a port takes, and which of them have taken too long. Nothing here knows sockets or loops.

A connection that has no whole request to be answered gives way to a newer one. It is the oldest of its caller's when
the caller has too many, and the oldest of the largest caller when all have. So a crowd of silent connections shuts
nobody out.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Literal, Protocol

from .callers import AdmittedCaller, CallerKind
from .counts import ConnectionCounts
from .limits import AdmissionLimits

Refusal = Literal["total", "user", "address", "files"]
Overdue = Literal["first_byte", "head", "request", "idle"]
SETTINGS = {
    "total": "server.connections.total",
    "user": "server.connections.user_share",
    "address": "server.connections.address_share",
    "files": "server.connections.reserved_files",
}
NOTICE_SECONDS = 60.0
"""Between two lines of the log; the second one counts what came meanwhile."""
SILENT, HEAD, BODY, SERVED, IDLE = range(5)
"""Nothing has come; a part of a head; a head and a part of a body; a whole request; nothing since the last answer."""


class ConnectionMover(Protocol):
    """Between the processes of one daemon: a connection goes to the one that serves what it asks for."""

    def is_elsewhere(self, data: bytes) -> bool:
        """Whether another process serves the request that begins so. Only asked where one begins."""

    def move(self, descriptor: int, data: bytes) -> bool:
        """Give a copy of the descriptor away, and what was read from it; the caller closes its own. False: nobody takes
        it now."""


class AdmittedConnection:
    """One that was taken. end: ends it, and says whether it has; None as reason: it gives way. It begins silent, and
    `release` is its end."""

    __slots__ = ("_all", "caller", "descriptor", "end", "open", "phase", "since")

    def __init__(self, every: Admission, caller: AdmittedCaller, descriptor: int, now: float) -> None:
        self._all = every
        self.caller = caller
        self.descriptor = descriptor
        self.phase = SILENT
        self.since = now
        self.open = True
        self.end: Callable[[Overdue | None], bool] | None = None

    def receives(self) -> None:
        """Bytes have come. Only the first ones of a request count."""
        if self.phase in (SILENT, IDLE):
            self.phase = HEAD
            self.since = self._all.now()

    def head_is_whole(self, *, has_body: bool) -> None:
        if not self.open:
            return
        if self.phase < BODY or self.phase == IDLE:
            self._all.waiting[self.caller.key].pop(self, None)
        if has_body:
            self.phase = BODY
            self._all.arriving[self] = None
        else:
            self.phase = SERVED

    def request_is_whole(self) -> None:
        if self.phase == BODY:
            self._all.arriving.pop(self, None)
            self.phase = SERVED

    def idles(self) -> None:
        """Its answer has been sent."""
        if self.open:
            self.request_is_whole()
            self.phase = IDLE
            self.since = self._all.now()
            self._all.waiting[self.caller.key][self] = None

    def release(self) -> None:
        """It is closed, or about to be."""
        if self.open:
            self.open = False
            self._all.forget(self)


class Admission:
    """All connections of a port. limits: may be replaced. tell: writes a line to the log."""

    def __init__(self, limits: AdmissionLimits, now: Callable[[], float], tell: Callable[[str], None]) -> None:
        self.limits = limits
        self.now = now
        self._tell = tell
        self.open: Counter[CallerKind] = Counter()
        self.refused: Counter[str] = Counter()
        self.timed_out: Counter[str] = Counter()
        self.displaced = 0
        self.malformed = 0
        self.mover: ConnectionMover | None = None
        """Where the daemon has several processes."""
        self.waiting: dict[str, OrderedDict[AdmittedConnection, None]] = {}
        """Caller's key -> its connections without a whole request, the oldest first."""
        self.arriving: dict[AdmittedConnection, None] = {}
        self._at: dict[int, AdmittedConnection] = {}
        self._of_key: Counter[str] = Counter()
        self._untold: Counter[tuple[str, str]] = Counter()
        self._told_at: float | None = None

    def admit(self, caller: AdmittedCaller, descriptor: int) -> AdmittedConnection | Refusal:
        """Takes it, or says why not."""
        reason = self._obstacle(caller, descriptor)
        if reason is not None and not self._make_room(caller, reason):
            self.refused[reason] += 1
            self._note(reason, caller.key)
            return reason
        made = self._at[descriptor] = AdmittedConnection(self, caller, descriptor, self.now())
        self.open[caller.kind] += 1
        self._of_key[caller.key] += 1
        self.waiting.setdefault(caller.key, OrderedDict())[made] = None
        return made

    def at(self, descriptor: int) -> AdmittedConnection | None:
        """The connection that has it."""
        return self._at.get(descriptor)

    def shed(self, age: float, reason: Refusal = "files") -> bool:
        """Ends the oldest connection without anything to answer for that many seconds, strangers' first.

        The newer ones may have sent bytes that nobody has read yet. `reason`: the thing that there is too little of.
        False: there is none.
        """
        for strangers in (True, False):
            key = self._largest(strangers=strangers)
            oldest = next(iter(self.waiting[key]), None) if key is not None else None
            if oldest is not None and self.now() - oldest.since >= age:
                return self._displace(key, reason)
        return False

    def forget(self, one: AdmittedConnection) -> None:
        key = one.caller.key
        if self._at.get(one.descriptor) is one:
            del self._at[one.descriptor]
        self.open[one.caller.kind] -= 1
        self.arriving.pop(one, None)
        self.waiting[key].pop(one, None)
        self._of_key[key] -= 1
        if not self._of_key[key]:
            del self._of_key[key], self.waiting[key]

    def end_overdue(self) -> None:
        """Ends what has taken too long, and tells what was not told yet."""
        now, limits = self.now(), self.limits
        late: list[tuple[AdmittedConnection, Overdue]] = []
        for ones in self.waiting.values():
            for one in ones:
                waited = now - one.since
                if one.phase == SILENT and waited > limits.first_byte_timeout:
                    late.append((one, "first_byte"))
                elif one.phase == HEAD and waited > limits.head_timeout:
                    late.append((one, "head"))
                elif one.phase == IDLE and 0 < limits.keep_alive < waited:
                    late.append((one, "idle"))
        late += [(one, "request") for one in self.arriving if now - one.since > limits.request_timeout]
        for one, reason in late:
            if one.end is None or one.end(reason):
                self.timed_out[reason] += 1
                one.release()
            else:
                one.since = now
        self._tell_refused()

    def counts(self) -> ConnectionCounts:
        open_ones = {str(kind): count for kind, count in self.open.items()}
        return ConnectionCounts(open_ones, dict(self.refused), dict(self.timed_out), self.displaced, self.malformed)

    @property
    def number(self) -> int:
        return self.open.total()

    @property
    def _strangers(self) -> int:
        return self.number - self.open["owner"]

    def _obstacle(self, caller: AdmittedCaller, descriptor: int) -> Refusal | None:
        limits, mine = self.limits, self._of_key[caller.key]
        if caller.kind == "user" and mine >= limits.per_user:
            return "user"
        if caller.kind == "address" and mine >= limits.per_address:
            return "address"
        if self.number >= limits.total:
            return "total"
        if caller.kind != "owner" and self._strangers >= limits.total - limits.owner_reserve:
            return "total"
        # The system gives the lowest number that is free: all below are in use.
        return "files" if descriptor >= limits.highest else None

    def _make_room(self, caller: AdmittedCaller, reason: Refusal) -> bool:
        if reason in ("user", "address"):
            return self._displace(caller.key, reason)
        if self._displace(self._largest(strangers=True), reason):
            return True
        return caller.kind == "owner" and self._displace(self._largest(strangers=False), reason)

    def _largest(self, *, strangers: bool) -> str | None:
        found = [key for key in self.waiting if not strangers or key != "owner"]
        return max(found, key=lambda key: len(self.waiting[key]), default=None)

    def _displace(self, key: str | None, reason: Refusal) -> bool:
        ones = self.waiting.get(key) if key is not None else None
        if key is None or not ones:
            return False
        oldest = next(iter(ones))
        oldest.release()
        if oldest.end is not None:
            oldest.end(None)
        self.displaced += 1
        self._note(reason, key)
        return True

    def _note(self, reason: Refusal, key: str) -> None:
        # Addresses are many: the line names the first ones.
        known = (reason, key)
        self._untold[known if known in self._untold or len(self._untold) < 8 else (reason, "others")] += 1
        self._tell_refused()

    def _tell_refused(self) -> None:
        now = self.now()
        if not self._untold or (self._told_at is not None and now - self._told_at < NOTICE_SECONDS):
            return
        self._told_at = now
        parts = [f"{count} of {key} ({SETTINGS[reason]})" for (reason, key), count in self._untold.most_common()]
        self._untold.clear()
        self._tell(f"Connections were refused, or gave way to newer ones: {', '.join(parts)}; {self.number} are open.")
