"""Conditions of rules: pure functions of the stored condition and the facts of a request. `all`, `any`, `not` and
`script` belong to the language of rules (`kinds`), the others are given through `jackfield_proxy_conditions`.

Source: docs/decisions.md, 'Proxies'.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias, cast

from jackfield.api.jsontext import Json
from jackfield.api.proxy import RequestFacts
from jackfield.api.records import record

Stored: TypeAlias = "Mapping[str, Json]"
Check: TypeAlias = "Callable[[Stored, RequestFacts], bool]"


@record
class BuiltInCondition:
    """`jackfield.api.proxy.RoutingCondition`."""

    type: str
    check: Check

    def problem(self, condition: Stored) -> str | None:
        """The profile's own model knows the fields of these types, and has looked at them."""
        return None

    def holds(self, condition: Stored, facts: RequestFacts) -> bool:
        return self.check(condition, facts)


def _token_count(condition: Stored, facts: RequestFacts) -> bool:
    least, most = condition.get("min"), condition.get("max")
    return (not isinstance(least, int) or facts.tokens >= least) and (not isinstance(most, int) or facts.tokens <= most)


def _has_tools(condition: Stored, facts: RequestFacts) -> bool:
    least = condition.get("min_count")
    return facts.tools >= (least if isinstance(least, int) else 1)


def _model_pattern(condition: Stored, facts: RequestFacts) -> bool:
    return fnmatch.fnmatchcase(facts.model, str(condition.get("pattern", "")))


def _header(condition: Stored, facts: RequestFacts) -> bool:
    return facts.headers.get(str(condition.get("name", "")).lower()) == condition.get("equals")


def _time(condition: Stored, facts: RequestFacts) -> bool:
    """From inclusive, to exclusive; over midnight when `from` is the later one."""
    start, end = _minute(condition.get("from")), _minute(condition.get("to"))
    if start <= end:
        return start <= facts.minute < end
    return facts.minute >= start or facts.minute < end


def _minute(clock: Json) -> int:
    hours, _, minutes = str(clock).partition(":")
    return int(hours) * 60 + int(minutes) if hours.isdecimal() and minutes.isdecimal() else 0


def inner(condition: Stored) -> Sequence[Stored]:
    found = condition.get("conditions")
    return cast("Sequence[Stored]", [one for one in found if isinstance(one, dict)] if isinstance(found, list) else [])


def _thinks(_condition: Stored, facts: RequestFacts) -> bool:
    return facts.thinking


CONDITIONS = (
    BuiltInCondition("always", lambda _, __: True),
    BuiltInCondition("token_count", _token_count),
    BuiltInCondition("has_tools", _has_tools),
    BuiltInCondition("thinking", _thinks),
    BuiltInCondition("thinking_mode", _thinks),
    BuiltInCondition("model_pattern", _model_pattern),
    BuiltInCondition("image", lambda _, facts: facts.image),
    BuiltInCondition("web_search", lambda _, facts: facts.web_search),
    BuiltInCondition("background", lambda _, facts: facts.background),
    BuiltInCondition("header", _header),
    BuiltInCondition("time", _time),
)


def nested(condition: Stored) -> Iterator[Stored]:
    """It and everything within it."""
    yield condition
    negated = condition.get("condition")
    for one in (*inner(condition), *([negated] if isinstance(negated, dict) else [])):
        yield from nested(one)


def scripts_in(condition: Stored) -> Iterator[str]:
    """The paths of every script that it needs."""
    return (str(one.get("path")) for one in nested(condition) if one.get("type") == "script")
