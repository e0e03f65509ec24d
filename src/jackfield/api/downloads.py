"""The type and the name with which a file of an item is saved. Items may come from anybody: both are texts of any
kind."""

from __future__ import annotations

import re
from urllib.parse import quote

from .binary import DEFAULT_TYPE
from .workflows import BinaryData

_TYPE = re.compile(r"[\w.+-]{1,100}/[\w.+-]{1,100}", re.ASCII)
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
_UNNAMED = "file"


def content_type(file: BinaryData) -> str:
    """For the header of this name, without parameters."""
    kind = file.get("mimeType")
    known = _TYPE.match(kind) if isinstance(kind, str) else None
    return DEFAULT_TYPE if known is None else known.group()


def content_disposition(file: BinaryData) -> str:
    """For the header of this name: a browser saves the file and shows nothing of it."""
    name = file.get("fileName")
    return saved_as(name if isinstance(name, str) and name else _UNNAMED)


def saved_as(name: str) -> str:
    """The same for a name, of which 255 characters count."""
    shown = name[:255]
    if _PLAIN_NAME.fullmatch(shown):
        return f'attachment; filename="{shown}"'
    return f"attachment; filename*=UTF-8''{quote(shown.encode('utf-8', 'replace'), safe='')}"
