"""`jackfield plugins nodes`: the node types that are installed here, or those of the daemon that is named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from jackfield.api.daemon import daemon_elsewhere
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCatalog

from .runtime import Runtime

COLUMNS = ("KIND", "NAME", "GROUP", "WHAT IT DOES")
_NAMES = ("kind", "displayName", "group", "description", "available", "missing")
_PATH = "/api/v1/node-types?schemas=false&unavailable=true"


def listed(runtime: Runtime, config_dir: Path | None, *, unavailable: bool) -> list[dict[str, Json]]:
    """By kind, with the names of the API. unavailable: with those that cannot run. Raises `ConfigurationError`, and
    what the daemon that is named refuses with."""
    if (daemon := daemon_elsewhere(runtime.config_dir(config_dir))) is not None:
        rows = [{name: row.get(name) for name in _NAMES} for row in daemon.ask("GET", _PATH).data]
    else:
        made = runtime.remembered("nodes", None, config_dir, lambda: cast("Json", _here(runtime, config_dir)))
        rows = cast("list[dict[str, Json]]", made)
    return [row for row in rows if unavailable or row["available"]]


def _here(runtime: Runtime, config_dir: Path | None) -> list[dict[str, Json]]:
    catalog = runtime.kernel(config_dir).context("plugins").port(NodeCatalog)
    rows: list[dict[str, Json]] = []
    for node_type in sorted(catalog.outlines(), key=lambda one: one.kind):
        told = node_type.description
        values = (node_type.kind, told.display_name, told.group, told.summary, not told.missing, told.missing)
        rows.append(dict(zip(_NAMES, values, strict=True)))
    return rows


def rows(found: Sequence[dict[str, Json]]) -> list[tuple[str, ...]]:
    """A row of `COLUMNS` for each."""
    return [
        (
            str(row["kind"]),
            str(row["displayName"]),
            str(row["group"]),
            str(row["description"]) if row["available"] else f"Cannot run: {row['missing']}",
        )
        for row in found
    ]
