"""Providers as the API and the command line show them."""

from __future__ import annotations

from jackfield.api.jsontext import Json
from jackfield.api.providers import Provider


def item(provider: Provider) -> dict[str, Json]:
    return {
        "id": provider.id,
        "name": provider.title,
        "type": provider.type,
        "default_model": default_model(provider),
    }


def detail(provider: Provider, *, added: bool) -> dict[str, Json]:
    """added: the daemon wrote its manifest, and can remove it."""
    return {
        **item(provider),
        "endpoints": dict(provider.named_endpoints),
        "default_endpoint": provider.default_endpoint,
        "models": list(provider.models.available),
        "dialect": provider.dialect,
        "custom": added,
        "auth": {
            "required": provider.needs_key,
            "env_key": provider.auth.env_key,
            "prompt": provider.auth.prompt,
        },
    }


def default_model(provider: Provider) -> str | None:
    """The manifest's; the first of those available when it names none."""
    return provider.models.default or next(iter(provider.models.available), None)
