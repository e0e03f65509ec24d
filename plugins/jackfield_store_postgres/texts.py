"""Texts as the database holds them."""

from __future__ import annotations

_ESCAPE, _NUL, _OWN = "\x01", "\x01\x02", "\x01\x03"
_MEANING = {"\x02": "\x00", "\x03": "\x01"}


def kept_text(text: str) -> str:
    """A text as the database holds it: PostgreSQL has no U+0000. The order of texts stays."""
    if "\x00" in text or _ESCAPE in text:
        return text.replace(_ESCAPE, _OWN).replace("\x00", _NUL)
    return text


def encoded_text(text: str) -> bytes:
    """Lone surrogates have no UTF-8: each becomes a question mark."""
    return kept_text(text).encode("utf-8", "replace")


def plain_text(kept: str) -> str:
    """The inverse of `kept_text`."""
    if _ESCAPE not in kept:
        return kept
    first, *others = kept.split(_ESCAPE)
    return first + "".join(_MEANING.get(each[:1], each[:1]) + each[1:] for each in others)
