"""Addresses of models as other tools write them, and what is spoken there."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

_ENDS = (
    ("/v1/messages", "anthropic-compatible", ""),
    ("/messages", "anthropic-compatible", ""),
    ("/chat/completions", "openai-compatible", ""),
    ("/responses", "openai-compatible", ""),
    ("/completions", "openai-compatible", ""),
)
"""End of an address, what is spoken there, and what stands in the end's place."""
GOOGLE = "https://generativelanguage.googleapis.com"
GOOGLE_OPENAI = f"{GOOGLE}/v1beta/openai"
NATIVE = {"https://api.anthropic.com": "anthropic", "https://api.openai.com/v1": "openai"}


def base_of(address: str, spoken: str = "") -> tuple[str, str]:
    """Type of a provider and base address, from an address of one endpoint or a base address. spoken: `anthropic` or
    `openai`, where the other tool says it."""
    text = address.strip().rstrip("/")
    kind = f"{spoken}-compatible" if spoken else ""
    for end, found, rest in _ENDS:
        if text.endswith(end):
            text, kind = text.removesuffix(end) + rest, kind or found
            break
    if text.startswith(GOOGLE) and not text.startswith(GOOGLE_OPENAI):
        return "openai-compatible", GOOGLE_OPENAI
    kind = kind or ("anthropic-compatible" if "anthropic" in text else "openai-compatible")
    if kind == "anthropic-compatible":
        text = text.removesuffix("/v1")
    return NATIVE.get(text, kind), text


def same_address(one: str, other: str) -> bool:
    """Whether both lead to the same place; OpenAI's dialect is served with and without the version."""
    return _plain(one) == _plain(other)


def _plain(address: str) -> str:
    found = urlsplit(address.strip())
    host = found.netloc.lower().replace("localhost", "127.0.0.1")
    return urlunsplit((found.scheme.lower(), host, found.path.rstrip("/").removesuffix("/v1"), found.query, ""))


def has_scheme(address: str) -> bool:
    return address.strip().lower().startswith(("http://", "https://"))
