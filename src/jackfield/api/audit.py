"""The audit log: acts of people, keys, agents and the daemon that change or reveal something.

A route of the management API is recorded by the kernel, under the name that its method and path make, or that
`@operation(act=...)` gives. The port `AuditLog` records everything that happens elsewhere.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

import orjson

from .auth import Principal
from .json_values import Json
from .profile_tools import REACH, ToolReach
from .records import record
from .storage.audit import AuditHead, AuditRow

Outcome = Literal["success", "refused", "failed"]
"""refused: the actor may not do it; failed: it came to nothing for another reason."""
OUTCOMES: Sequence[Outcome] = ("success", "refused", "failed")
UNRECORDED = "-"
"""`act` of an operation that changes and reveals nothing although its method is none of those that only read."""
_LONGEST = 200
"""Characters of a text."""
_MOST_FIELDS = 50


@record
class AuditActor:
    """`id`: of a user, or `owner`; empty: nobody, or not known.

    `method`: as `Principal.method`, `command` for the command line, `daemon`. `credential`: id of the key. `address`:
    of the caller. `agent`, `run`: the profile of an agent and its run, in whose name it came.
    """

    id: str = ""
    name: str = ""
    method: str = ""
    credential: str = ""
    address: str = ""
    agent: str = ""
    run: str = ""


DAEMON = AuditActor("daemon", "daemon", "daemon")


@record
class AuditedAct:
    """`act`: `workflow.create`.

    `kind`, `subject`, `name`: of the thing that it is about, and its id. `project`: where that belongs. `fields`: names
    of what was changed, never values. `code`: of the error. `request`: its id.
    """

    act: str
    actor: AuditActor
    outcome: Outcome = "success"
    kind: str = ""
    subject: str = ""
    name: str = ""
    project: str = ""
    fields: Sequence[str] = ()
    code: str = ""
    request: str = ""


class AuditLog(Protocol):
    """As a port."""

    async def record(self, *acts: AuditedAct) -> None:
        """They are durable when this returns. Raises `StoreUnavailable`."""


def actor_of(caller: Principal | None, address: str = "") -> AuditActor:
    """Of a request."""
    if caller is None:
        return AuditActor(address=address)
    reach = caller.claims.get(REACH)
    proof = caller.claims.get("key") or caller.claims.get("client") or ""
    agent, run = (reach.alias, reach.run) if isinstance(reach, ToolReach) else ("", "")
    return AuditActor(caller.user_id, caller.username, caller.method, str(proof), address, agent, run)


def canonical(value: Mapping[str, Json]) -> bytes:
    """Its JSON with sorted keys and no spaces, in UTF-8: the same bytes for equal values."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def chained(before: AuditHead, at: int, done: AuditedAct, key: bytes) -> AuditRow:
    """The record that follows. at: Unix ms."""
    actor = {
        name: short(text)
        for name in ("id", "name", "method", "credential", "address", "agent", "run")
        if (text := getattr(done.actor, name))
    }
    number = before.number + 1
    told = {name: short(getattr(done, name)) for name in ("kind", "subject", "name", "project", "code", "request")}
    fields = [short(field) for field in done.fields[:_MOST_FIELDS]]
    act = short(done.act)
    content: dict[str, Json] = {
        "number": number, "at": at, "act": act, "outcome": done.outcome, "actor": dict(actor), **told,
        "fields": list(fields),
    }  # fmt: skip
    data = canonical({name: value for name, value in content.items() if value not in ("", [])})
    digest = link(before.hash, data)
    return AuditRow(
        number, at, act, actor.get("id", ""), told["kind"], told["subject"], told["project"], done.outcome, data,
        digest, stamp(key, number, digest),
    )  # fmt: skip


def link(before: bytes, data: bytes) -> bytes:
    """The hash of a record: SHA-256 of the hash before and of its canonical JSON."""
    return hashlib.sha256(before + data).digest()


def stamp(key: bytes, number: int, digest: bytes, *more: int) -> bytes:
    """HMAC-SHA-256 of number and hash: nobody without the key can make the chain anew. more: of a checkpoint."""
    return hmac.digest(key, b"".join(n.to_bytes(8, "big") for n in (number, *more)) + digest, "sha256")


def short(text: str) -> str:
    """Printable, and of bounded length."""
    cut = text[:_LONGEST]
    return cut if cut.isprintable() else ascii(cut)[1:-1][:_LONGEST]
