"""The English catalogue of the interface, as passages: one for each message."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from language.texts import Passage

_MESSAGE = re.compile(r'^msgid (".+")$')
_PLURAL = re.compile(r"\{\w+, plural, one \{.*\} other \{(.*)\}\}")
_TAG = re.compile(r"</?\w+>")
_PLACEHOLDER = re.compile(r"\{\w+\}")


def passages(text: str) -> Iterator[Passage]:
    """The messages with the lines of the file. Of plural forms it is the general one; `{}` stands for each value."""
    for number, line in enumerate(text.splitlines(), 1):
        if (found := _MESSAGE.match(line)) and (message := json.loads(found[1])):
            plain = _TAG.sub(" ", _PLURAL.sub(r"\1", message))
            yield Passage(number, _PLACEHOLDER.sub("{}", plain).strip())
