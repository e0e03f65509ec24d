"""The texts of an item, as documents. Source: n8n's JSON loader, which makes a document of each text in the item."""

from __future__ import annotations

from collections.abc import Iterator

from jackfield.api.ai import Document
from jackfield.api.jsontext import Json


def texts_of(value: Json) -> list[Document]:
    """A document for each text in it, at any depth, in their order; numbers and empty texts are none. Where there are
    several, `line` counts them."""
    texts = list(_texts(value))
    source: dict[str, Json] = {"source": "blob", "blobType": "application/json"}
    if len(texts) == 1:
        return [Document(texts[0], source)]
    return [Document(text, {**source, "line": place}) for place, text in enumerate(texts, 1)]


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
