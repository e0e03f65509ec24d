"""The requests that proxies have served: remembered for a while, told to listeners, and counted as usage once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Sequence

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.records import record, replace
from jackfield.api.telemetry import Tokens, Usage, UsageEntry
from jackfield_proxy.messages import CLIENT_GONE, ServedRequest

ANSWERS = 100_000
"""Ids of answers that are remembered, to tell repeated ones apart."""
FAILED = 400
"""Statuses from here on are of requests that failed."""
MOST_STORING = 1000
"""Records that may wait for the store of usage; a proxy with more of them is not read until they are less."""


class CountedAnswers:
    """Providers do repeat ids, small ones and stand-ins above all; each answer counts."""

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[str, str], None] = OrderedDict()

    def unique(self, agent: str, answer: str, request: str) -> str:
        """The answer's own id when it is there for the first time."""
        if not answer:
            return request
        if (agent, answer) in self._seen:
            return f"{answer}/{request}"
        self._seen[agent, answer] = None
        if len(self._seen) > ANSWERS:
            self._seen.popitem(last=False)
        return answer


@record
class RecordedRequest:
    """cost: US dollars; None: the answer's tokens or their price are not known. tokens: of all kinds."""

    served: ServedRequest
    cost: float | None
    tokens: int


class Records:
    """Requests that one profile's proxy has served: it tells them to who listens, and keeps the last ones."""

    def __init__(self, context: PluginContext, alias: str, answers: CountedAnswers, kept: int) -> None:
        self._context = context
        self._alias = alias
        self._answers = answers
        self._served: deque[RecordedRequest] = deque(maxlen=kept)
        self._storing: set[asyncio.Task[None]] = set()
        self.count = 0

    def latest(self, limit: int) -> Sequence[RecordedRequest]:
        """The newest first."""
        return [self._served[-1 - place] for place in range(min(limit, len(self._served)))]

    def failure(self, since_ms: int) -> RecordedRequest | None:
        """The last request since then that was not served; None: all were."""
        for one in reversed(self._served):
            if one.served.time_ms + one.served.duration_ms < since_ms:
                return None
            failed = one.served.status >= FAILED or one.served.error is not None
            if failed and one.served.status != CLIENT_GONE:
                return one
        return None

    async def take(self, served: ServedRequest, agent: str) -> RecordedRequest:
        self.count += 1
        if served.error is not None:  # a provider's words, which listeners and callers of the API get
            served = replace(served, error=self._context.secrets.hide(served.error))
        entry = self._entry(served, agent)
        cost = None if entry is None else await self._cost(entry)
        request = RecordedRequest(served, cost, 0 if entry is None else entry.tokens.total)
        self._served.append(request)
        if self._context.events.wanted("proxy"):
            told: dict[str, Json] = {"profile": self._alias, "traceparent": served.traceparent or None}
            self._context.events.publish("proxy", "proxy_request", {**told, **shown(request)})
            if served.missing:
                self._context.events.publish("proxy", "proxy_warning", self._warning(served))
        if entry is not None:
            await self._keep(entry)
        return request

    def _warning(self, served: ServedRequest) -> dict[str, Json]:
        names = ", ".join(served.missing)
        return {
            "profile": self._alias,
            "request": served.id,
            "missing_tools": list(served.missing),
            "message": f"{served.provider}/{served.model} has no {names}; a request was served without.",
        }

    async def _cost(self, entry: UsageEntry) -> float | None:
        """US dollars. A price list that fails stops no proxy."""
        try:
            found = await self._context.port(Usage).cost_of(entry)
        except Exception as exc:
            self._context.log.error("The price of %s is not known: %s", entry.model, exc)
            return None
        return None if found is None else found.total

    async def _keep(self, entry: UsageEntry) -> None:
        while len(self._storing) >= MOST_STORING:
            await asyncio.wait(self._storing, return_when=asyncio.FIRST_COMPLETED)
        task = asyncio.create_task(self._store(entry))
        self._storing.add(task)
        task.add_done_callback(self._storing.discard)

    async def settled(self) -> None:
        """Everything that was taken is stored."""
        await asyncio.gather(*self._storing)

    def _entry(self, served: ServedRequest, agent: str) -> UsageEntry | None:
        """None: the answer has said nothing of its tokens."""
        if served.input is None and served.output is None:
            return None
        return UsageEntry(
            agent=agent,
            answer=self._answers.unique(agent, served.answer, served.id),
            session_id=served.session or f"proxy-{self._alias}",
            time_ms=served.time_ms,
            model=served.model,
            tokens=Tokens(
                served.input or 0, served.output or 0, served.cache_write, served.cache_read, served.cache_write_1h
            ),
            service_tier=served.tier if served.tier in ("fast", "priority", "flex") else None,
            provider=served.provider,
            profile=self._alias,
            response_id=served.answer or None,
        )

    async def _store(self, entry: UsageEntry) -> None:
        try:
            await self._context.port(Usage).proxied(entry)
        except Exception as exc:
            self._context.log.error("Usage of the proxy of %s was not stored: %s", self._alias, exc)


def shown(request: RecordedRequest) -> dict[str, Json]:
    """As `GET /api/proxy/{alias}/requests` gives it."""
    served = request.served
    return {
        "id": served.id,
        "time": iso(served.time_ms),
        "dialect": served.dialect,
        "asked_model": served.asked_model,
        "provider": served.provider,
        "model": served.model,
        "rule": served.rule,
        "reason": served.reason,
        "status": served.status,
        "stream": served.stream,
        "translated": served.translated,
        "attempts": served.attempts,
        "duration_ms": served.duration_ms,
        "first_byte_ms": served.first_byte_ms,
        "estimated_tokens": served.estimated_tokens,
        "counted": served.counted,
        "session": served.session or None,
        "key": served.key or None,
        "cached": served.cached,
        "usage": None
        if served.input is None
        else {
            "input_tokens": served.input,
            "output_tokens": served.output,
            "cache_read_tokens": served.cache_read,
            "cache_creation_tokens": served.cache_write,
        },
        "cost_usd": request.cost,
        "error": served.error,
        "missing_tools": list(served.missing),
    }
