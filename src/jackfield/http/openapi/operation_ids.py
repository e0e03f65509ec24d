"""The `operationId` of each operation: the name that generated clients give to the call.

Jackfield's own are the view's name, or the one that `@operation` gives; a test holds them unique. A stranger's has the
blueprint's name in front, so that no other plugin changes it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from quart import Quart
from werkzeug.routing import Rule

from jackfield.api.http import Operation
from jackfield.api.n8n_api import N8N_PREFIX

STRANGERS = "jackfield.strangers"
"""Key of the application's extensions: names of strangers' blueprints."""


def operation_ids(app: Quart, found: Iterable[tuple[Rule, str, Operation]]) -> Mapping[tuple[str, str], str]:
    """(rule, method) -> id. One that is taken gets a number."""
    strangers: Collection[str] = app.extensions.get(STRANGERS, ())
    named: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for rule, method, described in found:
        wanted = _wanted(rule, method, described, stranger=rule.endpoint.partition(".")[0] in strangers)
        name, number = wanted, 2
        while name in taken:
            name, number = f"{wanted}{number}", number + 1
        taken.add(name)
        named[rule.rule, method] = name
    return named


def _wanted(rule: Rule, method: str, described: Operation, *, stranger: bool) -> str:
    *blueprint, view = rule.endpoint.split(".")
    name = camel(described.operation_id or view)
    if stranger:
        name = camel(*blueprint, name)
    elif rule.rule.startswith(N8N_PREFIX):
        name = camel("n8n", name)
    return name if len(_methods(rule)) == 1 else camel(name, method.lower())


def _methods(rule: Rule) -> set[str]:
    return (rule.methods or set()) - {"HEAD", "OPTIONS"}


def camel(*parts: str) -> str:
    """`get_list` and `getList` are both `getList`; several parts are one word."""
    words = [word for part in parts for word in part.replace("-", "_").split("_") if word]
    first, *others = words
    return first[:1].lower() + first[1:] + "".join(word[:1].upper() + word[1:] for word in others)
