"""`proxy_config`: how a profile's proxy chooses the provider and model of a request. Source: docs/decisions.md,
'Proxies'.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    JsonValue,
    StringConstraints,
    Tag,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from jackfield.api.errors import InvalidInput
from jackfield.api.http import validation_details
from jackfield.api.jsontext import Json
from jackfield.api.proxy import PROXY_CONDITIONS, PROXY_STRATEGIES, STRATEGY_NAMES
from jackfield.api.records import record

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield.api.extensions import Given
    from jackfield.api.proxy import RoutingCondition

_BY_FOLDED = {name.casefold(): name for name in STRATEGY_NAMES}
MOST_RULES = 1000
Target = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*/\S+$", max_length=512)]
"""`<provider_id>/<model>`; a model's name may have slashes."""
Clock = Annotated[str, StringConstraints(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]


@record
class AddedKinds:
    """The kinds that plugins add. `strategies`: their names by those in lower case. `conditions`: by type."""

    strategies: Mapping[str, str] = field(default_factory=dict)
    conditions: Mapping[str, Given[RoutingCondition]] = field(default_factory=dict)

    @classmethod
    def of(cls, context: PluginContext) -> AddedKinds:
        strategies = {folded: given.value.name for folded, given in context.given(PROXY_STRATEGIES).items()}
        return cls(strategies, context.given(PROXY_CONDITIONS))


class _Part(BaseModel):
    # A misspelt key would silently make a condition true.
    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=True)


class TokenCount(_Part):
    type: Literal["token_count"]
    min: int | None = Field(None, ge=0)
    max: int | None = Field(None, ge=0)

    @model_validator(mode="after")
    def _bounded(self) -> TokenCount:
        if self.min is None and self.max is None:
            raise ValueError("give min, max or both")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("min must not be above max")
        return self


class HasTools(_Part):
    type: Literal["has_tools"]
    min_count: int | None = Field(None, ge=0)


class Bare(_Part):
    """Conditions that have nothing to set. `thinking_mode` is another spelling of `thinking`."""

    type: Literal["thinking", "thinking_mode", "image", "web_search", "background", "always"]


class ModelPattern(_Part):
    type: Literal["model_pattern"]
    pattern: str = Field(min_length=1, max_length=512)


class PathPattern(_Part):
    """pattern: a glob for the path that the client asks for, with `/v1`."""

    type: Literal["path"]
    pattern: str = Field(min_length=1, max_length=512, pattern=r"^[/*?\[]")


class SpokenDialect(_Part):
    type: Literal["dialect"]
    equals: Literal["anthropic", "chat", "responses", "gemini"]


class Header(_Part):
    type: Literal["header"]
    name: str = Field(pattern=r"^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$")
    equals: str = Field(max_length=8192)


class Time(_Part):
    """Local time of day, `HH:MM`; it may go over midnight."""

    type: Literal["time"]
    start: Clock = Field(alias="from")
    end: Clock = Field(alias="to")


