"""The answer to one request of a key with a cache: looked for, and kept for the same request to come."""

from __future__ import annotations

from collections.abc import Sequence

from aiohttp import web

from jackfield_proxy.child.answers import relay
from jackfield_proxy.child.answers.answer_cache import AnswerCache, AnswerCopy, CachedAnswer, CachedFor, name_of
from jackfield_proxy.child.incoming.client_request import ClientRequest
from jackfield_proxy.plan import Target
from jackfield_proxy.routing.choosing import Candidate, Choices


class AnswerKeeper:
    """choices, met: as of `name_of`. choice: who is tried first."""

    def __init__(
        self, cache: AnswerCache, place: CachedFor, call: ClientRequest, choices: Choices, met: Sequence[bool]
    ) -> None:
        self._cache, self._place, self._call = cache, place, call
        self._name = name_of((place.key, place.profile), call, choices, met)
        self.choice: Candidate | None = None

    def find(self) -> CachedAnswer | None:
        return self._cache.find(self._name)

    def copy(self, served: Candidate) -> AnswerCopy | None:
        """None: its answer may not be kept.

        An answer that serves while the choice fails is not to stay when that is over; where the choice is a fallback,
        all are.
        """
        choice = self.choice
        stays = choice is None or choice.fallback or choice.target == served.target
        return self._cache.copy() if stays else None

    def keep(self, target: Target, carrier: relay.Carrier, response: web.StreamResponse, copy: AnswerCopy) -> None:
        """If all the answer is there."""
        if response.status != 200 or carrier.error is not None or (self._call.stream and not carrier.complete):
            return
        at_once = response.body if isinstance(response, web.Response) else None
        body = at_once if isinstance(at_once, bytes) else copy.whole()
        if body:
            self._cache.keep(self._name, self._place, target, [*response.headers.items()], body)
