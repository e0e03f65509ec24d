"""The wires of a document: `connections`; main wires, and those from a node's parts to the node."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield.api.workflows import MAIN, PARTS, AttachedWire, Wire
from jackfield_workflows.documents.mistakes import Mistakes, member
from jackfield_workflows.documents.values import number

MAX_INPUT = 255
"""The highest input index that a wire may lead to."""


@record
class DocumentLink:
    """One wire as written. input: None when the document names one that cannot be."""

    path: str
    source: str
    output: int
    target: str
    input: int | None
    kind: str = MAIN


def links(connections: dict[str, Json], mistakes: Mistakes) -> Iterator[DocumentLink]:
    """Every wire whose form is right, in document order; the others are added to the mistakes."""
    for source, kinds in connections.items():
        path = member("connections", source)
        if isinstance(kinds, dict):
            for kind, outputs in kinds.items():
                if kind == MAIN or kind.startswith(PARTS):
                    yield from _outputs(source, kind, outputs, member(path, kind), mistakes)
        elif kinds is not None:
            mistakes.add(path, "The connections of a node must be an object such as {main: [[...]]}.")


def parse_wires(found_links: Iterable[DocumentLink], nodes: Collection[str]) -> dict[str, tuple[tuple[Wire, ...], ...]]:
    """Node name -> per output -> targets. Wires from or to a node that is not there are left out."""
    found: dict[str, list[list[Wire]]] = {}
    for link in found_links:
        if link.kind == MAIN and link.source in nodes and link.target in nodes and link.input is not None:
            outputs = found.setdefault(link.source, [])
            outputs.extend([] for _ in range(link.output + 1 - len(outputs)))
            outputs[link.output].append(Wire(link.target, link.input))
    return {source: tuple(tuple(targets) for targets in outputs) for source, outputs in found.items()}


def parse_attached(found_links: Iterable[DocumentLink], nodes: Collection[str]) -> dict[str, tuple[AttachedWire, ...]]:
    """Node name -> its parts. Wires from or to a node that is not there, or to itself, are left out."""
    found: dict[str, list[AttachedWire]] = {}
    for link in found_links:
        if link.kind == MAIN or link.source not in nodes or link.target not in nodes or link.input is None:
            continue
        part = AttachedWire(link.kind, link.source, link.input)
        if link.source != link.target and part not in found.setdefault(link.target, []):
            found[link.target].append(part)
    return {target: tuple(parts) for target, parts in found.items() if parts}


def _outputs(source: str, kind: str, outputs: Json, path: str, mistakes: Mistakes) -> Iterator[DocumentLink]:
    if outputs is None:
        return
    if not isinstance(outputs, list):
        mistakes.add(path, f"The {kind} connections of a node must be a list with one list of targets per output.")
        return
    for index, targets in enumerate(outputs):
        if isinstance(targets, list):
            yield from _targets(source, kind, index, targets, f"{path}[{index}]", mistakes)
        elif targets is not None:
            mistakes.add(f"{path}[{index}]", "The connections of one output must be a list of targets, or null.")


def _targets(
    source: str, kind: str, output: int, targets: list[Json], path: str, mistakes: Mistakes
) -> Iterator[DocumentLink]:
    for index, target in enumerate(targets):
        place = f"{path}[{index}]"
        if isinstance(target, dict) and isinstance(name := target.get("node"), str):
            yield DocumentLink(place, source, output, name, _input(target.get("index")), kind)
        elif target is not None:
            mistakes.add(place, "A target must be an object such as {node: name, type: main, index: 0}.")


def _input(value: Json) -> int | None:
    if value is None:
        return 0
    found = number(value)
    return int(found) if found is not None and 0 <= found <= MAX_INPUT else None
