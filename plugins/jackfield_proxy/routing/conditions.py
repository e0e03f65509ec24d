"""Conditions of rules: pure functions of the stored condition and the attributes of a request. `all`, `any`, `not` and
`script` belong to the language of rules (`kinds`), the others are given through `jackfield_proxy_conditions`.

Source: docs/decisions.md, 'Proxies'.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias, cast

from jackfield.api.jsontext import Json
from jackfield.api.proxy import RequestAttributes
from jackfield.api.records import record

Stored: TypeAlias = "Mapping[str, Json]"
Check: TypeAlias = "Callable[[Stored, RequestAttributes], bool]"


@record
class BuiltInCondition:
    """`jackfield.api.proxy.RoutingCondition`."""

    type: str
    check: Check

    def problem(self, condition: Stored) -> str | None:
        """The profile's own model knows the fields of these types, and has looked at them."""
        return None

    def holds(self, condition: Stored, attributes: RequestAttributes) -> bool:
        return self.check(condition, attributes)


def _token_count(condition: Stored, attributes: RequestAttributes) -> bool:
    least, most = condition.get("min"), condition.get("max")
    return (not isinstance(least, int) or attributes.tokens >= least) and (
        not isinstance(most, int) or attributes.tokens <= most
    )


def _has_tools(condition: Stored, attributes: RequestAttributes) -> bool:
    least = condition.get("min_count")
    return attributes.tools >= (least if isinstance(least, int) else 1)


def _model_pattern(condition: Stored, attributes: RequestAttributes) -> bool:
    return fnmatch.fnmatchcase(attributes.model, str(condition.get("pattern", "")))


def _header(condition: Stored, attributes: RequestAttributes) -> bool:
    return attributes.headers.get(str(condition.get("name", "")).lower()) == condition.get("equals")


def _path(condition: Stored, attributes: RequestAttributes) -> bool:
    return fnmatch.fnmatchcase(attributes.path, str(condition.get("pattern", "")))


def _dialect(condition: Stored, attributes: RequestAttributes) -> bool:
    return attributes.dialect == condition.get("equals")


def _time(condition: Stored, attributes: RequestAttributes) -> bool:
    """From inclusive, to exclusive; over midnight when `from` is the later one."""
    start, end = _minute(condition.get("from")), _minute(condition.get("to"))
    if start <= end:
        return start <= attributes.minute < end
    return attributes.minute >= start or attributes.minute < end


def _minute(clock: Json) -> int:
    hours, _, minutes = str(clock).partition(":")
    return int(hours) * 60 + int(minutes) if hours.isdecimal() and minutes.isdecimal() else 0


def inner(condition: Stored) -> Sequence[Stored]:
    found = condition.get("conditions")
    return cast("Sequence[Stored]", [one for one in found if isinstance(one, dict)] if isinstance(found, list) else [])


def _thinks(_condition: Stored, attributes: RequestAttributes) -> bool:
    return attributes.thinking


CONDITIONS = (
    BuiltInCondition("always", lambda _, __: True),
    BuiltInCondition("token_count", _token_count),
    BuiltInCondition("has_tools", _has_tools),
    BuiltInCondition("thinking", _thinks),
    BuiltInCondition("thinking_mode", _thinks),
    BuiltInCondition("model_pattern", _model_pattern),
    BuiltInCondition("image", lambda _, attributes: attributes.image),
    BuiltInCondition("web_search", lambda _, attributes: attributes.web_search),
    BuiltInCondition("background", lambda _, attributes: attributes.background),
    BuiltInCondition("header", _header),
    BuiltInCondition("time", _time),
    BuiltInCondition("path", _path),
    BuiltInCondition("dialect", _dialect),
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


def names_path(condition: Stored) -> bool:
    """Whether it, or something within it, looks at the path."""
    return any(one.get("type") == "path" for one in nested(condition))
