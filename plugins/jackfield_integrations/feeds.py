"""Reads feeds. The names of the fields are those of n8n's node."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from io import BytesIO
from time import struct_time
from typing import Any

import feedparser

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError

_TAG = re.compile(r"<[^>]*>")
_NOT_A_FEED = "The answer is not a feed; check the URL."

Entry = Mapping[str, Any]
"""The values that feedparser makes of an entry: texts, lists and objects, by name."""


def entries(body: bytes, content_type: str, custom: Sequence[str]) -> list[dict[str, Json]]:
    """One row per entry. Raises `NodeError` for what is no feed.

    The body is given as a stream: feedparser takes a text for a URL, and a text or bytes for a file's name to open.
    """
    parsed = feedparser.parse(
        BytesIO(body), response_headers={"content-type": content_type} if content_type else {}, sanitize_html=False
    )
    if not parsed.get("version") and not parsed.entries:
        raise NodeError(_NOT_A_FEED)
    return [_row(entry, custom) for entry in parsed.entries]


def _row(entry: Entry, custom: Sequence[str]) -> dict[str, Json]:
    content = _content(entry)
    made: dict[str, Json] = {
        "creator": entry.get("author"),
        "author": entry.get("author"),
        "title": entry.get("title"),
        "link": entry.get("link"),
        "pubDate": entry.get("published") or entry.get("updated"),
        "content": content,
        "contentSnippet": None if content is None else _snippet(content),
        "summary": entry.get("summary"),
        "comments": entry.get("comments"),
        "guid": entry.get("id"),
        "id": entry.get("id"),
        "categories": [str(tag.get("term")) for tag in entry.get("tags", ()) if tag.get("term")] or None,
        "enclosure": _enclosure(entry),
        "isoDate": _iso(entry.get("published_parsed") or entry.get("updated_parsed")),
    }
    for name in custom:
        made[name] = _plain(entry.get(name.lower().replace(":", "_")))
    return {name: value for name, value in made.items() if value is not None}


def _content(entry: Entry) -> str | None:
    for part in entry.get("content", ()):
        if part.get("value"):
            return str(part["value"])
    summary = entry.get("summary")
    return None if summary is None else str(summary)


def _snippet(content: str) -> str:
    return html.unescape(_TAG.sub("", content)).strip()


def _enclosure(entry: Entry) -> Json:
    for found in entry.get("enclosures", ()):
        known = (("url", "href"), ("length", "length"), ("type", "type"))
        return {name: str(found[key]) for name, key in known if found.get(key)}
    return None


def _iso(moment: struct_time | None) -> str | None:
    """UTC."""
    if moment is None:
        return None
    year, month, day, hour, minute, second = moment[:6]
    return f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}.000Z"


def _plain(value: object) -> Json:
    if isinstance(value, Mapping):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
