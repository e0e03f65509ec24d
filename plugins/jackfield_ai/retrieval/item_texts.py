"""Texts as documents, with what n8n notes of where they come from. Sources: its JSON loader, which makes a document of
each text in an item, and LangChain.js' splitters, which count lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jackfield.api.ai import Document
from jackfield.api.jsontext import Json


def texts_of(value: Json) -> list[Document]:
    """A document for each text in it, at any depth, in their order; numbers and empty texts are none. Where there are
    several, `line` counts them."""
    return numbered(list(_texts(value)))


def numbered(texts: Sequence[str], media_type: str = "application/json") -> list[Document]:
    """A document for each of them, as they stand in one piece of JSON, or of another type."""
    source: dict[str, Json] = {"source": "blob", "blobType": media_type}
    if len(texts) == 1:
        return [Document(texts[0], source)]
    return [Document(text, {**source, "line": place}) for place, text in enumerate(texts, 1)]


def whole(text: str, media_type: str) -> Document:
    """A text that is one document."""
    return Document(text, {"source": "blob", "blobType": media_type})


def in_pieces(document: Document, pieces: Sequence[str]) -> list[Document]:
    """The document's pieces, in their order; `loc.lines` says from which line to which each one goes."""
    text = document.text
    made: list[Document] = []
    place_of = document.metadata.get("loc")
    known = place_of if isinstance(place_of, dict) else {}
    line, start, end = 1, -1, 0
    for piece in pieces:
        place = text.find(piece, start + 1)  # -1 counts from the end, there as here
        if end < place or not made:
            line += text[end:place].count("\n")
        else:
            line -= text[place:end].count("\n")
        last = line + piece.count("\n")
        lines: dict[str, Json] = {"from": line, "to": last}
        made.append(Document(piece, {**document.metadata, "loc": {**known, "lines": lines}}))
        line, start, end = last, place, place + len(piece)
    return made


def _texts(value: Json) -> Iterator[str]:
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            if found:
                yield found
        elif isinstance(found, dict):
            waiting += list(found.values())[::-1]
        elif isinstance(found, list):
            waiting += found[::-1]
