"""Answers as rows of numbers: what worker processes send and the ledger stores."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import cast
from zlib import crc32

from jackfield.api.telemetry import UsageEntry
from jackfield_telemetry.ledger.batches import PLAIN, REQUEST_BITS, REQUEST_MASK, EntryBatch, PlainRow, Row
from jackfield_telemetry.readers.answers import Counts, add_entry

COPY = 0
PROXIED = 1
"""In place of a request's bits: a copy of an answer, and an answer that a proxy has seen."""
STEPS = (32_000, 64_000, 100_000, 128_000, 200_000, 256_000, 272_000, 512_000, 1_000_000)
"""Lengths of a prompt, in tokens, at which prices change somewhere. An entry stores how many of them it exceeds."""
MOST_ID = 256
"""Characters of a response's id that are kept; no provider has longer ones."""


class Packer:
    """Makes a batch of one source's answers. profile, provider: whose log it is, where the answers do not say. added:
    how many were, of which those that are the same have become one."""

    def __init__(self, *, source: str = "log", profile: str = "", provider: str = "") -> None:
        self._source, self._profile, self._provider = source, profile, provider
        self._proxied = source == "proxy"
        self._begin()

    def _begin(self) -> None:
        self.added = 0
        self._dims: dict[tuple[str, ...], int] = {}
        self._sessions: dict[tuple[str, str, str], int] = {}
        self._rows: dict[int, Row] = {}
        self._responses: dict[int, str] = {}
        # Answers mostly have the names of the one before, and an answer's lines follow each other.
        self._last_names: tuple[object, ...] = ()
        self._last_answer: tuple[object, ...] = ()
        self._dim = self._session = self._key = 0

    def add(
        self,
        agent: str,
        answer: str,
        session: str,
        time: int,
        model: str,
        counts: Counts,
        request: str = "",
        copy: bool = False,
        cost: float | None = None,
        tier: str | None = None,
        project: str | None = None,
        provider: str | None = None,
        profile: str | None = None,
        response: str | None = None,
    ) -> None:
        self.added += 1
        names = (agent, session, model, project, tier, provider, profile)
        if names != self._last_names:
            self._last_names = names
            self._dim = self._dim_of(agent, model, tier, provider, profile)
            self._session = self._session_of(agent, session, project)
        whole = (answer, request, copy, agent)
        if whole == self._last_answer:
            key = self._key
        else:
            last = PROXIED if self._proxied else COPY if copy else _request(request)
            self._last_answer, key = whole, _answer(agent, answer) | last
            self._key = key
        if response:
            self._responses[key] = _text(response[:MOST_ID])
        given, out, written, read, hours = counts
        prompt = given + written + read
        known = self._rows.get(key)
        if known is not None:
            more = prompt + out - (known[5] + known[6] + known[7] + known[8])
            if more < 0 or (more == 0 and time >= known[1]):
                return
        step = bisect_left(STEPS, prompt)
        profiled = 1 if profile or self._profile else 0
        self._rows[key] = (
            key, time, self._dim, self._session, step, given, out, written, read, hours, cost, profiled,
        )  # fmt: skip

    def taken(self) -> EntryBatch:
        """What was added since this was asked before."""
        plain, others = list[int](), list[Row]()
        profiled = bool(self._profile)
        rows, keys = self._rows, sorted(self._rows)
        before = -1
        for key, after in pairwise([*keys, -1]):
            row, answer = rows[key], key >> REQUEST_BITS
            alone = answer != before and answer != after >> REQUEST_BITS
            if alone and row[10] is None and row[11] == profiled and row[1] >= 0:
                plain += cast("PlainRow", row[:PLAIN])
            else:
                others.append(row)
            before = answer
        batch = EntryBatch(
            [(number, *map(_text, dim)) for dim, number in self._dims.items()],  # type: ignore[misc]
            [(number, *map(_text, session)) for session, number in self._sessions.items()],  # type: ignore[misc]
            plain,
            others,
            profiled,
            sorted(self._responses.items()),
        )
        self._begin()
        return batch

    def _dim_of(self, agent: str, model: str, tier: str | None, provider: str | None, profile: str | None) -> int:
        names = (agent, provider or self._provider, profile or self._profile, model, tier or "", self._source)
        if (number := self._dims.get(names)) is None:
            number = self._dims[names] = _id(names)
        return number

    def _session_of(self, agent: str, session: str, project: str | None) -> int:
        names = (agent, session, project or "")
        if (number := self._sessions.get(names)) is None:
            number = self._sessions[names] = _id(names[:2])
        return number


def pack(entries: Iterable[UsageEntry], *, source: str = "log", profile: str = "", provider: str = "") -> EntryBatch:
    """As a `Packer` does."""
    packer = Packer(source=source, profile=profile, provider=provider)
    for entry in entries:
        add_entry(packer, entry)
    return packer.taken()


def _text(name: str) -> str:
    """A name may come from that of a file, which need not be UTF-8."""
    return name.encode("utf-8", "replace").decode()


def _request(request: str) -> int:
    return 2 + (crc32(request.encode("utf-8", "replace")) % (REQUEST_MASK - 1) if request else 0)


def _answer(agent: str, answer: str) -> int:
    """63 bits: 44 of the answer, then 19 for the request, so that the requests of one answer are neighbours."""
    digest = _begun(agent).copy()
    digest.update(answer.encode("utf-8", "replace"))
    return int.from_bytes(digest.digest(), "big") >> 20 << REQUEST_BITS


@lru_cache(64)
def _begun(agent: str) -> blake2b:
    return blake2b(f"{agent}\0".encode("utf-8", "replace"), digest_size=8)


def _id(names: Iterable[str]) -> int:
    """63 bits."""
    named = "\0".join(names).encode("utf-8", "replace")
    return int.from_bytes(blake2b(named, digest_size=8).digest(), "big") >> 1
