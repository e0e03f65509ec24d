"""Conditions of rules: pure functions of the stored condition and the facts of a request.

Source: decisions.md 'Proxies' and section 4 'Proxy'.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias, cast

from jackfield.api.jsontext import Json
from jackfield_proxy.routing.facts import Facts

Condition: TypeAlias = "Mapping[str, Json]"
Check: TypeAlias = "Callable[[Condition, Facts], bool]"


def holds(condition: Condition, facts: Facts) -> bool:
    """A condition of a type that nobody knows does not hold."""
    check = CONDITIONS.get(str(condition.get("type")))
    return check is not None and check(condition, facts)


def _token_count(condition: Condition, facts: Facts) -> bool:
    least, most = condition.get("min"), condition.get("max")
    return (not isinstance(least, int) or facts.tokens >= least) and (not isinstance(most, int) or facts.tokens <= most)


def _has_tools(condition: Condition, facts: Facts) -> bool:
    least = condition.get("min_count")
    return facts.tools >= (least if isinstance(least, int) else 1)


def _model_pattern(condition: Condition, facts: Facts) -> bool:
    return fnmatch.fnmatchcase(facts.model, str(condition.get("pattern", "")))


def _header(condition: Condition, facts: Facts) -> bool:
    return facts.headers.get(str(condition.get("name", "")).lower()) == condition.get("equals")


def _time(condition: Condition, facts: Facts) -> bool:
    """From inclusive, to exclusive; over midnight when `from` is the later one."""
    start, end = _minute(condition.get("from")), _minute(condition.get("to"))
    if start <= end:
        return start <= facts.minute < end
    return facts.minute >= start or facts.minute < end


def _minute(clock: Json) -> int:
    hours, _, minutes = str(clock).partition(":")
    return int(hours) * 60 + int(minutes) if hours.isdecimal() and minutes.isdecimal() else 0


def _script(condition: Condition, facts: Facts) -> bool:
    return facts.scripts.get(str(condition.get("path")), False)


def _inner(condition: Condition) -> Sequence[Condition]:
    found = condition.get("conditions")
    return cast(
        "Sequence[Condition]", [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    )


def _not(condition: Condition, facts: Facts) -> bool:
    inner = condition.get("condition")
    return isinstance(inner, dict) and not holds(inner, facts)


CONDITIONS: Mapping[str, Check] = {
    "always": lambda _, __: True,
    "token_count": _token_count,
    "has_tools": _has_tools,
    "thinking": lambda _, facts: facts.thinking,
    "thinking_mode": lambda _, facts: facts.thinking,
    "model_pattern": _model_pattern,
    "image": lambda _, facts: facts.image,
    "web_search": lambda _, facts: facts.web_search,
    "background": lambda _, facts: facts.background,
    "header": _header,
    "time": _time,
    "script": _script,
    "all": lambda condition, facts: all(holds(one, facts) for one in _inner(condition)),
    "any": lambda condition, facts: any(holds(one, facts) for one in _inner(condition)),
    "not": _not,
}


def scripts_in(condition: Condition) -> Iterator[str]:
    """The paths of every script that it needs."""
    if condition.get("type") == "script":
        yield str(condition.get("path"))
    inner = condition.get("condition")
    for one in (*_inner(condition), *([inner] if isinstance(inner, dict) else [])):
        yield from scripts_in(one)
