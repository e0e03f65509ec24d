"""Letters of any script in ASCII."""

from __future__ import annotations

import unicodedata


def plain(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFD", text) if letter.isascii())
