"""By which words of a document a workflow is found, beside its name and its tags."""

from __future__ import annotations

from collections.abc import Iterator

from .jsontext import Json
from .workflows import Document, local_type

LONGEST = 16_384
"""Characters of one workflow that are searched."""


def words_of(document: Document) -> str:
    """Names, types and notes of the nodes and the texts of sticky notes, one a line and in folded case. Values of other
    parameters are left out: a search must not tell what is in them."""
    return "\n".join(_words(document))[:LONGEST].casefold()


def _words(document: Document) -> Iterator[str]:
    nodes = document.get("nodes")
    for node in nodes if isinstance(nodes, list) else []:
        if not isinstance(node, dict):
            continue
        kind = local_type(_text(node.get("type")))
        parameters = node.get("parameters")
        note = parameters.get("content") if kind == "stickyNote" and isinstance(parameters, dict) else None
        yield from (text for text in (_text(node.get("name")), kind, _text(node.get("notes")), _text(note)) if text)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
