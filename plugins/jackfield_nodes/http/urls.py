"""URLs that requests may go to."""

from __future__ import annotations

import re

import httpx

from jackfield.api.nodes import NodeError

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def checked_url(text: str) -> httpx.URL:
    """An http or https URL with a host. Raises `NodeError`."""
    try:
        url = httpx.URL(text.strip())
    except (httpx.InvalidURL, UnicodeError) as exc:
        raise NodeError(f"The URL is not valid: {error_text(exc)}.") from None
    if url.scheme not in {"http", "https"}:
        raise NodeError("The URL must start with http:// or https://.")
    if not url.host:
        raise NodeError("The URL has no host.")
    return url


def same_origin(old: httpx.URL, new: httpx.URL) -> bool:
    """Whether both are one origin, or the new one is the same host's https."""
    if old.host != new.host:
        return False
    ports = {"http": 80, "https": 443}
    before, after = old.port or ports[old.scheme], new.port or ports[new.scheme]
    if old.scheme == new.scheme:
        return before == after
    return (old.scheme, before, new.scheme, after) == ("http", 80, "https", 443)


def error_text(exc: Exception) -> str:
    """A library's message on one line."""
    return _CONTROL.sub(" ", str(exc) or type(exc).__name__).rstrip(".")
