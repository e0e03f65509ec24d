"""URLs that requests may go to."""

from __future__ import annotations

from jackfield.api.http_addresses import PORTS, HttpAddress
from jackfield.api.nodes import NodeError


def checked_url(text: str) -> HttpAddress:
    """An http or https URL with a host. Raises `NodeError`."""
    try:
        url = HttpAddress.of(text.strip())
    except ValueError as exc:
        raise NodeError(f"The URL is not valid: {exc}.") from None
    if url.scheme not in PORTS:
        raise NodeError("The URL must start with http:// or https://.")
    if not url.host:
        raise NodeError("The URL has no host.")
    return url


def same_origin(old: HttpAddress, new: HttpAddress) -> bool:
    """Whether both are one origin, or the new one is the same host's https."""
    if old.host != new.host:
        return False
    if old.scheme == new.scheme:
        return old.port == new.port
    return (old.scheme, old.port, new.scheme, new.port) == ("http", None, "https", None)
