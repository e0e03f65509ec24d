"""Translation between Anthropic Messages, OpenAI Chat Completions and OpenAI Responses over one internal form."""

from __future__ import annotations

from functools import cache

from .base import Dialect
from .model import DialectName


@cache
def of(name: DialectName) -> Dialect:
    """The dialect of this name; its modules are imported at the first use. Raises `KeyError` for any other."""
    if name == "anthropic":
        from .anthropic import Anthropic

        return Anthropic()
    if name == "chat":
        from .chat import Chat

        return Chat()
    if name == "responses":
        from .responses import Responses

        return Responses()
    raise KeyError(name)
