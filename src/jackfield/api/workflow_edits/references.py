"""Names of nodes in expressions. Source: n8n's expression language: `$('Name')`, `$node["Name"]`, `$node.Name`,
`$items("Name")`."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

_PLAIN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


def renamed(value: Any, name: str, to: str) -> Any:  # JSON
    """The parameters with the other name in every text that is an expression, or code."""
    if isinstance(value, str):
        return _renamed(value, name, to) if "$" in value else value
    if isinstance(value, list):
        return [renamed(one, name, to) for one in value]
    if isinstance(value, dict):
        return {key: renamed(one, name, to) for key, one in value.items()}
    return value


def _renamed(text: str, name: str, to: str) -> str:
    for quote in ("'", '"', "`"):
        before = re.escape(_escaped(name, quote))
        after = _escaped(to, quote)
        begins = rf"(\$\(\s*|\$node\[\s*|\$items\(\s*){quote}{before}{quote}"
        put = f"{quote}{after}{quote}"
        text = re.sub(begins, partial(_replaced, put), text)
    if _PLAIN.fullmatch(name):
        text = re.sub(rf"\$node\.{re.escape(name)}(?![A-Za-z0-9_$])", lambda _: f"$node[{_quoted(to)}]", text)
    return text


def _replaced(put: str, found: re.Match[str]) -> str:
    return found[1] + put


def _escaped(name: str, quote: str) -> str:
    return name.replace("\\", "\\\\").replace(quote, "\\" + quote)


def _quoted(name: str) -> str:
    return '"' + _escaped(name, '"') + '"'
