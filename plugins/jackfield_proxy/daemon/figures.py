"""Figures of what a profile's requests were and took, for `/metrics`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jackfield.api.diagnosis import Metric
from jackfield.api.records import state
from jackfield.api.time_spreads import OTHER, TimeSpread
from jackfield_proxy.daemon.records import RecordedRequest

BOUNDS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
"""Seconds; of answers of models."""
MOST_MODELS = 200
"""Models of a profile that have their own figures, as clients may ask for any; all others are one, `other`."""


@state
class TokenSums:
    """Of one model, since the daemon has started."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_creation: int = 0
    usd: float = 0.0


class ModelFigures:
    """Of one target: a provider and a model."""

    def __init__(self) -> None:
        self.statuses: dict[int, int] = {}
        self.duration = TimeSpread(BOUNDS)
        self.first_token = TimeSpread(BOUNDS)
        self.sums = TokenSums()

    def add(self, request: RecordedRequest) -> None:
        served, sums = request.served, self.sums
        self.statuses[served.status] = self.statuses.get(served.status, 0) + 1
        self.duration.add(served.duration_ms / 1000)
        if served.stream and served.first_byte_ms is not None:  # a stream begins with its first content
            self.first_token.add(served.first_byte_ms / 1000)
        sums.input += served.input or 0
        sums.output += served.output or 0
        sums.cache_read += served.cache_read
        sums.cache_creation += served.cache_write
        sums.usd += request.cost or 0.0

    def metrics(self, labels: Mapping[str, str]) -> Iterator[Metric]:
        for status, count in self.statuses.items():
            about = "Requests that a profile's proxy has served."
            yield Metric("proxy_requests_total", about, "counter", count, {**labels, "status": str(status)})
        yield from self.duration.metrics("proxy_request_seconds", "From a request's head to its end.", labels)
        about = "From a request's head to the first content of a streamed answer."
        yield from self.first_token.metrics("proxy_first_token_seconds", about, labels)
        for kind in ("input", "output", "cache_read", "cache_creation"):
            if amount := getattr(self.sums, kind):
                about = "Tokens of proxied requests."
                yield Metric("proxy_tokens_total", about, "counter", amount, {**labels, "kind": kind})
        if self.sums.usd:
            yield Metric("proxy_cost_usd_total", "Cost of proxied requests.", "counter", self.sums.usd, labels)


class RequestFigures:
    """Of one profile."""

    def __init__(self, alias: str) -> None:
        self._alias = alias
        self._models: dict[tuple[str, str], ModelFigures] = {}

    def add(self, request: RecordedRequest) -> None:
        target = request.served.provider, request.served.model
        if target not in self._models and len(self._models) >= MOST_MODELS:
            target = OTHER, OTHER
        self._models.setdefault(target, ModelFigures()).add(request)

    def metrics(self) -> Iterator[Metric]:
        for (provider, model), figures in self._models.items():
            yield from figures.metrics({"profile": self._alias, "provider": provider, "model": model})
