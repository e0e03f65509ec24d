"""HTTP Digest: the examples of RFC 7616 section 3.9.1 and RFC 2617 section 3.5."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.http_client import HttpCall, HttpReply
from jackfield.api.nodes import NodeError
from jackfield_credentials.digest import answer, challenges, header

CNONCE = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
CHALLENGE = {
    "realm": "http-auth@example.org",
    "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
    "opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
}


def asked(value: str, status: int = 401) -> HttpReply:
    return HttpReply(status, "", [("www-authenticate", value)], b"", "http://www.example.org/dir/index.html?a=1")


@pytest.mark.parametrize(
    ("algorithm", "response"),
    [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ],
)
def test_rfc_7616(algorithm: str, response: str) -> None:
    made = header(
        {**CHALLENGE, "algorithm": algorithm}, "GET", "/dir/index.html", "Mufasa", "Circle of Life", CNONCE, True
    )
    assert f'response="{response}"' in made
    assert f"algorithm={algorithm}" in made
    assert 'opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"' in made


def test_without_quality_as_in_rfc_2069() -> None:
    challenge = {"realm": "testrealm@host.com", "nonce": "dcd98b7102dd2f0e8b11d0f600bfb0c093"}
    made = header(challenge, "GET", "/dir/index.html", "Mufasa", "CircleOfLife", "x", False)
    assert 'response="1949323746fe6a43ef61f9606e7febea"' in made
    assert "cnonce" not in made


def test_the_strongest_challenge_is_answered_with_path_and_query() -> None:
    made = answer(
        HttpCall("GET", "http://www.example.org/"),
        asked(
            'Digest realm="a, b", nonce="n", qop="auth", algorithm=MD5, Digest realm="c", nonce="m", algorithm=SHA-256'
        ),
        "me",
        "p",
    )
    assert made is not None
    assert 'realm="c"' in made
    assert 'uri="/dir/index.html?a=1"' in made


def test_no_challenge_no_answer() -> None:
    assert answer(HttpCall("GET", "http://a/"), asked('Basic realm="x"'), "u", "p") is None


@pytest.mark.parametrize("value", ['Digest realm="x", nonce="n", algorithm=FOO', 'Digest nonce="n", qop="auth-int"'])
def test_what_is_not_supported_is_named(value: str) -> None:
    with pytest.raises(NodeError, match="not supported"):
        answer(HttpCall("GET", "http://a/"), asked(value), "u", "p")


@given(st.text(max_size=200))
def test_any_challenge_is_read_or_left(text: str) -> None:
    for challenge in challenges(asked(text)):
        assert all(re.fullmatch(r"[a-z][\w-]*", name) for name in challenge)
