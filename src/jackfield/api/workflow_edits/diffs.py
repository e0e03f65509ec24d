"""The differences between two versions of a workflow document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ..json_values import Json

_MOST = 200
"""Changes of one node that are listed."""
_LOOKS = frozenset({"position"})
_NODES = "nodes"
_OWN = frozenset(
    {"id", "version", "active", "createdAt", "updatedAt", "attention", "tags", "nodes", "connections", "pinData"}
)
"""Keys that are the store's, or are compared by themselves."""


def difference(before: Mapping[str, Json], after: Mapping[str, Json]) -> dict[str, Json]:
    """Nodes that were added, removed and changed, wires, and other keys. A node that was renamed is found by its id."""
    old, new = _by_name(before), _by_name(after)
    moved = _renames(old, new)
    changed: list[Json] = []
    for name, node in new.items():
        former = old.get(moved.get(name, name))
        if former is not None and (found := _changes(former, node)):
            changed.append({"node": name, "changes": cast("Json", found[:_MOST])})
    wires_before, wires_after = _wires(before, {was: name for name, was in moved.items()}), _wires(after, {})
    keys = [key for key in {**before, **after} if key not in _OWN and before.get(key) != after.get(key)]
    return {
        "added": cast("Json", [name for name in new if name not in old and name not in moved]),
        "removed": cast("Json", [name for name in old if name not in new and name not in moved.values()]),
        "renamed": [{"from": was, "to": name} for name, was in moved.items()],
        "changed": changed,
        "wiresAdded": cast("Json", sorted(wires_after - wires_before)),
        "wiresRemoved": cast("Json", sorted(wires_before - wires_after)),
        "pinData": before.get("pinData") != after.get("pinData"),
        "other": [{"key": key, "before": before.get(key), "after": after.get(key)} for key in sorted(keys)],
    }


def _by_name(document: Mapping[str, Json]) -> dict[str, dict[str, Json]]:
    found = document.get(_NODES)
    nodes = found if isinstance(found, list) else []
    return {str(node.get("name")): node for node in nodes if isinstance(node, dict)}


def _renames(old: Mapping[str, dict[str, Json]], new: Mapping[str, dict[str, Json]]) -> dict[str, str]:
    """New name -> old name."""
    by_id = {str(node["id"]): name for name, node in old.items() if node.get("id")}
    return {
        name: was
        for name, node in new.items()
        if name not in old and (was := by_id.get(str(node.get("id")))) is not None and was not in new
    }


def _changes(before: Mapping[str, Json], after: Mapping[str, Json]) -> list[dict[str, Json]]:
    found: list[dict[str, Json]] = []
    _compare("", {**before, "name": None}, {**after, "name": None}, found)
    return found


def _compare(path: str, before: Any, after: Any, found: list[dict[str, Json]]) -> None:  # JSON
    if before == after or len(found) > _MOST:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in {**before, **after}:
            if path or key not in _LOOKS:
                _compare(f"{path}.{key}" if path else key, before.get(key), after.get(key), found)
        return
    found.append({"path": path, "before": before, "after": after})


def _wires(document: Mapping[str, Json], renames: Mapping[str, str]) -> set[str]:
    """Each wire in words, names as they are now."""
    found: set[str] = set()
    sources = document.get("connections")
    for source, kinds in sources.items() if isinstance(sources, dict) else ():
        for kind, outputs in kinds.items() if isinstance(kinds, dict) else ():
            for output, targets in enumerate(outputs if isinstance(outputs, list) else ()):
                for target in targets if isinstance(targets, list) else ():
                    if isinstance(target, dict):
                        to = str(target.get("node"))
                        ends = f"{renames.get(source, source)}[{output}] -> {renames.get(to, to)}"
                        found.add(f"{ends}[{target.get('index', 0)}] ({kind})")
    return found
