"""How an act is named that a route stands for: `workflow.create`, `workflow.activate`, `data-table.row.delete`.

The name follows from method and path, so that no route is without one. A route that needs another says so with
`@operation(act=...)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_PARAMETER = re.compile(r"<(?:[^:<>]+:)?([^<>]+)>")
_PREFIXES = frozenset({"api", "v1", "n8n"})
_VERBS: Mapping[str, str] = {"POST": "create", "PUT": "update", "PATCH": "update", "DELETE": "delete", "GET": "read"}
_SPOKEN = frozenset({"clear", "update", "delete", "transfer", "restore"})
"""Of other methods than POST: where the path ends with one of them, that is the verb."""
_WHOLE = frozenset({"status", "files-access", "settings", "insights", "auth", "kubernetes"})
"""Words that end with an s and are no plural."""


def act_of(method: str, rule: str) -> str:
    """rule: of the router, such as `/api/v1/workflows/<workflow_id>/activate`."""
    segments = [part for part in rule.split("/") if part and part not in _PREFIXES]
    words = [part for part in segments if not _PARAMETER.fullmatch(part)]
    if not words:
        return f"daemon.{_VERBS.get(method, method.lower())}"
    last = segments[-1]
    if method != "POST" and last in _SPOKEN and len(words) > 1:
        return ".".join([*map(_singular, words[:-1]), last])
    if method == "POST" and last != words[-1]:  # to something that is there: it is asked, or spoken to
        return ".".join([*map(_singular, words), "answer"])
    if method == "POST" and len(words) > 1 and last == words[-1] and not _is_plural(last):
        return ".".join([*map(_singular, words[:-1]), last])
    return ".".join([*map(_singular, words), _VERBS.get(method, method.lower())])


def kind_of(act: str) -> str:
    """Of the thing that an act is about: all but the verb."""
    return act.rpartition(".")[0]


def parameters_of(rule: str) -> Sequence[str]:
    """Names in their order."""
    return _PARAMETER.findall(rule)


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith("ss") and word not in _WHOLE


def _singular(word: str) -> str:
    if not _is_plural(word):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("xes", "sses")) else word[:-1]
