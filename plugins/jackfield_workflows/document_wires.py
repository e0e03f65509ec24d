"""The wires of a document: `connections`, main wires only."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield.api.workflows import Wire
from jackfield_workflows.document_values import number
from jackfield_workflows.mistakes import Mistakes, member

MAX_INPUT = 255
"""The highest input index that a wire may lead to."""


@record
class Link:
    """One wire as written. input: None when the document names one that cannot be."""

    path: str
    source: str
    output: int
    target: str
    input: int | None


def links(connections: dict[str, Json], mistakes: Mistakes) -> Iterator[Link]:
    """Every main wire whose form is right, in document order; the others are added to the mistakes."""
    for source, kinds in connections.items():
        path = member("connections", source)
        if isinstance(kinds, dict):
            yield from _outputs(source, kinds.get("main"), f"{path}.main", mistakes)
        elif kinds is not None:
            mistakes.add(path, "The connections of a node must be an object such as {main: [[...]]}.")


def parse_wires(
    connections: dict[str, Json], nodes: Collection[str], mistakes: Mistakes
) -> dict[str, tuple[tuple[Wire, ...], ...]]:
    """Node name -> per output -> targets. Wires from or to a node that is not there are left out."""
    found: dict[str, list[list[Wire]]] = {}
    for link in links(connections, mistakes):
        if link.source in nodes and link.target in nodes and link.input is not None:
            outputs = found.setdefault(link.source, [])
            outputs.extend([] for _ in range(link.output + 1 - len(outputs)))
            outputs[link.output].append(Wire(link.target, link.input))
    return {source: tuple(tuple(targets) for targets in outputs) for source, outputs in found.items()}


def _outputs(source: str, outputs: Json, path: str, mistakes: Mistakes) -> Iterator[Link]:
    if outputs is None:
        return
    if not isinstance(outputs, list):
        mistakes.add(path, "The main connections of a node must be a list with one list of targets per output.")
        return
    for index, targets in enumerate(outputs):
        if isinstance(targets, list):
            yield from _targets(source, index, targets, f"{path}[{index}]", mistakes)
        elif targets is not None:
            mistakes.add(f"{path}[{index}]", "The connections of one output must be a list of targets, or null.")


def _targets(source: str, output: int, targets: list[Json], path: str, mistakes: Mistakes) -> Iterator[Link]:
    for index, target in enumerate(targets):
        place = f"{path}[{index}]"
        if isinstance(target, dict) and isinstance(name := target.get("node"), str):
            yield Link(place, source, output, name, _input(target.get("index")))
        elif target is not None:
            mistakes.add(place, "A target must be an object such as {node: name, type: main, index: 0}.")


def _input(value: Json) -> int | None:
    if value is None:
        return 0
    found = number(value)
    return int(found) if found is not None and 0 <= found <= MAX_INPUT else None
