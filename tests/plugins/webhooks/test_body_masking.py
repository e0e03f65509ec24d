"""Bodies in the history: fields that are named like secrets have no value, all else is as it came."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield_webhooks.calls.body_masking import BodyMask

PLANTED = "planted-b0dy"
FORM = "application/x-www-form-urlencoded"
JSON = "application/json"


@pytest.mark.parametrize(
    "name", ["password", "api_key", "apiKey", "accessToken", "client_secret", "Authorization", "pwd"]
)
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('{{"user": "ada", "{name}" : "{value}", "x": 1}}', JSON),
        ('{{"a": [{{"{name}":"{value}\\"more"}}]}}', JSON),
        ('{{"{name}": ["{value}", "b"]}}', JSON),
        ('{{"{name}": {{"of": {{"x": 1, "key": "{value}"}}}}, "a": 1}}', JSON),
        ('{{"{name}": [[1], {{"a": "}}", "b": "{value}"}}]}}', JSON),
        ('{{"cut": 1, "{name}": {{"a": ["{value}', JSON),
        ('{{"b\\u00fcro_{name}": "{value}"}}', JSON),
        ('{{"Message": "{{\\"{name}\\": {{\\"a\\": \\"{value}\\"}}}}"}}', JSON),
        ('{{"a": "{{\\"b\\": \\"{{\\\\\\"{name}\\\\\\": \\\\\\"{value}\\\\\\"}}\\"}}"}}', JSON),
        ('{{"Message": "{{\\"{name}\\": \\"{value}\\", \\"x\\": 1}}"}}', JSON),
        ('{{"cut": 1, "{name}": "{value}', JSON),
        ("user=ada&{name}={value}&x=1", FORM),
        ("user=ada&{name}={value}&x=1", "Application/X-WWW-Form-URLencoded; charset=utf-8"),
        ("payload=%7B%22{name}%22%3A+%22{value}%22%7D", FORM),
        (
            "--b\r\nContent-Disposition: form-data; name={name}\r\n\r\n{value}\r\n--b--",
            "multipart/form-data; boundary=b",
        ),
        (
            '--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n--b--',
            "multipart/form-data; boundary=b",
        ),
        ("<a><{name}>{value}</{name}></a>", "text/xml"),
        ("<a><{name}><![CDATA[{value}]]></{name}></a>", "text/xml"),
        ("<a><{name}><b>{value}</b></{name}></a>", "text/xml"),
        ("<a><{name}><![CDATA[{value}", "text/xml"),
        ('<a x="1" {name}="{value}"/>', "text/xml"),
    ],
)
def test_its_value_is_hidden(name: str, body: str, kind: str) -> None:
    given = body.format(name=name, value=PLANTED)
    found = BodyMask().masked(given.encode(), kind)
    assert PLANTED not in found
    assert "***" in found
    assert name in found


@pytest.mark.parametrize(
    "body",
    [
        '{"usage": {"max_tokens": 4096}, "key": "ABC-1", "keys": ["a"], "author": "ada", "pass": true, "token": ""}',
        "a secret told in prose: token",
        '{"access_tokens_url": "https://api.example.com/tokens", "token_type": "bearer", "token_expires_in": "60"}',
        '{ "a" : 1.0,\n  "ü": "é ✓" }',
        '{"tokens_details": {"cached": 12, "more": [1, {"x": null}]}, "secret": {}, "cookies": []}',
        '{"text": "send <token> with <access_token/> and <key>"}',
    ],
)
def test_all_else_is_as_it_came(body: str) -> None:
    assert BodyMask().masked(body.encode(), JSON) == body


_names = st.sampled_from(["password", "token", "name", "a", "secret", "data"])
_values: Any = st.recursive(
    st.text(max_size=8) | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(_names, _values, max_size=4))
def test_json_stays_json(given: dict[str, Any]) -> None:
    for separators in ((",", ":"), (", ", ": ")):
        found = json.loads(BodyMask().masked(json.dumps(given, separators=separators).encode(), JSON))
        assert found.keys() == given.keys()
        for name, value in found.items():
            if name in ("password", "token", "secret") and isinstance(given[name], str):
                assert value == ("***" if given[name] else "")


def _shown(body: bytes, parsed: Any) -> str:
    mask = BodyMask()
    return body.decode() if mask.shows(body, parsed) else mask.masked(body, JSON)


@given(st.dictionaries(_names, _values, max_size=4), st.sampled_from([(",", ":"), (", ", ": "), (", ", " : ")]))
def test_a_parsed_body_reads_as_its_text(given: dict[str, Any], separators: tuple[str, str]) -> None:
    for body in (json.dumps(given, separators=separators), json.dumps([json.dumps(given)], separators=separators)):
        assert _shown(body.encode(), json.loads(body)) == BodyMask().masked(body.encode(), JSON)


def test_a_name_that_parsing_drops_is_hidden_as_well() -> None:
    twice = f'{{"a":{{"password":"{PLANTED}"}},"a":1}}'
    assert PLANTED not in _shown(twice.encode(), json.loads(twice))


@pytest.mark.parametrize(
    "piece",
    [
        '"',
        '\\"',
        "\\",
        '"secret":"',
        '\\"secret\\":\\"',
        'name="secret"\r\nx',
        "<secret>",
        '"secret":[',
        "secret=",
        " ",
    ],
)
def test_no_body_takes_long(piece: str) -> None:
    body = (piece * (65536 // len(piece)) + "secret").encode()[:65536]
    began = time.process_time()
    BodyMask().masked(body, JSON)
    assert time.process_time() - began < 0.5


def test_a_name_that_stands_twice_hides_nothing() -> None:
    body = '{"a" :{"password":"%s"},"a" :{"x":1,"y":"\':"}}' % PLANTED  # noqa: UP031 - braces
    assert PLANTED not in _shown(body.encode(), json.loads(body))
    body = '{"a" :{"password":"%s"},"a" :1,"y":":"}' % PLANTED  # noqa: UP031 - braces
    assert PLANTED not in _shown(body.encode(), json.loads(body))


@pytest.mark.parametrize(
    "part",
    [
        '"token":{',
        '"token":[1,',
        '"password":{',
        "\\",
        '\\"',
        '"secret":"\\',
        "name=token",
        "<token>",
        "<token x='",
        " token='",
        '\\\\\\"token\\\\\\": ',
        '"token" ',
        "token ",
        '"',
        '{"a":',
        "<![CDATA[",
        'name="token"\r\nx',
    ],
)
def test_long_bodies_take_little_time(part: str) -> None:
    for begin in ("", '{"token": ', "<token>"):
        body = (begin + part * 70_000)[:65_536].encode()
        started = time.perf_counter()
        BodyMask().masked(body, JSON)
        BodyMask().masked(body, FORM)
        assert time.perf_counter() - started < 2