class Script(_Part):
    """path: of a Rhai script in the folder `scripts`."""

    type: Literal["script"]
    path: str = Field(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$", max_length=256)


class Several(_Part):
    type: Literal["all", "any"]
    conditions: list[Condition] = Field(min_length=1, max_length=100)


class Not(_Part):
    type: Literal["not"]
    condition: Condition


class AddedCondition(BaseModel):
    """A condition of a plugin's, which says itself what is wrong with it."""

    model_config = ConfigDict(extra="allow", strict=True)
    __pydantic_extra__: dict[str, JsonValue]

    type: str = Field(min_length=1, max_length=128)

    @model_validator(mode="after")
    def _right(self, info: ValidationInfo) -> AddedCondition:
        kinds = info.context if isinstance(info.context, AddedKinds) else AddedKinds()
        found = kinds.conditions.get(self.type)
        if found is None:
            known = sorted({*_OWN, *kinds.conditions})
            raise ValueError(f"there is no condition {self.type}; use one of: {', '.join(known)}")
        try:
            problem = found.value.problem(self.model_dump(mode="json"))
        except Exception as exc:
            problem = f"the plugin {found.plugin} failed over it: {type(exc).__name__}: {exc}"
        if problem is not None:
            raise ValueError(problem)
        return self


_OWN = (
    "token_count", "has_tools", "thinking", "thinking_mode", "image", "web_search", "background", "always",
    "model_pattern", "path", "dialect", "header", "time", "script", "all", "any", "not",
)  # fmt: skip


_UNION = re.compile(r"((?:\.condition|\.conditions\[\d+\]))\.(?:own\.[a-z_]+|added)(?=\.|$)")
"""The parts that the model puts into a path beside the names of fields, to tell which kind of condition it means."""


def _tag(given: object) -> Literal["own", "added"]:
    kind = given.get("type") if isinstance(given, dict) else getattr(given, "type", None)
    return "own" if kind in _OWN else "added"


Own = Annotated[
    TokenCount | HasTools | Bare | ModelPattern | PathPattern | SpokenDialect | Header | Time | Script | Several | Not,
    Field(discriminator="type"),
]
Condition = Annotated[
    Annotated[Own, Tag("own")] | Annotated[AddedCondition, Tag("added")],
    Discriminator(_tag),
]


class RuleConfig(_Part):
    """priority: the highest first. weight: its share under `Weighted`. fallback: only when the others have failed."""

    name: str = Field(min_length=1, max_length=128)
    condition: Condition
    target: Target
    priority: int = Field(0, ge=-1_000_000, le=1_000_000)
    weight: float | None = Field(None, ge=0, le=1_000_000, allow_inf_nan=False)
    fallback: bool = False


class StickyConfig(_Part):
    """ttl: seconds without a request after which a conversation may change its target."""

    ttl: float = Field(300.0, ge=1, le=86_400, allow_inf_nan=False)


class Routing(_Part):
    strategy: str = "Conditional"
    rules: list[RuleConfig] = Field(default_factory=list, max_length=MOST_RULES)
    sticky: bool | StickyConfig = False

    @field_validator("strategy")
    @classmethod
    def _known(cls, value: str, info: ValidationInfo) -> str:
        kinds = info.context if isinstance(info.context, AddedKinds) else AddedKinds()
        found = _BY_FOLDED.get(value.replace("_", "").casefold()) or kinds.strategies.get(value.lower())
        if found is None:
            raise ValueError(f"use one of: {', '.join(dict.fromkeys([*STRATEGY_NAMES, *kinds.strategies.values()]))}")
        return found

    @field_validator("rules")
    @classmethod
    def _told_apart(cls, value: list[RuleConfig]) -> list[RuleConfig]:
        names = [rule.name for rule in value]
        if len(set(names)) < len(names):
            raise ValueError("two rules have one name")
        return value


class ProviderLimits(_Part):
    """max_concurrent: requests in flight to the provider; queue: how many more may wait; queue_timeout: for how long,
    seconds."""

    max_concurrent: int = Field(ge=1, le=100_000)
    queue: int = Field(64, ge=0, le=100_000)
    queue_timeout: float = Field(30.0, ge=0, le=3600, allow_inf_nan=False)


class BudgetConfig(_Part):
    """usd: dollars by the price list; tokens: of all kinds."""

    usd: float | None = Field(None, gt=0, le=1e9, allow_inf_nan=False)
    tokens: int | None = Field(None, ge=1, le=10**15)

    @model_validator(mode="after")
    def _limited(self) -> BudgetConfig:
        if self.usd is None and self.tokens is None:
            raise ValueError("give usd, tokens or both")
        return self


class BudgetsConfig(_Part):
    """Of a day and of a month, in local time."""

    day: BudgetConfig | None = None
    month: BudgetConfig | None = None


class ProxyConfig(_Part):
    """port: None is any free one. providers: limits by provider."""

    enabled: bool = True
    port: int | None = Field(None, ge=1, le=65_535)
    routing: Routing = Field(default_factory=Routing)
    model_aliases: dict[Annotated[str, StringConstraints(min_length=1, max_length=256)], Target] = Field(
        default_factory=dict, max_length=MOST_RULES
    )
    providers: dict[Annotated[str, StringConstraints(min_length=1, max_length=128)], ProviderLimits] = Field(
        default_factory=dict, max_length=MOST_RULES
    )
    budgets: BudgetsConfig = Field(default_factory=BudgetsConfig)


Several.model_rebuild()
Not.model_rebuild()


def checked(config: Mapping[str, Json], kinds: AddedKinds | None = None) -> dict[str, Json]:
    """The configuration as it is stored: with its defaults, and strategies in their own spelling. Raises
    `InvalidInput` that names the field."""
    try:
        found = ProxyConfig.model_validate(config, context=kinds)
    except ValidationError as exc:
        details = {
            "proxy_config." + _UNION.sub(r"\1", path): reason.removeprefix("Value error, ")
            for path, reason in validation_details(exc).items()
        }
        told = "; ".join(f"{path}: {reason}" for path, reason in list(details.items())[:3])
        raise InvalidInput(
            f"The proxy's configuration is not valid: {told}.", code="PROXY_CONFIG_INVALID", details=details
        ) from None
    stored: dict[str, Json] = found.model_dump(mode="json", by_alias=True, exclude_unset=True)
    routing = found.routing.model_dump(mode="json", by_alias=True, exclude_unset=True)
    for rule in routing.get("rules", []):
        rule.setdefault("priority", 0)
    return {
        **stored,
        "enabled": found.enabled,
        "port": found.port,
        "routing": {**routing, "strategy": found.routing.strategy, "rules": routing.get("rules", [])},
        "model_aliases": dict(found.model_aliases),
    }
