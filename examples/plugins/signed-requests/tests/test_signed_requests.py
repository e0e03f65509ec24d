"""Units of the plugin, with the fixtures that Jackfield brings for pytest."""

from __future__ import annotations

import time

import pytest

from jackfield.api.auth import AuthRequest
from jackfield.api.errors import RateLimited
from jackfield.testing.pytest_plugin import MakeContext
from jackfield_signed_requests.method import SignatureInvalid, SignedRequests
from jackfield_signed_requests.settings import SignedRequestsSettings, SigningKey
from jackfield_signed_requests.signing import SCHEME, header, signature

SECRET = "s" * 32


def asked(value: str, body: bytes = b"", *, query: bytes = b"a=1", passive: bool = False) -> AuthRequest:
    """A POST of /x?a=1 with this header and body."""

    async def read() -> bytes:
        return body

    headers = {"authorization": [value.encode()]}
    return AuthRequest(headers, "192.0.2.1", "/x", passive, "POST", b"/x", query, read)


@pytest.fixture
def method(jackfield_context: MakeContext) -> SignedRequests:
    """With one key and room for two requests."""
    keys = {"ci": SigningKey(secret=SECRET, role="member")}
    return SignedRequests(jackfield_context(SignedRequestsSettings(keys=keys, nonces=2)))


async def test_a_signed_request_is_the_keys(method: SignedRequests) -> None:
    caller = await method.authenticate(asked(header("ci", SECRET, "POST", "/x", "a=1", b"body"), b"body"))
    assert caller is not None
    assert (caller.user_id, caller.role, caller.method) == ("signature:ci", "member", "signature")


async def test_another_scheme_is_not_ours(method: SignedRequests) -> None:
    assert await method.authenticate(asked("Bearer x")) is None


@pytest.mark.parametrize(
    ("value", "body", "query"),
    [
        (header("ci", SECRET, "POST", "/x", "a=1", b"body"), b"other", b"a=1"),
        (header("ci", SECRET, "POST", "/x", "a=1", b"body"), b"body", b"a=2"),
        (header("ci", SECRET, "GET", "/x", "a=1", b"body"), b"body", b"a=1"),
        (header("ci", SECRET, "POST", "/y", "a=1", b"body"), b"body", b"a=1"),
        (header("ci", "t" * 32, "POST", "/x", "a=1", b"body"), b"body", b"a=1"),
        (header("other", SECRET, "POST", "/x", "a=1", b"body"), b"body", b"a=1"),
        (SCHEME, b"body", b"a=1"),
    ],
)
async def test_what_was_changed_is_refused(method: SignedRequests, value: str, body: bytes, query: bytes) -> None:
    with pytest.raises(SignatureInvalid):
        await method.authenticate(asked(value, body, query=query))


async def test_an_old_signature_is_refused_but_its_connection_lives(method: SignedRequests) -> None:
    moment, nonce = str(int(time.time()) - 1000), "0" * 16
    signed = signature(SECRET, "POST", b"/x", b"a=1", moment, nonce, b"")
    value = f"{SCHEME} key=ci, time={moment}, nonce={nonce}, signature={signed}"
    with pytest.raises(SignatureInvalid, match="time is over"):
        await method.authenticate(asked(value))
    assert await method.authenticate(asked(value, passive=True)) is not None


async def test_a_request_counts_once_and_no_nonce_is_forgotten_for_want_of_room(method: SignedRequests) -> None:
    values = [header("ci", SECRET, "POST", "/x", "a=1") for _ in range(3)]
    for value in values[:2]:
        assert await method.authenticate(asked(value)) is not None
    with pytest.raises(SignatureInvalid, match="already"):
        await method.authenticate(asked(values[0]))
    with pytest.raises(RateLimited):
        await method.authenticate(asked(values[2]))
