"""What a proxy's process is told by the daemon: everything that it needs to serve one profile. It goes over the pipe
and nowhere else, since keys are in it.

Source: decisions.md 'Proxies' and section 4 'Proxy'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

from jackfield.api.records import record

HOST = "127.0.0.1"
"""Proxies listen here and nowhere else."""


@record
class Upstream:
    """A provider as the proxy reaches it. native: the vendor's own API, not one that is compatible with it. key: None
    when the provider asks for none."""

    id: str
    family: Literal["anthropic", "openai"]
    url: str
    native: bool = False
    key: str | None = None
    models: Sequence[str] = ()


@record
class Target:
    """A provider and one of its models."""

    provider: str
    model: str

    @property
    def text(self) -> str:
        return f"{self.provider}/{self.model}"

    @classmethod
    def of(cls, text: str) -> Target:
        """Of `<provider_id>/<model>`; the model's name may have slashes."""
        provider, _, model = text.partition("/")
        return cls(provider, model)


@record
class Rule:
    """condition: as stored. weight: its share under `Weighted`. price: US dollars for a token in and one out, where
    known."""

    name: str
    condition: Mapping[str, Any]  # JSON; the pipe's decoder knows no recursive types
    target: Target
    priority: int = 0
    weight: float = 1.0
    price: float | None = None


@record
class Limits:
    """Seconds and bytes; see the settings table `proxy`, whose names these are."""

    body_limit: int = 32 * 2**20
    connect_timeout: float = 10.0
    first_byte_timeout: float = 600.0
    idle_timeout: float = 180.0
    retries: int = 2
    retry_after_limit: float = 60.0
    breaker_failures: int = 4
    breaker_open: float = 30.0
    script_timeout: float = 2.0
    stop_grace: float = 2.0


LIMITS = tuple(Limits.__annotations__)


@record
class Plan:
    """One profile's proxy. port: asked for; 0: any free one. provider: the profile's own, which gets what no rule
    takes. environment: web proxies on the way to providers, which may have passwords."""

    alias: str
    token: str
    provider: str
    port: int = 0
    strategy: str = "Conditional"
    rules: Sequence[Rule] = ()
    aliases: Mapping[str, Target] = field(default_factory=dict)
    upstreams: Mapping[str, Upstream] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    environment: Mapping[str, str] = field(default_factory=dict)
