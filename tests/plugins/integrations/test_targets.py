"""Which servers may be reached."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.nodes import NodeError
from jackfield_integrations.kinds import REDIS
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets, tls_for


def targets(*allowed: str) -> Targets:
    return Targets(IntegrationSettings(allowed_hosts=list(allowed)))


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "fe80::1%2",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "::127.0.0.1",
        "fc00::1",
        "ff02::1",
        "::",
    ],
)
def test_what_is_not_public_is_refused(address: str) -> None:
    assert not targets().permits("db.example.com", address)
    assert targets("DB.example.com.").permits("db.example.com", address)
    assert not targets("other.example.com").permits("db.example.com", address)


def test_networks() -> None:
    assert targets().permits("x", "8.8.8.8")
    assert targets().permits("x", "2606:4700::1111")
    assert targets("10.1.0.0/16").permits("x", "10.1.2.3")
    assert targets("10.1.0.0/16").permits("x", "::ffff:10.1.2.3")
    assert not targets("10.1.0.0/16").permits("x", "10.2.0.1")
    with pytest.raises(ValueError):
        targets("10.1.0.0/99")


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "localhost", "LOCALHOST."])
async def test_spellings_of_loopback_are_refused(host: str) -> None:
    with pytest.raises(NodeError, match=r"allowed_hosts|cannot be found"):
        await targets().addresses(host, 1)


async def test_the_checked_address_is_the_one_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that leads elsewhere the second time leads nowhere else."""
    answers = iter([["8.8.8.8", "10.0.0.1"], ["127.0.0.1"]])

    async def look_up(*args: Any, **more: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 1)) for address in next(answers)]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", look_up)
    tried: list[str] = []

    async def connect(address: str) -> None:
        tried.append(address)
        raise ConnectionRefusedError("no, secret-password")

    values = DriverCredential(REDIS, {"password": "secret-password"})
    with pytest.raises(NodeError, match=r"No connection to db\.example\.com, port 1: no, \*\*\*\.") as failed:
        await targets().reach(values, "db.example.com", 1, connect, [])
    assert tried == ["8.8.8.8"]
    assert "secret" not in failed.value.message


async def test_tls_verifies_the_name_not_the_address(certificate: tuple[Path, Path]) -> None:
    import ssl

    server_side = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server_side.load_cert_chain(*certificate)
    authorities = certificate[0].read_text()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=server_side)
    port = server.sockets[0].getsockname()[1]
    async with server:
        _, writer = await asyncio.open_connection(
            "127.0.0.1", port, ssl=await tls_for("localhost", authorities=authorities)
        )
        writer.close()
        with pytest.raises(ssl.SSLCertVerificationError, match="mismatch"):
            await asyncio.open_connection("127.0.0.1", port, ssl=await tls_for("other", authorities=authorities))
    with pytest.raises(NodeError, match="PEM"):
        await tls_for("localhost", authorities="nonsense")
