"""Answers as rows of numbers: what worker processes send and the ledger stores."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, pairwise
from zlib import crc32

from jackfield.api.telemetry import UsageEntry
from jackfield_telemetry.ledger.batches import REQUEST_BITS, REQUEST_MASK, EntryBatch, PlainRow, Row
from jackfield_telemetry.readers.answers import Counts, add_entry

COPY = 0
PROXIED = 1
"""In place of a request's bits: a copy of an answer, and an answer that a proxy has seen."""
STEPS = (32_000, 64_000, 100_000, 128_000, 200_000, 256_000, 272_000, 512_000, 1_000_000)
"""Lengths of a prompt, in tokens, at which prices change somewhere. An entry stores how many of them it exceeds."""
MOST_ID = 256
"""Characters of a response's id that are kept; no provider has longer ones."""


class Packer:
    """Makes a batch of one source's answers.

    `profile`, `provider`: whose log it is, where the answers do not say. `added`: how many were, of which those that
    are the same have become one.
    """

    def __init__(self, *, source: str = "log", profile: str = "", provider: str = "") -> None:
        self._source, self._profile, self._provider = source, profile, provider
        self._proxied = source == "proxy"
        self._own = int(bool(profile))
        self._begin()

    def _begin(self) -> None:
        self.added = 0
        self._dims: dict[tuple[str, ...], int] = {}
        self._sessions: dict[tuple[str, str, str], int] = {}
        self._rows: dict[int, PlainRow] = {}
        # Of the rows that are not plain, whatever stands beside them: cost and whether there is a profile.
        self._apart: dict[int, tuple[float | None, int]] = {}
        self._responses: dict[int, str] = {}
        # Answers mostly have the names of the one before, and an answer's lines follow each other.
        self._last_names: tuple[object, ...] = ()
        self._last_answer: tuple[object, ...] = ()
        self._dim = self._session = self._key = 0
        self._agent = _begun("")

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
            self._last_names, self._last_answer = names, ()
            self._dim = self._dim_of(agent, model, tier, provider, profile)
            self._session = self._session_of(agent, session, project)
            self._agent = _begun(agent)
        whole = (answer, request, copy)
        if whole == self._last_answer:
            key = self._key
        else:
            last = PROXIED if self._proxied else COPY if copy else _request(request)
            self._last_answer, self._key = whole, (key := _answer(self._agent, answer) | last)
        if response:
            self._responses[key] = _text(response[:MOST_ID])
        given, out, written, read, hours = counts
        prompt = given + written + read
        known = self._rows.get(key)
        if known is not None:
            more = prompt + out - (known[5] + known[6] + known[7] + known[8])
            if more < 0 or (more == 0 and time >= known[1]):
                return
        self._rows[key] = (
            key, time, self._dim, self._session, bisect_left(STEPS, prompt), given, out, written, read, hours,
        )  # fmt: skip
        profiled = 1 if profile else self._own
        if cost is not None or time < 0 or profiled != self._own:
            self._apart[key] = (cost, profiled)
        elif self._apart:
            self._apart.pop(key, None)

    def taken(self) -> EntryBatch:
        """The answers that were added since the last call."""
        rows = self._rows
        keys = sorted(rows)
        others = self._others(keys)
        gone = {row[0] for row in others}
        plain = [key for key in keys if key not in gone] if gone else keys
        batch = EntryBatch(
            [(number, *map(_text, dim)) for dim, number in self._dims.items()],  # type: ignore[misc]
            [(number, *map(_text, session)) for session, number in self._sessions.items()],  # type: ignore[misc]
            list(chain.from_iterable(map(rows.__getitem__, plain))),
            others,
            bool(self._own),
            sorted(self._responses.items()),
        )
        self._begin()
        return batch

    def _others(self, keys: Sequence[int]) -> list[Row]:
        """Of these, in their order, the rows of answers that have several, and those that are not plain."""
        answers = [key >> REQUEST_BITS for key in keys]
        several = {answer for answer, after in pairwise(answers) if answer == after}
        apart, like_all = self._apart, (None, self._own)
        if not several and not apart:
            return []
        found = (key for key, answer in zip(keys, answers, strict=True) if answer in several or key in apart)
        return [(*self._rows[key], *apart.get(key, like_all)) for key in found]

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


def _answer(agent: blake2b, answer: str) -> int:
    """63 bits: 44 of the answer, then 19 for the request, so that the requests of one answer are neighbours."""
    digest = agent.copy()
    digest.update(answer.encode("utf-8", "replace"))
    return int.from_bytes(digest.digest(), "big") >> 20 << REQUEST_BITS


@lru_cache(64)
def _begun(agent: str) -> blake2b:
    return blake2b(f"{agent}\0".encode("utf-8", "replace"), digest_size=8)


def _id(names: Iterable[str]) -> int:
    """63 bits."""
    named = "\0".join(names).encode("utf-8", "replace")
    return int.from_bytes(blake2b(named, digest_size=8).digest(), "big") >> 1
