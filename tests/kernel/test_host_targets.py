"""No target of a caller leads anywhere but to the host that it is passed on to."""

from __future__ import annotations

from pathlib import Path

import pytest

from jackfield.api.errors import InvalidInput
from jackfield.api.hosts import Host, HostUnavailable
from jackfield.core.redaction import Redactor
from jackfield.core.secrets import FileSecrets
from jackfield.http.hosts.client import HostClient, url_at
from jackfield.http.hosts.tokens import ForwardedCaller, ForwardingTokens
from jackfield.testing.clock import FakeClock

NOBODY = ForwardedCaller(None, "", ("", 0))
BETA = Host("beta", "http://10.0.0.2:8765", ())


@pytest.mark.parametrize(
    "target",
    [
        b"%2Fapi%2F@192.0.2.1/latest/?a=b",
        b"%2F..@192.0.2.1/",
        b"@192.0.2.1/",
        b":80@192.0.2.1/",
        b".evil.test/",
        b"//192.0.2.1/api/profiles",
        b"http://192.0.2.1/api/profiles",
        b"\\\\192.0.2.1/",
        b"/api/a\r\nX-Jackfield-Forwarded: b",
        b"/api/a?b=c\nd",
        b"/api/a b",
        b"/api/\xe9",
        b"*",
        b"",
    ],
)
async def test_a_target_that_is_no_path_is_refused(target: bytes, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        url_at(BETA, target)
    secrets = FileSecrets(tmp_path, Redactor(), {"JACKFIELD_ENCRYPTION_KEY": "k" * 32})
    client = HostClient(ForwardingTokens(secrets, FakeClock(), "alpha"), lambda name: True)
    try:
        with pytest.raises(InvalidInput):
            await client.websocket(BETA, target, NOBODY, (), ())
        with pytest.raises(InvalidInput):
            await client.whole(BETA, "GET", target, NOBODY)
    finally:
        await client.close()


@pytest.mark.parametrize(
    "target",
    [
        "/",
        "/api/@192.0.2.1/",
        "/%2F192.0.2.1/",
        "/\\\\192.0.2.1/",
        "/api/../%2e%2e/a%20b%2Fc?d=%2F&e=@192.0.2.1&f=?#g",
        "/api/a#b",
        "/:80@192.0.2.1/",
    ],
)
@pytest.mark.parametrize("address", ["http://10.0.0.2:8765", "https://beta.example", "http://[fd00::2]:8765"])
def test_a_path_goes_as_it_is_to_the_hosts_own_address(target: str, address: str) -> None:
    url = url_at(Host("beta", address, ()), target.encode())
    assert str(url.origin()) == address
    assert url.raw_path_qs == target


async def test_a_host_without_an_address_does_not_answer(tmp_path: Path) -> None:
    secrets = FileSecrets(tmp_path, Redactor(), {"JACKFIELD_ENCRYPTION_KEY": "k" * 32})
    client = HostClient(ForwardingTokens(secrets, FakeClock(), "alpha"), lambda name: True)
    try:
        with pytest.raises(HostUnavailable):
            await client.whole(Host("beta", "", ()), "GET", b"/api/profiles", NOBODY)
    finally:
        await client.close()
