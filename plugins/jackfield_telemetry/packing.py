"""Entries as rows of numbers: what worker processes send and the ledger stores."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from hashlib import blake2b
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


class Batch(msgspec.Struct, array_like=True):
    """dims: (id, agent, provider, profile, model, service tier, source); sessions: (id, agent, name, project); rows: of
    the table `entries`, in the order of their keys and each key once. Ids follow from the names, so that rows need not
    be changed any more to be stored."""

    dims: list[tuple[int, str, str, str, str, str, str]]
    sessions: list[tuple[int, str, str, str]]
    rows: list[tuple[int, int, int, int, int, int, int, int, int, int, float | None, int]]


def pack(entries: Iterable[UsageEntry], *, source: str = "log", profile: str = "", provider: str = "") -> Batch:
    """profile, provider: whose log this is, where the entries do not say."""
    dims: dict[tuple[str, ...], int] = {}
    sessions: dict[tuple[str, str, str], int] = {}
    rows: dict[int, tuple[int, int, int, int, int, int, int, int, int, int, float | None, int]] = {}
    proxied = source == "proxy"
    for entry in entries:
        tokens = entry.tokens
        whose = entry.profile or profile
        dim = (entry.agent, entry.provider or provider, whose, entry.model, entry.service_tier or "", source)
        if (dim_id := dims.get(dim)) is None:
            dim_id = dims[dim] = _id(dim)
        session = (entry.agent, entry.session_id, entry.project or "")
        if (session_id := sessions.get(session)) is None:
            session_id = sessions[session] = _id(session[:2])
        key = PROXIED | _answer(entry) if proxied else _key(entry)
        known = rows.get(key)
        if known is not None and (sum(known[5:9]), -known[1]) >= (tokens.total, -entry.time_ms):
            continue
        given, written, read = tokens.input, tokens.cache_creation, tokens.cache_read
        rows[key] = (
            key,
            entry.time_ms,
            dim_id,
            session_id,
            bisect_left(STEPS, given + written + read),
            given,
            tokens.output,
            written,
            read,
            tokens.cache_creation_1h,
            entry.cost_usd,
            1 if whose else 0,
        )
    return Batch(
        [(number, *dim) for dim, number in dims.items()],  # type: ignore[misc]
        [(number, *session) for session, number in sessions.items()],
        sorted(rows.values()),
    )


def _key(entry: UsageEntry) -> int:
    """63 bits: 44 of the answer, then 19 of the request, so that the requests of one answer are neighbours."""
    if entry.copy:
        return _answer(entry) | COPY
    request = crc32(entry.request.encode("utf-8", "replace")) % (REQUEST_MASK - 1) if entry.request else 0
    return _answer(entry) | 2 + request


def _answer(entry: UsageEntry) -> int:
    named = f"{entry.agent}\0{entry.answer}".encode("utf-8", "replace")
    return int.from_bytes(blake2b(named, digest_size=8).digest(), "big") >> 20 << REQUEST_BITS


def _id(names: Iterable[str]) -> int:
    """63 bits."""
    named = "\0".join(names).encode("utf-8", "replace")
    return int.from_bytes(blake2b(named, digest_size=8).digest(), "big") >> 1
