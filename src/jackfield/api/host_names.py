"""Names of hosts: this machine's own, and lists of them as people write them."""

from __future__ import annotations

from ipaddress import ip_address


def host_key(host: str) -> str:
    """The host as it is compared: lower case, without brackets and trailing dot."""
    return host.strip("[]").rstrip(".").lower()


def is_loopback(host: str) -> bool:
    """Whether the host, without brackets, is this machine's own address: reachable from here only."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def host_named(host: str, names: str) -> bool:
    """Whether the comma-separated list has the host, `*.` and a parent of it, or `*`."""
    key = host_key(host)
    listed = [host_key(name.strip()) for name in names.split(",") if name.strip()]
    return any(key == name or (name.startswith("*.") and key.endswith(name[1:])) or name == "*" for name in listed)


def host_allowed(host: str, allowed: str) -> bool:
    """The same; an empty list has every host."""
    return not allowed.replace(",", "").strip() or host_named(host, allowed)
