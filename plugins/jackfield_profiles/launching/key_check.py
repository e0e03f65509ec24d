"""Whether a profile's provider takes its key, asked before its agent starts. Claude Code, for one, asks a provider that
refuses its key again for minutes and says nothing meanwhile.

The question is a request without a model, which costs nothing: a provider that takes the key refuses it otherwise.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import cast

from jackfield.api.clock import Clock
from jackfield.api.errors import InvalidInput
from jackfield.api.object_references import load
from jackfield.api.profiles import Profile
from jackfield.api.providers import Provider

_QUESTION = "jackfield_profiles.launching.key_question:status_of"
MOST = 1000
"""Keys that are remembered as good."""
_PATHS = {"anthropic": "/v1/messages", "openai": "/chat/completions"}
"""Gemini is not asked: Google says 400 of a key that it refuses, as of other mistakes."""


class KeyCheck:
    """timeout: seconds that a start waits for the answer, 0: nothing is asked. lasts: seconds that a good answer
    counts."""

    def __init__(self, clock: Clock, timeout: float, lasts: float) -> None:
        self._clock, self._timeout, self._lasts = clock, timeout, lasts
        self._good: OrderedDict[str, float] = OrderedDict()

    async def require(self, provider: Provider, profile: Profile, key: str | None) -> None:
        """A provider that is slow or not there, or answers anything but 401, counts as content: an agent may do much
        without it. `key`: None: no key to check. Raises `InvalidInput`.
        """
        _, url = provider.endpoint(profile.endpoint_id)
        path = _PATHS.get(provider.dialect or "")
        if self._timeout == 0 or path is None or not url or key is None:
            return
        mark = hashlib.sha256(f"{url}\0{key or ''}".encode()).hexdigest()
        if self._clock.monotonic() < self._good.get(mark, 0.0):
            return
        status = await self._status(url.rstrip("/") + path, _credential(provider, key))
        if status is None:
            return
        if status == HTTPStatus.UNAUTHORIZED:
            raise _refused(provider, profile)
        self._good[mark] = self._clock.monotonic() + self._lasts
        while len(self._good) > MOST:
            self._good.popitem(last=False)

    async def _status(self, url: str, headers: Mapping[str, str]) -> int | None:
        """None: no answer in time."""
        # The first import of HTTP takes long, and no start but this needs it.
        ask = cast("Callable[..., Awaitable[int | None]]", await asyncio.to_thread(load, _QUESTION))
        try:
            async with asyncio.timeout(self._timeout):
                return await ask(url, headers, self._timeout)
        except TimeoutError:
            return None


def checkable(provider: Provider) -> bool:
    """Its login is the key itself, sent in the way of its family."""
    return provider.dialect in _PATHS and not provider.needs_proxy and provider.auth.kind in (None, "bearer")


def _credential(provider: Provider, key: str | None) -> dict[str, str]:
    """As agents send it."""
    if provider.dialect == "openai":
        return {} if key is None else {"Authorization": f"Bearer {key}"}
    version = {"anthropic-version": "2023-06-01"}
    if key is None:
        return version
    own = not provider.type.endswith("-compatible")
    return {**version, "x-api-key": key} if own else {**version, "Authorization": f"Bearer {key}", "x-api-key": key}


def _refused(provider: Provider, profile: Profile) -> InvalidInput:
    return InvalidInput(
        f"The provider {provider.id} refuses the key of the profile {profile.alias} (401); give it another one (PATCH "
        f"with api_key, `jackfield profiles edit {profile.alias}`).",
        code="KEY_REFUSED",
    )
