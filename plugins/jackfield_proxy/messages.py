"""The pipe between the daemon and a proxy's process: one JSON object a line, in both directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias, TypeVar

import msgspec

from jackfield.api.admission.counts import ConnectionCounts
from jackfield.api.dialects.model import DialectError, ErrorKind
from jackfield.api.gateway import CallerPass, PlannedRequest, StoredObject
from jackfield.api.records import record, state
from jackfield_proxy.plan import ProxyPlan

LONGEST_LINE = 64 * 2**20
"""Bytes: a plan of thousands of rules, the attributes of a request."""
CLIENT_GONE = 499
"""Status of a request whose client went away, as web servers write it."""
NEAR = 60.0
"""Seconds that official clients wait at most; where an answer asks them to wait longer, they try again in a second."""
MessageT = TypeVar("MessageT")


@state
class ServedRequest:
    """One request, told after its end; the fields are filled in while it is served.

    `rule`: that chose the target; None: no rule fitted. `attempts`: of sending it. `status`: that the client got.
    `reason`: why the target was chosen, for a person. `counted`: `estimated_tokens` is no estimate but the provider's
    count. Tokens are None when the answer said nothing of them. `profile`: whose proxy has served it. `key`: of the
    caller, empty: the profile's own token. `whole`: the tokens are all that was used. `cached`: nothing was sent.
    `missing`: hosted tools that the provider does not have. `traceparent`: of the client, empty where there is no valid
    one.
    """

    id: str
    time_ms: int
    dialect: str
    asked_model: str
    provider: str
    model: str
    status: int
    duration_ms: int
    stream: bool
    rule: str | None = None
    reason: str = ""
    attempts: int = 1
    translated: bool = False
    first_byte_ms: int | None = None
    answer: str = ""
    session: str = ""
    estimated_tokens: int = 0
    counted: bool = False
    input: int | None = None
    output: int | None = None
    cache_read: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0
    tier: str | None = None
    error: str | None = None
    profile: str = ""
    key: str = ""
    whole: bool = True
    cached: bool = False
    missing: Sequence[str] = ()
    traceparent: str = ""


@record
class PermissionRefusal:
    """As `DialectError`."""

    status: int
    message: str
    kind: ErrorKind
    code: str | None = None
    retry_after: float | None = None

    @classmethod
    def of(cls, error: DialectError) -> PermissionRefusal:
        return cls(error.status, error.message, error.kind, error.code, error.retry_after)

    def error(self) -> DialectError:
        lasting = (self.retry_after or 0) > NEAR
        return DialectError(
            self.status, self.message, self.kind, code=self.code, retry_after=self.retry_after, lasting=lasting
        )


@record
class PermissionQuestion:
    """`digest`: of a key that somebody presents. `planned`: a request that is about to be sent. `objects`: ids of the
    objects that a request speaks of, and `key`: whose request it is, empty for the profile's own token. One of the
    three is set.
    """

    id: int
    digest: str = ""
    planned: PlannedRequest | None = None
    key: str = ""
    objects: Sequence[str] = ()


@record
class PermissionAnswer:
    """caller: whose key it is; objects: that the request may speak of; refusal: why not, or why the request is not
    sent."""

    id: int
    caller: CallerPass | None = None
    objects: Sequence[StoredObject] = ()
    refusal: PermissionRefusal | None = None


@record
class MadeObjects:
    """The objects that a provider keeps from now on. key: whose request has made it, empty: of the profile's own
    token."""

    key: str
    objects: Sequence[StoredObject]


@record
class ToChild:
    """One of its fields is set. number: of the plan, told back in `FromChild.applied`; value: of a script."""

    plan: ProxyPlan | None = None
    number: int = 0
    script: int | None = None
    value: bool = False
    permission: PermissionAnswer | None = None


@record
class ConditionQuestion:
    """A script condition for the daemon to evaluate; attributes: the facts that it may know of the request, JSON (the
    decoder knows no recursive types).
    """

    id: int
    path: str
    attributes: Mapping[str, Any] = field(default_factory=dict)


@record
class FromChild:
    """One of its fields is set. failed: why the process cannot serve, its last word."""

    listening: int | None = None
    applied: int | None = None
    failed: str | None = None
    served: ServedRequest | None = None
    question: ConditionQuestion | None = None
    permission: PermissionQuestion | None = None
    made: MadeObjects | None = None
    connections: ConnectionCounts | None = None


Message: TypeAlias = "ToChild | FromChild"


def packed(message: Message) -> bytes:
    return msgspec.json.encode(message) + b"\n"


def unpacked(line: bytes, kind: type[MessageT]) -> MessageT:
    """Raises ValueError; the line is not quoted, keys may be in it."""
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.MsgspecError:
        raise ValueError(f"a line of the pipe is no {kind.__name__}") from None
