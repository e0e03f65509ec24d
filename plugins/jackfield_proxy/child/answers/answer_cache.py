"""Answers that serve the same request of the same key again: exact, whole, in memory, for as long as the key says."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence

from jackfield.api.records import record, state
from jackfield_proxy.child.incoming.addressing import Pairs
from jackfield_proxy.child.incoming.client_request import ClientRequest
from jackfield_proxy.plan import Target
from jackfield_proxy.routing.choosing import Candidate, Choices

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
    """key, profile: whose it is. headers: without those of this one connection. kept_at, ends_at: seconds of the
    clock."""

    key: str
    profile: str
    target: Target
    headers: Pairs
    body: bytes
    kept_at: float
    ends_at: float

    @property
    def size(self) -> int:
        return len(self.body) + ENTRY + sum(len(name) + len(value) for name, value in self.headers)


@record
class CachedFor:
    """The caller whose answer it is, and for how many seconds it may serve."""

    key: str
    profile: str
    seconds: float


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


@state
class KeyAnswers:
    """Of one key: the names of its answers, the one that was used longest ago first, and the bytes that they take."""

    names: OrderedDict[bytes, None]
    taken: int = 0


class AnswerCache:
    """Of all profiles that a process serves. size: bytes. share: of it that a key may always have.

    A key may take what others leave. When all is taken, the one that has most gives way with its least recently used
    answer. It does so as long as it has more than its share. Else it is the answer that anybody has used longest ago.
    """

    def __init__(self, size: int, share: float, monotonic: Callable[[], float]) -> None:
        self._size = size
        self._share = share
        self._monotonic = monotonic
        self._answers: OrderedDict[bytes, CachedAnswer] = OrderedDict()
        self._keys: dict[str, KeyAnswers] = {}
        self._taken = 0

    def resize(self, size: int, share: float) -> None:
        """An answer that has no room any more is gone."""
        self._size, self._share = size, share
        self._make_room()

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
        self._keys[found.key].names.move_to_end(name)
        return found

    def age(self, answer: CachedAnswer) -> int:
        """Whole seconds."""
        return int(self._monotonic() - answer.kept_at)

    def keep(self, name: bytes, place: CachedFor, target: Target, headers: Pairs, body: bytes) -> None:
        """Of an answer with the status 200."""
        now = self._monotonic()
        kept = [(key, value) for key, value in headers if key.lower() not in _NOT_KEPT]
        answer = CachedAnswer(place.key, place.profile, target, kept, body, now, now + place.seconds)
        if answer.size > self._size:
            return
        self._drop(name)
        self._answers[name] = answer
        own = self._keys.setdefault(place.key, KeyAnswers(OrderedDict()))
        own.names[name] = None
        own.taken += answer.size
        self._taken += answer.size
        self._make_room()

    def clear(self, profile: str) -> None:
        """Other rules give other answers."""
        for name in [name for name, one in self._answers.items() if one.profile == profile]:
            self._drop(name)

    def _make_room(self) -> None:
        while self._taken > self._size:
            most = max(self._keys.values(), key=lambda one: one.taken)
            over = most.taken > self._share * self._size
            self._drop(next(iter(most.names if over else self._answers)))

    def _drop(self, name: bytes) -> None:
        found = self._answers.pop(name, None)
        if found is None:
            return
        self._taken -= found.size
        own = self._keys[found.key]
        own.taken -= found.size
        del own.names[name]
        if not own.names:
            del self._keys[found.key]


def name_of(who: tuple[str, str], call: ClientRequest, choices: Choices, met: Sequence[bool] = ()) -> bytes:
    """The same for the same request of the same key, byte for byte, as long as the same rules fit.

    The rules may look at any header, the time, or anything else. It does not matter which of them a strategy would
    choose. `who`: the key, and the profile that serves it. `choices`: by the estimated length. `met`: which conditions
    hold, where the exact length may decide otherwise. As the body says that length, nobody has to be asked for it.
    """
    told = sorted((name.lower(), value) for name, value in call.pairs if name.lower() in _TOLD)
    path = (call.named.model, call.named.stream, call.named.version)  # in place of the body
    fit = choices.target.text if isinstance(choices, Candidate) else [(one.name, one.target.text) for one in choices]
    parts = (who, call.dialect, path, call.query, told, fit, [*met])
    found = hashlib.sha256(repr(parts).encode("utf-8", "surrogateescape"))
    found.update(call.body)
    return found.digest()
