"""A workflow document taken apart into units: nodes, wires and settings, each by a key that outlives a renaming."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

from jackfield.api.json_values import Json
from jackfield.api.records import record

Document: TypeAlias = "Mapping[str, Any]"  # JSON
Place: TypeAlias = tuple[str, str, str, int]
PIN = "pinData"
_INNER = "settings."
_APART = frozenset({"nodes", "connections", PIN, "settings"})
_STORED = frozenset({"id", "version", "versionId", "active", "attention", "tags", "createdAt", "updatedAt"})
"""Keys that are the store's."""


@record
class WireUnit:
    """source, target: keys of nodes; kind: of the output, such as `main`; into: of the input."""

    kind: str
    source: str
    output: int
    target: str
    input: int
    into: str

    @property
    def id(self) -> str:
        into = "" if self.into == self.kind else f":{self.into}"
        return f"wire:{self.kind}:{self.source}:{self.output}>{self.target}:{self.input}{into}"

    @property
    def places(self) -> tuple[Place, Place]:
        """The output by which it leaves, and the input by which it comes in: wires that share one lie beside each
        other."""
        return ("out", self.kind, self.source, self.output), ("in", self.into, self.target, self.input)

    def is_at(self, nodes: Collection[str]) -> bool:
        return self.source in nodes or self.target in nodes


@record
class Units:
    """nodes: key -> the node as it stands in the document, with its pinned data under `pinData`; settings: path ->
    value."""

    nodes: Mapping[str, Mapping[str, Json]]
    wires: Mapping[str, WireUnit]
    settings: Mapping[str, Json]

    def name(self, key: str) -> str:
        """Of a node; of one that is not there, its key."""
        node = self.nodes.get(key)
        return key if node is None else str(node.get("name"))


def units_of(document: Document) -> Units:
    keyed = _keyed(document)
    by_name = {str(node.get("name")): key for key, node in keyed.items()}
    pins = document.get(PIN)
    pinned = pins if isinstance(pins, dict) else {}
    nodes = {
        key: {**node, PIN: pinned[node["name"]]} if node.get("name") in pinned else dict(node)
        for key, node in keyed.items()
    }
    wires = {wire.id: wire for wire in _wires(document, by_name)}
    return Units(nodes, wires, dict(_settings(document)))


def _keyed(document: Document) -> dict[str, dict[str, Json]]:
    """By the id, where it is the node's alone, else by the name."""
    found = document.get("nodes")
    nodes = [node for node in found if isinstance(node, dict)] if isinstance(found, list) else []
    ids = Counter(node["id"] for node in nodes if _has_id(node))
    return {node["id"] if _has_id(node) and ids[node["id"]] == 1 else str(node.get("name")): node for node in nodes}


def _has_id(node: Mapping[str, Json]) -> bool:
    return isinstance(node.get("id"), str) and bool(node["id"])


def _wires(document: Document, keys: Mapping[str, str]) -> Iterator[WireUnit]:
    for source, kinds in _objects(document.get("connections")):
        for kind, outputs in _objects(kinds):
            for output, targets in enumerate(outputs if isinstance(outputs, list) else ()):
                for target in targets if isinstance(targets, list) else ():
                    if isinstance(target, dict):
                        to, index = str(target.get("node")), target.get("index", 0)
                        yield WireUnit(
                            kind,
                            keys.get(source, source),
                            output,
                            keys.get(to, to),
                            index if isinstance(index, int) else 0,
                            str(target.get("type", kind)),
                        )


def _objects(value: Any) -> Iterator[tuple[str, Any]]:  # JSON
    yield from value.items() if isinstance(value, dict) else ()


def _settings(document: Document) -> Iterator[tuple[str, Json]]:
    for key, value in document.items():
        if key == "settings":
            yield from ((_INNER + name, inner) for name, inner in _objects(value))
        elif key not in _APART and key not in _STORED:
            yield key, value


def document_of(units: Units, order: Sequence[str], like: Document) -> dict[str, Json]:
    """The document that has these units, its nodes in this order. `like`: whose keys, wires and outputs without wires
    stay as they are where nothing says otherwise."""
    nodes = [dict(units.nodes[key]) for key in order]
    pins = {str(node["name"]): node.pop(PIN) for node in nodes if PIN in node}
    made = {path: value for path, value in units.settings.items() if not path.startswith(_INNER)}
    made["nodes"] = cast("Json", nodes)
    made["connections"] = cast("Json", _connections(units, like))
    inner = {path.removeprefix(_INNER): value for path, value in units.settings.items() if path.startswith(_INNER)}
    if inner or isinstance(like.get("settings"), dict):
        made["settings"] = inner
    if pins or isinstance(like.get(PIN), dict):
        made[PIN] = pins
    return made


def _connections(units: Units, like: Document) -> dict[str, Any]:
    before = units_of(like)
    names = {key: units.name(key) for key in units.nodes}
    if before.wires.keys() == units.wires.keys() and all(before.name(key) == name for key, name in names.items()):
        found = like.get("connections")
        if isinstance(found, dict):
            return dict(found)
    made: dict[str, dict[str, list[list[dict[str, Json]]]]] = {}
    for wire in units.wires.values():
        outputs = made.setdefault(names.get(wire.source, wire.source), {}).setdefault(wire.kind, [])
        while len(outputs) <= wire.output:
            outputs.append([])
        to = names.get(wire.target, wire.target)
        outputs[wire.output].append({"node": to, "type": wire.into, "index": wire.input})
    return made


def without_stored(document: Document) -> dict[str, Json]:
    """Without the keys that the store adds to a workflow."""
    return {key: value for key, value in document.items() if key not in _STORED}
