"""Proxies: one router per profile between its agent and providers, as the other plugins see it. Also the parts that a
plugin gives to change how they route.

Strategies and conditions run in the proxies' processes, for every request. An instance holds no state that another
process would need, and blocks for nothing. Its module imports little.

Source: docs/decisions.md, 'Proxies'.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from .extensions import ExtensionPoint
from .jsontext import Json
from .records import record

KEYED_PATH = "/t/"
"""In a proxy's base URL, before its token: for agents whose own login is in the headers."""


@record
class ProxyAddress:
    """Where a profile's proxy listens, and the token that it wants."""

    base_url: str
    token: str


@record
class ProxyFailure:
    """A request that a proxy could not serve.

    `time_ms`: Unix ms. `status`: that its client got. `message`: why, without secrets. `provider`, `model`: empty where
    none was chosen. `attempts`: how often it was sent.
    """

    time_ms: int
    status: int
    message: str
    provider: str = ""
    model: str = ""
    attempts: int = 1


class Proxies(Protocol):
    """The port; a plugin names it in `provides`."""

    async def address(self, alias: str) -> ProxyAddress:
        """Of the profile's proxy, which is started if it does not run. Raises `JackfieldError` when it fails."""

    async def reserve(self, alias: str) -> ProxyAddress:
        """The address and token of the profile's proxy, or those that it is going to have; the call starts nothing."""

    def failure(self, alias: str, since_ms: int) -> ProxyFailure | None:
        """The last request since then, Unix ms, that the profile's proxy could not serve; None: it served all."""

    def running(self) -> int:
        """How many run now."""

    async def stop(self, alias: str) -> None:
        """Stop it, if it runs."""


@record
class Target:
    """A provider and one of its models."""

    provider: str
    model: str

    @property
    def text(self) -> str:
        """Without a model for what is no request of one."""
        return f"{self.provider}/{self.model}" if self.model else self.provider

    @classmethod
    def of(cls, text: str) -> Target:
        """Of `<provider_id>/<model>`; the model's name may have slashes."""
        provider, _, model = text.partition("/")
        return cls(provider, model)


def stored_rules(config: Mapping[str, Json]) -> Sequence[Mapping[str, Json]]:
    """Of a stored `proxy_config`."""
    routing = config.get("routing")
    rules = routing.get("rules") if isinstance(routing, dict) else None
    return [rule for rule in rules if isinstance(rule, dict)] if isinstance(rules, list) else []


def targets_in(config: Mapping[str, Json]) -> Iterable[tuple[str, Target]]:
    """Where a stored `proxy_config` sends requests: path in the profile -> target."""
    for number, rule in enumerate(stored_rules(config)):
        yield f"proxy_config.routing.rules[{number}].target", Target.of(str(rule.get("target")))
    aliases = config.get("model_aliases")
    for name, target in aliases.items() if isinstance(aliases, dict) else ():
        yield f"proxy_config.model_aliases.{name}", Target.of(str(target))


@record
class Rule:
    """`condition`: as stored.

    `weight`: its share under `Weighted`. `fallback`: it serves only when those that are none have failed, or do not
    fit, under every strategy. `price`: US dollars for a token in and one out, where known and the strategy wants
    prices.
    """

    name: str
    condition: Mapping[str, Any]  # JSON; the decoder of the proxies' pipe knows no recursive types
    target: Target
    priority: int = 0
    weight: float = 1.0
    fallback: bool = False
    price: float | None = None


@record
class RequestAttributes:
    """The attributes of a request that rules may know.

    `model`: as asked for. `tokens`: its length, counted or estimated. `tools`: how many it brings. `headers`:
    lower-case names. `minute`: of the local day. `scripts`: path -> what the condition script said. `session`: what
    tells it from other conversations; empty: nothing does. `path`: as the client asked for it, with `/v1`. `dialect`:
    that the client speaks. `converses`: it asks a model for the next turn of a conversation, or belongs to that.
    """

    model: str = ""
    tokens: int = 0
    tools: int = 0
    thinking: bool = False
    image: bool = False
    web_search: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    minute: int = 0
    scripts: Mapping[str, bool] = field(default_factory=dict)
    session: str = ""
    path: str = ""
    dialect: str = ""
    converses: bool = True

    @property
    def background(self) -> bool:
        """Asked of a small model."""
        name = self.model.lower()
        return any(mark in name for mark in _SMALL)


_SMALL = ("haiku", "-mini", "-nano", "-flash", "-lite")
"""Marks of the models that agents use for titles and summaries beside the conversation."""


class TargetHealth(Protocol):
    """A proxy's memory of its targets."""

    def turn(self, names: tuple[str, ...]) -> int:
        """Counts up from 0 for each set of rules."""

    def busy(self, target: Target) -> int:
        """Requests in flight."""

    def latency(self, target: Target) -> float:
        """Seconds to the first byte, a moving average; 0: not measured yet."""

    def random(self) -> float:
        """In [0, 1)."""


class RoutingStrategy(Protocol):
    """In which order the rules that fit are tried (`jackfield_proxy_strategies`)."""

    @property
    def name(self) -> str:
        """As in `proxy_config.routing.strategy`; case does not tell names apart."""

    @property
    def conditions(self) -> bool:
        """Whether conditions of rules are looked at; False: every rule fits."""

    @property
    def prices(self) -> bool:
        """Whether it wants `Rule.price`."""

    def order(self, fitting: Sequence[Rule], health: TargetHealth) -> Sequence[Rule]:
        """fitting: never empty, the highest priority first. The first of the result is the choice; the others serve
        when it fails. One that raises, or gives nothing, counts as `Conditional`."""


class RoutingCondition(Protocol):
    """Whether a rule fits a request (`jackfield_proxy_conditions`)."""

    @property
    def type(self) -> str:
        """As in a rule's `condition.type`."""

    def problem(self, condition: Mapping[str, Json]) -> str | None:
        """The mistake in a condition of this type, a sentence for the user; None: nothing."""

    def holds(self, condition: Mapping[str, Json], attributes: RequestAttributes) -> bool:
        """Of one without problems. One that raises does not hold."""


STRATEGY_NAMES = (
    "Simple", "Conditional", "Weighted", "RoundRobin", "LeastBusy", "LowestLatency", "LowestCost", "Fallback",
)  # fmt: skip
"""Jackfield's own strategies. Profiles are checked by these names even while the plugin that has them is off."""
PROXY_STRATEGIES = ExtensionPoint("jackfield_proxy_strategies", RoutingStrategy, folds=True)


PROXY_CONDITIONS = ExtensionPoint("jackfield_proxy_conditions", RoutingCondition, "type")
