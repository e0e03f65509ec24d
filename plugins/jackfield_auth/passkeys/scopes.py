"""The domain that a passkey is good for, and pages that can have none."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from jackfield.api.errors import Conflict
from jackfield_auth.passkeys.records import PasskeyScope


class PasskeysUnavailable(Conflict):
    """Browsers have passkeys for https and a host name alone, and on this machine for http://localhost."""

    code = "PASSKEYS_UNAVAILABLE"


def scope_of(origin: str, rp_id: str) -> PasskeyScope:
    """Of a page. rp_id: of the settings; empty: the page's own host. Raises `PasskeysUnavailable` with what to open in
    its place."""
    try:
        parts = urlsplit(origin)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        raise PasskeysUnavailable from None
    local = host == "localhost" or host.endswith(".localhost")
    if _is_address(host):
        if ipaddress.ip_address(host).is_loopback:
            there = f"http://localhost:{port}" if port else "http://localhost"
            raise PasskeysUnavailable(f"Browsers have no passkeys for an IP address; open {there}/ui/ instead.")
        raise PasskeysUnavailable("Browsers have no passkeys for an IP address; open a host name over https.")
    if parts.scheme != "https" and not local:
        raise PasskeysUnavailable("Browsers have no passkeys over plain http; open Jackfield over https.")
    if rp_id and host != rp_id and not host.endswith(f".{rp_id}"):
        raise PasskeysUnavailable(
            f"Passkeys are good for {rp_id} (security.passkeys.rp_id); open Jackfield at that host."
        )
    return PasskeyScope(rp_id or host, origin)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
