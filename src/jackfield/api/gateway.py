"""Virtual keys: what proxies ask before they serve somebody who has one, and what they tell afterwards.

A key stands for a caller of proxies: which models, until when, how much in a minute, and for how much money. The keeper
of keys decides; proxies ask and obey. Proxies ask the budget before they send a request. The keeper reserves the
request's highest cost, and settles the reservation when its answer has ended.

Source: docs/decisions.md, 'Virtual keys'.
"""

from __future__ import annotations

import fnmatch
import hashlib
from collections.abc import Sequence
from typing import Literal, Protocol

from .proxy import Target
from .records import record
from .usage import Tokens

PREFIX = "jf_vk_"
"""Every virtual key begins so."""


@record
class CallerPass:
    """The rights of a key's owner.

    `key`: its id. `models`: patterns of names as clients ask for them, none: all of them. `profiles`: aliases of those
    whose proxies it opens, none: all of them. `metered`: each request has to be reserved. `cache_seconds`: how long an
    answer may serve the same request again, 0: not at all.
    """

    key: str
    models: Sequence[str] = ()
    profiles: Sequence[str] = ()
    metered: bool = False
    cache_seconds: float = 0.0


@record
class PlannedRequest:
    """A request that is about to be sent.

    `key`: empty for a profile's own token. `request`: tells it from all others. `provider`, `model`: who is asked
    first, others: who may serve it in the end; the dearest of them counts. `input`: its length, output: the longest
    answer that is reckoned with, tokens. `spends`: False where it has no price and no tokens that count, so that it
    takes its part of what a key may ask alone.
    """

    key: str
    request: str
    profile: str
    provider: str
    model: str
    input: int
    output: int
    others: Sequence[Target] = ()
    spends: bool = True

    @property
    def targets(self) -> Sequence[Target]:
        """All that may serve it, each once."""
        return list(dict.fromkeys((Target(self.provider, self.model), *self.others)))


@record
class EndedRequest:
    """A request of a key is over.

    `tokens`: None when nothing is known of them. `cost`: US dollars; None: not known. `whole`: this is all that it has
    used; else what was reserved counts, where that is more. `ended_ms`: Unix ms.
    """

    key: str
    request: str
    profile: str
    provider: str
    model: str
    status: int
    ended_ms: int
    tokens: Tokens | None = None
    cost: float | None = None
    whole: bool = True
    cached: bool = False


@record
class StoredObject:
    """An object that a provider keeps for an account and gives again by an id: a file, a batch, an answer, a
    conversation.

    `profile`: through whose proxy it was made. `account`: a mark of the provider's key that has made it. `kind`:
    answers come with every request, and give way to each other alone.
    """

    id: str
    profile: str
    provider: str
    account: str
    kind: Literal["object", "answer"] = "object"


class KeyGate(Protocol):
    """The port; a plugin names it in `provides`. Without one, proxies take their own tokens alone."""

    async def admit(self, digest: str) -> CallerPass:
        """Of the key with this digest (see `digest_of`). Raises `DialectError` 401."""

    async def reserve(self, planned: PlannedRequest) -> None:
        """Until `settle` of the same request. When this returns, the reservation outlives this process. Raises
        `DialectError` 401, 402, 429, 503."""

    def settle(self, ended: EndedRequest) -> None:
        """Count what a request has used. Also of requests that were not reserved."""

    async def objects(self, key: str, ids: Sequence[str]) -> Sequence[StoredObject]:
        """Those of these that the key may use: it has made them, or another key of its owner has.

        `key`: empty for a profile's own token, which may use all. Raises `JackfieldError`.
        """

    async def keep(self, key: str, made: Sequence[StoredObject]) -> None:
        """Remember who has made these, unless somebody has before. key: as of `objects`. Raises `JackfieldError`."""


class VirtualKeys(Protocol):
    """The port: which keys there are."""

    async def has(self, key_id: str) -> bool:
        """Whether the key exists; a revoked one does. Raises `StoreUnavailable`, `ConfigurationError`."""


def digest_of(key: str) -> str:
    """The stored form of a key. It has 256 random bits, so that a plain hash does."""
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()


def fits(names: Sequence[str], name: str) -> bool:
    """Whether one of these patterns (`*`, `?`, `[...]`) matches the name; without patterns all names fit."""
    return not names or any(fnmatch.fnmatchcase(name, pattern) for pattern in names)


def has_room(most: float, used: float, held: float, wanted: float) -> bool:
    """Whether a request fits a budget.

    `held`: by requests in flight. The last one to fit may need more than is left. Its need is an estimate, and a budget
    that is never quite used up is of no use. Beside others none may.
    """
    return used < most and (held <= 0 or used + held + wanted <= most)
