"""Addresses of models as other tools write them, and what is spoken there."""

from __future__ import annotations

import re
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
NATIVE = {"https://api.anthropic.com": "anthropic", "https://api.openai.com/v1": "openai", GOOGLE: "gemini"}
_OF_GEMINI = re.compile(r"(?:/v1\w*)?(?:/models(?:/.*)?)?$")
"""The paths that addresses of Gemini's API have behind the base."""
_OPENAI_SURFACE = re.compile(r"/v1\w*/openai$").search
"""How an address of Google's OpenAI surface ends."""


def base_of(address: str, spoken: str = "") -> tuple[str, str]:
    """Type of a provider and base address, from an address of one endpoint or a base address. `spoken`: `anthropic`,
    `openai` or `gemini`, where the other tool says it. An address of Google's OpenAI surface says more."""
    text = address.strip().rstrip("/")
    kind = f"{spoken}-compatible" if spoken else ""
    for end, found, rest in _ENDS:
        if text.endswith(end):
            text, kind = text.removesuffix(end) + rest, kind or found
            break
    if _OPENAI_SURFACE(text):
        return "openai-compatible", text
    if f"{text}/".startswith(f"{GOOGLE}/"):
        return "gemini", GOOGLE
    if spoken == "gemini":
        return kind, _OF_GEMINI.sub("", text)
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
