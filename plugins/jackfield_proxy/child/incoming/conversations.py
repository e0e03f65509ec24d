"""Which conversation a request belongs to, and which target has served it.

Providers cache the beginning of a prompt, so that the next request of a conversation is cheapest where the last one
was.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b

from jackfield.api.jsontext import Json
from jackfield.api.records import record, replace
from jackfield_proxy.plan import Target
from jackfield_proxy.routing.choosing import Candidate

MOST = 10_000
"""Conversations that are remembered; with a new one the oldest is forgotten."""
LONGEST = 200
"""Characters of a client's own name for a session."""
_HEADERS = ("x-claude-code-session-id", "thread-id", "session-id", "session_id", "conversation_id", "x-session-id")
"""Codex's log goes by the thread; the session of a thread that its own agent has begun is its parent's."""
_IN_USER_ID = re.compile(r'(?:_session_|"session_id":\s?")([A-Za-z0-9_-]{1,200})').search
_READ = 65_536
"""Characters of each of the first texts that tell conversations apart."""


def named(value: Mapping[str, Json], headers: Mapping[str, str]) -> str:
    """By which the client groups its requests: a header, `prompt_cache_key`, or the session in `metadata.user_id`.
    Empty: it does not say. Never an authority."""
    for name in _HEADERS:
        if found := headers.get(name):
            return found[:LONGEST]
    key = value.get("prompt_cache_key")
    if isinstance(key, str) and key:
        return key[:LONGEST]
    metadata = value.get("metadata")
    user = metadata.get("user_id") if isinstance(metadata, dict) else None
    if not isinstance(user, str):
        return ""
    session = _IN_USER_ID(user)
    return session[1] if session else user[:LONGEST]


def key_of(value: Mapping[str, Json], headers: Mapping[str, str]) -> str:
    """The part that stays the same from turn to turn: the name, else the text of the first messages.

    Text before them is left out, as clients put changing marks there.
    """
    if name := named(value, headers):
        return name
    digest = blake2b(digest_size=16)
    read = 0
    for text in _first(value.get("messages", value.get("input", value.get("contents")))):
        digest.update(text[:_READ].encode("utf-8", "surrogatepass") + b"\0")
        read += 1
    return digest.hexdigest() if read else ""


def _first(turns: Json) -> Iterator[str]:
    """The texts up to the end of the first turn of the user's."""
    if isinstance(turns, str):
        yield turns
        return
    for turn in turns if isinstance(turns, list) else ():
        content = turn.get("content", turn.get("parts")) if isinstance(turn, dict) else None
        if isinstance(content, str):
            yield content
        for block in content if isinstance(content, list) else ():
            text = block.get("text") if isinstance(block, dict) else None
            if isinstance(text, str):
                yield text
        if isinstance(turn, dict) and turn.get("role") == "user":
            return


@record
class _Kept:
    rule: str | None
    target: Target
    until: float


class Conversations:
    """now: a monotonic clock, seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def led(self, key: str, candidates: Sequence[Candidate], free: Callable[[Target], bool]) -> Sequence[Candidate]:
        """The candidates, the one that has served the conversation first; unless it is unhealthy or busy."""
        kept = self._kept.get(key)
        if kept is None or kept.until < self._now() or not free(kept.target):
            return candidates
        for candidate in candidates[1:]:
            if (candidate.rule, candidate.target) == (kept.rule, kept.target):
                stays = replace(candidate, reason=f"{candidate.reason}, as its conversation was there before")
                return [stays, *(other for other in candidates if other is not candidate)]
        return candidates

    def served(self, key: str, candidate: Candidate, ttl: float) -> None:
        """ttl: seconds. Nothing stays at a fallback: it serves while the others do not."""
        if not key or candidate.fallback:
            return
        self._kept[key] = _Kept(candidate.rule, candidate.target, self._now() + ttl)
        self._kept.move_to_end(key)
        if len(self._kept) > MOST:
            self._kept.popitem(last=False)
