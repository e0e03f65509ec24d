"""Tokens by which hosts vouch for callers: whom they name, and when they do not count."""

from __future__ import annotations

from pathlib import Path

import pytest

from jackfield.api.auth import Principal
from jackfield.api.errors import StoreUnavailable
from jackfield.core.redaction import Redactor
from jackfield.core.secrets import FileSecrets
from jackfield.http.hosts import tokens
from jackfield.http.hosts.tokens import VALID_MS, ForwardedCaller, ForwardingRefused, ForwardingTokens
from jackfield.testing.clock import FakeClock

USER = Principal("u-1", "ann é", "member", "jwt", frozenset({"agents:read"}), {"jti": "t", "exp": 12, "peer": "other"})
CALLER = ForwardedCaller(USER, "192.0.2.7", ("10.0.0.1", 4711), True, [("authorization", "Bearer x")])
PATH = b"/api/profiles?agent=a%20b"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def host(clock: FakeClock, tmp_path: Path) -> ForwardingTokens:
    secrets = FileSecrets(tmp_path, Redactor(), {"JACKFIELD_ENCRYPTION_KEY": "k" * 32})
    return ForwardingTokens(secrets, clock, "alpha")


def test_a_token_names_the_caller_and_shows_nothing(host: ForwardingTokens) -> None:
    token = host.make("alpha", "GET", PATH, CALLER)
    assert host.read(token.encode(), "GET", PATH) == CALLER
    assert token != host.make("alpha", "GET", PATH, CALLER)
    nobody = ForwardedCaller(None, "", ("", 0), credentials=[])
    assert host.read(host.make("alpha", "POST", PATH, nobody).encode(), "POST", PATH) == nobody


def test_another_request_is_refused(host: ForwardingTokens) -> None:
    token = host.make("alpha", "GET", PATH, CALLER).encode()
    for method, path in (("POST", PATH), ("GET", b"/api/profiles"), ("GET", PATH + b"&x=1")):
        with pytest.raises(ForwardingRefused):
            host.read(token, method, path)
    with pytest.raises(ForwardingRefused):
        host.read(host.make("beta", "GET", PATH, CALLER).encode(), "GET", PATH)


def test_every_changed_bit_is_seen(host: ForwardingTokens) -> None:
    token = host.make("alpha", "GET", PATH, CALLER)
    for place in range(0, len(token) - 4, 7):
        other = "A" if token[place] != "A" else "B"
        with pytest.raises(ForwardingRefused):
            host.read((token[:place] + other + token[place + 1 :]).encode(), "GET", PATH)
    for bad in (b"", b"%", token.encode()[:20], b"\xff" * 40):
        with pytest.raises(ForwardingRefused):
            host.read(bad, "GET", PATH)


async def test_it_counts_once_and_for_seconds(host: ForwardingTokens, clock: FakeClock) -> None:
    token = host.make("alpha", "GET", PATH, CALLER).encode()
    late = host.make("alpha", "GET", PATH, CALLER).encode()
    host.read(token, "GET", PATH)
    await clock.advance(VALID_MS / 1000)
    with pytest.raises(ForwardingRefused, match="already"):
        host.read(token, "GET", PATH)
    host.read(late, "GET", PATH)
    await clock.advance(0.01)
    for each in (token, late):
        with pytest.raises(ForwardingRefused, match="within 15 s"):
            host.read(each, "GET", PATH)


async def test_what_is_remembered_is_bounded(
    host: ForwardingTokens, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "MOST_SEEN", 2)
    for _ in range(2):
        host.read(host.make("alpha", "GET", PATH, CALLER).encode(), "GET", PATH)
    with pytest.raises(StoreUnavailable):
        host.read(host.make("alpha", "GET", PATH, CALLER).encode(), "GET", PATH)
    await clock.advance(2 * VALID_MS / 1000 + 0.01)
    host.read(host.make("alpha", "GET", PATH, CALLER).encode(), "GET", PATH)
