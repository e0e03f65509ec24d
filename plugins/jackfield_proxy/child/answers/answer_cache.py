"""Answers that serve the same request of the same key again: exact, whole, in memory, for as long as the key says."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable

from jackfield.api.records import record
from jackfield_proxy.child.incoming.addressing import Pairs
from jackfield_proxy.plan import Target

LARGEST_SHARE = 8
"""An answer takes this part of the cache at most."""
ENTRY = 500
"""Bytes that an answer takes beside its own."""
_NOT_KEPT = frozenset({
    "connection", "content-length", "date", "request-id", "retry-after", "server", "set-cookie", "transfer-encoding",
    "x-request-id",
})  # fmt: skip
_TOLD = ("anthropic-version", "anthropic-beta", "openai-beta", "openai-organization", "openai-project", "accept")
"""Headers of a request that an answer may depend on."""


@record
class CachedAnswer:
    """headers: without those of this one connection. kept_at, ends_at: seconds of the clock."""

    target: Target
    headers: Pairs
    body: bytes
    kept_at: float
    ends_at: float

    @property
    def size(self) -> int:
        return len(self.body) + ENTRY + sum(len(name) + len(value) for name, value in self.headers)


class AnswerCopy:
    """Bytes of an answer as its client gets them; too many of them are not kept."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, data: bytes) -> None:
        self._size += len(data)
        if self._size <= self._most:
            self._parts.append(data)
        else:
            self._parts.clear()

    def whole(self) -> bytes | None:
        return b"".join(self._parts) if self._size <= self._most else None


class AnswerCache:
    """Of one profile in one process. size: bytes; the answer that was used longest ago gives way."""

    def __init__(self, size: int, monotonic: Callable[[], float]) -> None:
        self._size = size
        self._monotonic = monotonic
        self._answers: OrderedDict[bytes, CachedAnswer] = OrderedDict()
        self._taken = 0

    def copy(self) -> AnswerCopy:
        return AnswerCopy(self._size // LARGEST_SHARE)

    def find(self, name: bytes) -> CachedAnswer | None:
        found = self._answers.get(name)
        if found is None:
            return None
        if found.ends_at <= self._monotonic():
            self._drop(name)
            return None
        self._answers.move_to_end(name)
        return found

    def age(self, answer: CachedAnswer) -> int:
        """Whole seconds."""
        return int(self._monotonic() - answer.kept_at)

    def keep(self, name: bytes, target: Target, headers: Pairs, body: bytes, seconds: float) -> None:
        """seconds: for how long. Of an answer with the status 200."""
        now = self._monotonic()
        kept = [(key, value) for key, value in headers if key.lower() not in _NOT_KEPT]
        answer = CachedAnswer(target, kept, body, now, now + seconds)
        if answer.size > self._size:
            return
        self._drop(name)
        self._answers[name] = answer
        self._taken += answer.size
        while self._taken > self._size:
            self._drop(next(iter(self._answers)))

    def clear(self) -> None:
        """Other rules give other answers."""
        self._answers.clear()
        self._taken = 0

    def _drop(self, name: bytes) -> None:
        found = self._answers.pop(name, None)
        if found is not None:
            self._taken -= found.size


def name_of(key: str, dialect: str, query: str, headers: Pairs, body: bytes) -> bytes:
    """The same for the same request of the same key, byte for byte."""
    told = sorted((name.lower(), value) for name, value in headers if name.lower() in _TOLD)
    found = hashlib.sha256(repr((key, dialect, query, told)).encode("utf-8", "surrogateescape"))
    found.update(body)
    return found.digest()
