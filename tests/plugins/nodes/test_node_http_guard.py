"""Which addresses nodes may connect to."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from jackfield.api.addresses import is_public
from jackfield.api.http_client import host_allowed
from jackfield_nodes.http.settings import HttpSettings
from jackfield_nodes.http.transport.guard import RESOLVERS, AddressGuard, Forbidden

PUBLIC = ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101", "2002:101:101::1"]
FORBIDDEN = [
    "0.0.0.0",
    "0.1.2.3",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.170",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "::ffff:0:127.0.0.1",
    "4000::1",
    "8000::1",
    "168.63.129.16",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:a9fe:a9fe::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))
    assert AddressGuard().permits("example.com", address)


@pytest.mark.parametrize("address", FORBIDDEN)
def test_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))
    assert not AddressGuard().permits("example.com", address)


def test_settings_allow_networks_and_hosts() -> None:
    guard = AddressGuard(["10.1.0.0/16", "::1/128"], ["DB.internal."])
    assert guard.permits("x", "10.1.2.3")
    assert guard.permits("x", "::ffff:10.1.2.3")
    assert guard.permits("x", "::1")
    assert guard.permits("db.internal", "192.168.0.1")
    assert guard.permits("db.INTERNAL.", "192.168.0.1")
    assert not guard.permits("x", "10.2.0.1")
    assert not guard.permits("evil.db.internal", "192.168.0.1")
    assert not guard.permits("x", "fe80::1%eth0")


@given(st.integers(0, 2**32 - 1))
def test_what_stands_for_an_ipv4_address_is_as_public_as_it(number: int) -> None:
    inner = ipaddress.IPv4Address(number)
    stands = [
        ipaddress.IPv6Address((0xFFFF << 32) | number),
        ipaddress.IPv6Address((0x0064FF9B << 96) | number),
        ipaddress.IPv6Address((0x2002 << 112) | (number << 80)),
    ]
    assert {is_public(address) for address in stands} == {is_public(inner)}
    assert not is_public(ipaddress.IPv6Address(number))


SPELLINGS = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "017700000001",
    "0177.0.0.1",
    "0",
    "0.0.0.0",
    "localhost",
    "169.254.169.254",
    "2852039166",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
]


@pytest.mark.parametrize("host", SPELLINGS)
async def test_no_spelling_gets_round_the_check(host: str) -> None:
    with pytest.raises((Forbidden, OSError)):
        await AddressGuard().addresses(host, 80)


async def test_one_look_up_and_only_permitted_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def answer(host: str, port: int, **_: Any) -> list[Any]:
        asked.append((host, port))
        return [(socket.AF_INET, 1, 6, "", (address, port)) for address in ("10.0.0.1", "1.1.1.1", "1.1.1.1", "::1")]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    assert await AddressGuard().addresses("rebinding.example", 443) == ["1.1.1.1"]
    assert asked == [("rebinding.example", 443)]


async def test_a_look_up_ends_although_the_name_server_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that wait for a thread end too, and are never begun."""
    go_on, begun = threading.Event(), []

    def silent(host: str, port: int, **_: Any) -> list[Any]:
        begun.append(host)
        go_on.wait(30)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", silent)
    guard = AddressGuard(longest=0.2)
    names = [f"{number}.example" for number in range(RESOLVERS + 5)]
    try:
        found = await asyncio.gather(*(guard.addresses(name, 443) for name in names), return_exceptions=True)
    finally:
        go_on.set()
    assert {str(each) for each in found} == {"its name was not found within 0.2 seconds (nodes.http.connect_timeout)"}
    assert all(isinstance(each, OSError) for each in found)
    assert len(begun) <= RESOLVERS


HOSTS = [
    ("api.example.com", "", True),
    ("api.example.com", "api.example.com", True),
    ("API.example.com.", "other.com, api.example.com", True),
    ("api.example.com", "*.example.com", True),
    ("example.com", "*.example.com", False),
    ("evilexample.com", "*.example.com", False),
    ("api.example.com.evil.com", "api.example.com", False),
    ("anything", "*", True),
    ("api.example.com", " , ", True),
]


@pytest.mark.parametrize(("host", "allowed", "expected"), HOSTS)
def test_hosts_of_a_credential(host: str, allowed: str, expected: bool) -> None:
    assert host_allowed(host, allowed) is expected


def test_a_network_that_is_none_is_refused() -> None:
    assert HttpSettings.model_validate({"allowed_networks": ["127.0.0.0/8"]}).allowed_networks == ["127.0.0.0/8"]
    for wrong in ("10.0.0.1/8", "everything"):
        with pytest.raises(ValidationError):
            HttpSettings.model_validate({"allowed_networks": [wrong]})
