"""The databases that memories and vector stores of this plugin keep their things in."""

from __future__ import annotations

import re
from collections.abc import Mapping

from jackfield.api.context import PluginContext
from jackfield.api.databases import DatabaseConnections
from jackfield.api.nodes import NodeError, NodeUnavailable

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")


def databases(context: PluginContext) -> DatabaseConnections:
    """Raises `NodeUnavailable`."""
    found = context.find_port(DatabaseConnections)
    if found is None:
        raise NodeUnavailable("Databases are reached through the plugin integrations, which is switched off.")
    return found


def quoted_table(name: str, field: str) -> str:
    """A table's name, with or without its schema, as n8n has it in SQL: in lower case and quoted. Raises `NodeError`
    naming the parameter."""
    parts = name.split(".")
    if len(parts) > 2 or not all(_IDENTIFIER.fullmatch(part) for part in parts):
        raise NodeError(
            f"The parameter {field} is {name[:100]!r}; a table's name has letters, digits and _, and may follow its "
            "schema and a dot."
        )
    return ".".join(f'"{part.lower()}"' for part in parts)


def quoted_column(name: str, field: str) -> str:
    """Raises `NodeError` naming the parameter."""
    if not _IDENTIFIER.fullmatch(name):
        raise NodeError(f"The parameter {field} is {name[:100]!r}; a column's name has letters, digits and _.")
    return f'"{name}"'


def member(value: object, *names: str) -> object:
    """The value at the path of an answer; None where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
