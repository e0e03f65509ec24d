"""Translation between Anthropic Messages, OpenAI Chat Completions, OpenAI Responses and Google Gemini over one internal
form.

Pure functions without I/O. The proxies and the nodes that ask a model share them, so that each dialect is written once.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import cast

from ..object_references import load
from .base import DialectCodec
from .model import DialectName

_PLACES: Mapping[DialectName, str] = {
    "anthropic": "jackfield.api.dialects.anthropic:CODEC",
    "chat": "jackfield.api.dialects.chat:CODEC",
    "responses": "jackfield.api.dialects.responses:CODEC",
    "gemini": "jackfield.api.dialects.gemini:CODEC",
}
"""By object reference: a process most often speaks one or two of them."""


@cache
def of(name: DialectName) -> DialectCodec:
    """The codec of this dialect; its modules are imported at the first use. Raises `KeyError` for any other name."""
    return cast("DialectCodec", load(_PLACES[name]))
