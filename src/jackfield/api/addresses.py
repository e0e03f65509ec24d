"""Which addresses nodes may connect to: the public internet, and what settings add.

The check looks at the addresses that a name resolves to. So no spelling of an address gets round it: decimal, octal,
hexadecimal, mapped into IPv6, with a trailing dot.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TypeAlias

from .http_client import host_key

Address: TypeAlias = "IPv4Address | IPv6Address"

_NEVER = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "168.63.129.16/32",  # the host of Azure's machines
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "::/96",
        "64:ff9b:1::/48",
        "100::/64",
        "2001::/23",
        "2001:db8::/32",
        "3fff::/20",
        "5f00::/16",
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
    )
)
"""Not public, whatever the Python version's own tables say."""
_NAT64 = ip_network("64:ff9b::/96")
_UNICAST = ip_network("2000::/3")
"""All of IPv6 that is given out as public (RFC 4291 section 2.4)."""


def embedded(address: Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address stands for (mapped, 6to4, NAT64)."""
    if isinstance(address, IPv4Address):
        return None
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def is_public(address: Address) -> bool:
    """Whether it is on the public internet."""
    inner = embedded(address)
    if inner is not None:
        return is_public(inner)
    if isinstance(address, IPv6Address) and address not in _UNICAST:
        return False
    return address.is_global and not any(address in network for network in _NEVER)


class PermittedAddresses:
    """networks: CIDR ranges; hosts: exact names; both may be reached beside the public internet."""

    def __init__(self, networks: Iterable[str] = (), hosts: Iterable[str] = ()) -> None:
        self._networks = [ip_network(text) for text in networks]
        self._hosts = frozenset(host_key(host) for host in hosts)

    def permits(self, host: str, address: str) -> bool:
        """Whether this address, to which the host resolves, may be connected to."""
        if host_key(host) in self._hosts:
            return True
        found = ip_address(address.partition("%")[0])
        inner = embedded(found)
        return is_public(found) or any(
            candidate in network for candidate in (found, inner) if candidate is not None for network in self._networks
        )

    def of(self, host: str, found: Iterable[str]) -> list[str]:
        """Those of the addresses that may be connected to, each once, in their order."""
        return [address for address in dict.fromkeys(found) if self.permits(host, address)]
