"""Entries as rows of numbers: what worker processes send and the ledger stores."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import Any, cast
from zlib import crc32

import msgspec

from jackfield.api.telemetry import UsageEntry

REQUEST_BITS = 19
REQUEST_MASK = (1 << REQUEST_BITS) - 1
COPY = 0
PROXIED = 1
"""In place of a request's bits: a copy of an answer, and an answer that a proxy has seen."""
STEPS = (32_000, 64_000, 100_000, 128_000, 200_000, 256_000, 272_000, 512_000, 1_000_000)
"""Lengths of a prompt, in tokens, at which prices change somewhere. An entry stores how many of them it exceeds."""


_fields = cast("Callable[[object], tuple[Any, ...]]", msgspec.structs.astuple)
Dim = tuple[int, str, str, str, str, str, str]
Session = tuple[int, str, str, str]
Row = tuple[int, int, int, int, int, int, int, int, int, int, float | None, int]
Response = tuple[int, str]
MOST_ID = 256
"""Characters of a response's id that are kept; no provider has longer ones."""


class EntryBatch(msgspec.Struct, array_like=True):
    """dims: (id, agent, provider, profile, model, service tier, source); sessions: (id, agent, name, project); rows: of
    the table `entries`, in the order of their keys and each key once. Ids follow from the names, so that rows need not
    be changed any more to be stored. responses: (key of a row, the provider's id of the answer), where it is known."""

    dims: list[Dim]
    sessions: list[Session]
    rows: list[Row]
    responses: list[Response] = []

    def __len__(self) -> int:
        return len(self.rows)


def pack(entries: Iterable[UsageEntry], *, source: str = "log", profile: str = "", provider: str = "") -> EntryBatch:
    """profile, provider: whose log this is, where the entries do not say."""
    dims: dict[tuple[str, ...], int] = {}
    sessions: dict[tuple[str, str, str], int] = {}
    rows: dict[int, Row] = {}
    responses: dict[int, str] = {}
    proxied = source == "proxy"
    key, last = 0, ("", "", "", False)
    for entry in entries:
        # Some hundred thousand times in an import: all fields at once cost less than each by its name.
        agent, answer, name, time, model, tokens, request, copy, cost, tier, project, by, own, named = _fields(entry)
        given, out, written, read, hours = _fields(tokens)
        whose = own or profile
        dim = (agent, by or provider, whose, model, tier or "", source)
        if (dim_id := dims.get(dim)) is None:
            dim_id = dims[dim] = _id(dim)
        session = (agent, name, project or "")
        if (session_id := sessions.get(session)) is None:
            session_id = sessions[session] = _id(session[:2])
        if (agent, answer, request, copy) != last:  # an answer's lines mostly follow each other
            last = (agent, answer, request, copy)
            key = _answer(agent, answer) | (PROXIED if proxied else COPY if copy else _request(request))
        if named:
            responses[key] = _text(named[:MOST_ID])
        prompt = given + written + read
        known = rows.get(key)
        if known is not None and (sum(known[5:9]), -known[1]) >= (prompt + out, -time):
            continue
        step, profiled = bisect_left(STEPS, prompt), 1 if whose else 0
        rows[key] = (key, time, dim_id, session_id, step, given, out, written, read, hours, cost, profiled)
    return EntryBatch(
        [(number, *map(_text, dim)) for dim, number in dims.items()],  # type: ignore[misc]
        [(number, *map(_text, session)) for session, number in sessions.items()],  # type: ignore[misc]
        [rows[key] for key in sorted(rows)],
        sorted(responses.items()),
    )


def _text(name: str) -> str:
    """A name may come from that of a file, which need not be UTF-8."""
    return name.encode("utf-8", "replace").decode()


def _request(request: str) -> int:
    return 2 + (crc32(request.encode("utf-8", "replace")) % (REQUEST_MASK - 1) if request else 0)


def _answer(agent: str, answer: str) -> int:
    """63 bits: 44 of the answer, then 19 for the request, so that the requests of one answer are neighbours."""
    named = f"{agent}\0{answer}".encode("utf-8", "replace")
    return int.from_bytes(blake2b(named, digest_size=8).digest(), "big") >> 20 << REQUEST_BITS


def _id(names: Iterable[str]) -> int:
    """63 bits."""
    named = "\0".join(names).encode("utf-8", "replace")
    return int.from_bytes(blake2b(named, digest_size=8).digest(), "big") >> 1
