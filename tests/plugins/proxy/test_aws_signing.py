"""Signatures for AWS: those that AWS has published, and those that botocore makes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.aws_signing import AwsKey, SignedScope, signature

KEY = AwsKey("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
NOON = datetime(2015, 8, 30, 12, 36, tzinfo=UTC)
FORM = ("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")


@pytest.mark.parametrize(
    ("service", "method", "url", "headers", "expected"),
    [
        (
            "service",
            "GET",
            "https://example.amazonaws.com/",
            [],
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
        ),
        (
            "service",
            "POST",
            "https://example.amazonaws.com/",
            [],
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
        ),
        (
            "service",
            "GET",
            "https://example.amazonaws.com/?Param2=value2&Param1=value1",
            [],
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        ),
        (
            "iam",
            "GET",
            "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
            [FORM],
            "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
        ),
    ],
    ids=["get-vanilla", "post-vanilla", "get-vanilla-query-order-key-case", "the general reference's ListUsers"],
)
def test_signatures_that_aws_has_published(
    service: str, method: str, url: str, headers: list[tuple[str, str]], expected: str
) -> None:
    found = dict(signature(KEY, SignedScope("us-east-1", service, NOON), method, url, headers, b""))
    assert found["Authorization"].endswith(f"Signature={expected}")
    assert found["X-Amz-Date"] == "20150830T123600Z"


words = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FFF), min_size=1, max_size=12)
models = words.filter(lambda text: text not in (".", ".."))


@given(
    model=models,
    query=st.dictionaries(words, words, max_size=3),
    body=st.binary(max_size=50),
    session=st.sampled_from(["", "token-of-a-session"]),
    port=st.sampled_from(["", ":443", ":8443"]),
)
def test_botocore_signs_alike(model: str, query: dict[str, str], body: bytes, session: str, port: str) -> None:
    pairs = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in query.items())
    url = f"https://bedrock-runtime.eu-west-1.amazonaws.com{port}/model/{quote(model, safe='')}/invoke"
    url += f"?{pairs}" if pairs else ""
    key = AwsKey(KEY.access, KEY.secret, session)
    headers = [("Content-Type", "application/json")]
    now = datetime.now(UTC)
    found = dict(signature(key, SignedScope("eu-west-1", "bedrock", now), "POST", url, headers, body))
    assert found["Authorization"] == by_botocore(key, url, dict(headers), body, found["X-Amz-Date"])


def by_botocore(key: AwsKey, url: str, headers: dict[str, str], body: bytes, time: str) -> str:
    request = AWSRequest(method="POST", url=url, headers=headers, data=body)
    auth = SigV4Auth(Credentials(key.access, key.secret, key.session or None), "bedrock", "eu-west-1")
    request.context["timestamp"] = time
    if key.session:
        request.headers["X-Amz-Security-Token"] = key.session
    request.headers["X-Amz-Date"] = time
    canonical = auth.canonical_request(request)
    signed: Any = auth.headers_to_sign(request)
    found = auth.signature(auth.string_to_sign(request, canonical), request)
    names = auth.signed_headers(signed)
    return f"AWS4-HMAC-SHA256 Credential={auth.scope(request)}, SignedHeaders={names}, Signature={found}"


@pytest.mark.parametrize("text", ["", "only-one", ":secret", "access:", "access::session"])
def test_what_is_no_key_for_aws_is_refused_without_being_quoted(text: str) -> None:
    with pytest.raises(ValueError, match="ACCESS_KEY_ID:SECRET_ACCESS_KEY") as caught:
        AwsKey.of(text)
    assert not text or text not in str(caught.value)


def test_a_session_token_may_have_colons() -> None:
    assert AwsKey.of("a:b:c:d") == AwsKey("a", "b", "c:d")
