"""Encodings of texts, by the names that documents use."""

from __future__ import annotations

import codecs

from jackfield.api.nodes import NodeError

_NAMES = {"utf8": "utf-8", "utf16le": "utf-16-le", "ucs2": "utf-16-le", "binary": "latin-1", "win1252": "cp1252"}
_NO_TEXT = frozenset(
    {"base64", "hex", "quopri", "uu", "zlib", "bz2", "rot13", "rot-13", "undefined", "idna", "punycode"}
)


def codec(name: str) -> str:
    """The codec of an encoding; UTF-8 for an empty name. Raises `NodeError`."""
    plain = name.strip().lower().replace("_", "-")
    plain = _NAMES.get(plain.replace("-", ""), plain) or "utf-8"
    try:
        found = codecs.lookup(plain).name
    except (LookupError, ValueError):
        found = ""
    if not found or found.replace("_", "-") in _NO_TEXT or plain in _NO_TEXT:
        raise NodeError(f"The encoding '{name}' is unknown; use utf-8, utf-16le, latin1 or another one's usual name.")
    return found


def decoded(content: bytes, encoding: str, *, keep_mark: bool = False) -> str:
    """The text without a byte order mark; what does not fit is replaced. Without a name the mark decides, else UTF-8.
    Raises `NodeError`."""
    name = codec(encoding)
    if not encoding:
        for mark, found in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
            if content.startswith(mark):
                name, keep_mark = found, False
    text = content.decode(name, "replace")
    return text if keep_mark else text.removeprefix("\ufeff")


def encoded(text: str, encoding: str, *, mark: bool = False) -> bytes:
    """mark: with a byte order mark, where the encoding is a Unicode one. Raises `NodeError`."""
    name = codec(encoding)
    if mark and name.startswith("utf-"):
        text = f"\ufeff{text}"
    return text.encode(name, "replace")
