"""Addresses to which a client may have the browser sent. Source: RFC 8252 sections 7.1 to 7.3, RFC 9700 section 2.1."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit, urlunsplit

from jackfield.api.host_names import is_loopback

_LONGEST = 500
_SCRIPTS = frozenset({"javascript", "data", "vbscript", "file", "blob"})


def is_usable(uri: str, schemes: Collection[str]) -> bool:
    """https anywhere, http at this machine alone, or an application's own scheme that the settings name; no fragment
    and no user."""
    if len(uri) > _LONGEST or not uri.isascii() or not uri.isprintable() or any(sign in uri for sign in ' "<>\\'):
        return False
    try:
        parts = urlsplit(uri)
        host = parts.hostname or ""
    except ValueError:
        return False
    if parts.fragment or "#" in uri or parts.username is not None:
        return False
    if parts.scheme == "https":
        return bool(host)
    if parts.scheme == "http":
        return is_loopback(host)
    return parts.scheme in schemes and parts.scheme not in _SCRIPTS and uri.startswith(parts.scheme + "://")


def is_same(registered: str, given: str) -> bool:
    """Letter by letter, but for the port of an application at this machine, which it chooses as it starts. A user or a
    fragment it cannot add."""
    if registered == given:
        return True
    try:
        one, other = urlsplit(registered), urlsplit(given)
        local = (
            one.scheme == other.scheme == "http" and is_loopback(one.hostname or "") and one.hostname == other.hostname
        )
    except ValueError:
        return False
    bare = other.username is None and "#" not in given
    return local and bare and _without_port(registered) == _without_port(given)


def _without_port(uri: str) -> str:
    parts = urlsplit(uri)
    return urlunsplit((parts.scheme, parts.hostname or "", parts.path, parts.query, ""))


def shown_host(uri: str) -> str:
    """The part of the address that the consent page tells: its host, or an application's scheme."""
    parts = urlsplit(uri)
    return (parts.netloc or parts.scheme) if parts.scheme in ("http", "https") else f"the application {parts.scheme}"
