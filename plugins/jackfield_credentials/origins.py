"""Whether an answer comes from the server that was asked."""

from __future__ import annotations

from jackfield.api.http_addresses import HttpAddress
from jackfield.api.http_client import host_named


def belongs(asked: str, answered: str, allowed: str) -> bool:
    """Whether the answer comes from the server that was asked, or from a host that the list `allowed` names. Addresses
    are compared as the client reads them: scheme, host and port, where http may have become https."""
    sent, found = HttpAddress.of(asked.strip()), HttpAddress.of(answered)
    secured = (sent.scheme, sent.port, found.scheme, found.port) == ("http", None, "https", None)
    same = (sent.scheme, sent.port) == (found.scheme, found.port) or secured
    return (same and sent.host == found.host) or host_named(found.unicode_host, allowed)
