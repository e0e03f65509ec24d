"""The targets of one request, tried in order until one serves.

As long as nothing has reached the client, another follows one that fails, whatever the failure and however far it had
come.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence

from jackfield_proxy.child.incoming.client_request import ClientRequest
from jackfield_proxy.child.upstream.failures import UpstreamFailure
from jackfield_proxy.child.upstream.sending import Opened, UpstreamSender
from jackfield_proxy.plan import ProxyLimits, ProxyPlan
from jackfield_proxy.routing.choosing import Candidate

LONGEST_PAUSE = 8.0
"""Seconds before the same target is asked again, where its provider says nothing of it."""


class Fallback:
    """`tell`: gets each target, and how often the request has been sent with it then. `may_cost`: a target that did not
    serve may charge nevertheless.
    """

    def __init__(
        self,
        sender: UpstreamSender,
        plan: ProxyPlan,
        call: ClientRequest,
        candidates: Sequence[Candidate],
        tell: Callable[[Candidate, int], None],
    ) -> None:
        self._sender, self._plan, self._call, self._tell = sender, plan, call, tell
        self.may_cost = False
        first_of: dict[object, Candidate] = {}
        for one in candidates:  # several rules may name one target
            first_of.setdefault(one.target, one)
        self._left = list(first_of.values())
        alone = len(self._left) == 1 or len([one for one in self._left if self._is_healthy(one)]) == 1
        self._most_retries = plan.limits.retries if alone else 0
        self._retries = 0
        self._again: tuple[Candidate, float] | None = None
        """The target that may be asked again, and after how many seconds."""
        self._with_other_key: Candidate | None = None
        self._other_keys = 0
        """That may still be tried with the current target."""
        self._tried = 0
        self._attempts = 0
        self._refused: UpstreamFailure | None = None
        """The refusal that the client gets when nobody serves."""
        self._final = False
        """Nothing that a later target says is better."""

    async def open(self) -> Opened:
        """The next target that serves.

        The caller that gets it calls `UpstreamSender.closed`. Raises `UpstreamFailure` when none is left.
        """
        while (candidate := await self._next()) is not None:
            self._attempts += 1
            self._tell(candidate, self._attempts)
            try:
                return await self._sender.attempt(self._plan, self._call, candidate, self._attempts)
            except UpstreamFailure as exc:
                self.refused(candidate, exc)
        raise self._last_word()

    def refused(self, candidate: Candidate, refused: UpstreamFailure) -> None:
        """It does not serve, and nothing of its answer has reached the client."""
        refused.candidate = candidate
        refused.__traceback__ = refused.__context__ = None  # through which it would hold this object, which holds it
        self.may_cost = self.may_cost or refused.may_cost
        if self._refused is None or (not self._final and (refused.is_answer or not self._refused.is_answer)):
            self._refused = refused
        if refused.other_key and self._other_keys:
            self._other_keys -= 1
            self._with_other_key = candidate
            return
        # The first target judges the request as the client has written it. Its refusal is most often true elsewhere,
        # and then is the best answer. But another one may have a longer context, or know a field that this one does
        # not.
        self._final = self._final or (not refused.elsewhere and self._tried == 1)
        pause = _pause(self._retries, refused, self._plan.limits)
        may = refused.again and pause is not None and self._retries < self._most_retries
        self._again = (candidate, pause) if may and pause is not None else None

    async def _next(self) -> Candidate | None:
        """An untried one that is healthy now, the same one again, or at last one that is to be left alone."""
        if self._with_other_key is not None:
            same, self._with_other_key = self._with_other_key, None
            return same
        found = self._healthy()
        if found is None and self._again is not None:
            (candidate, pause), self._again = self._again, None
            self._retries += 1
            await asyncio.sleep(pause)
            found = self._healthy()  # the time of another one may be over meanwhile
            if found is None:
                return candidate
        found = found or next(iter(self._left), None)
        if found is not None:
            self._left.remove(found)
            self._tried += 1
            upstream = self._plan.upstreams.get(found.target.provider)
            self._other_keys = len(upstream.keys) - 1 if upstream is not None else 0
        return found

    def _healthy(self) -> Candidate | None:
        for one in self._left:  # most often the first one
            if self._is_healthy(one):
                return one
        return None

    def _is_healthy(self, candidate: Candidate) -> bool:
        return not self._sender.health.open_for(candidate.target)

    def _last_word(self) -> UpstreamFailure:
        refused, self._refused = self._refused, None
        if refused is None or refused.candidate is None:
            raise RuntimeError("a request has no targets")
        refused.attempts = self._attempts
        self._tell(refused.candidate, self._attempts)
        return refused


def _pause(retries: int, refused: UpstreamFailure, limits: ProxyLimits) -> float | None:
    """Seconds until the next attempt; None: the provider wants longer than one may wait."""
    asked = refused.error.retry_after
    if asked is not None:
        return asked if asked <= limits.retry_after_limit else None
    return min(LONGEST_PAUSE, 0.5 * float(2**retries)) + random.uniform(0, 0.25)
