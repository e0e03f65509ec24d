"""The parts of a client's history that another dialect's providers must not, or cannot, see."""

from __future__ import annotations

from .fields import invalid
from .model import DialectName, ModelRequest, TextBlock

BILLING = "x-anthropic-billing-header"  # changes with each request, which would defeat prefix caches


def system_parts(request: ModelRequest) -> list[TextBlock]:
    """The system prompt without empty parts and the billing block."""
    return [part for part in request.system if part.text and not part.text.startswith(BILLING)]


def system_texts(request: ModelRequest) -> list[str]:
    """The same without marks for a cache."""
    return [part.text for part in system_parts(request)]


def check_whole(request: ModelRequest, upstream: DialectName) -> None:
    """Raises `DialectError` 400 if a part of the history is stored with a provider of the client's own dialect."""
    if request.dialect == upstream:
        return
    for field in ("previous_response_id", "conversation", "cachedContent"):
        if request.extra.get(field):
            reason = "the provider that this request goes to does not store earlier answers; send the whole history"
            raise invalid(field, reason)
