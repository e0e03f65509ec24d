"""Texts of profiles that leave the host: no secret does, and references to variables stay."""

from __future__ import annotations

import time

import pytest

from jackfield.api.jsontext import Json
from jackfield_profiles.portable.masking import has_mask, hidden


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (["--api-key", "abc", "--model", "x"], ["--api-key", "***", "--model", "x"]),
        (["--api-key=abc", "--max-tokens=5"], ["--api-key=***", "--max-tokens=5"]),
        (["-e", "API_KEY=abc", "-e", "MODE=fast"], ["-e", "API_KEY=***", "-e", "MODE=fast"]),
        (["--header", "Authorization: Bearer abc"], ["--header", "Authorization: ***"]),
        (["--token", "$TOKEN", "--token=${TOKEN}"], ["--token", "$TOKEN", "--token=${TOKEN}"]),
        (["--no-token", "--verbose"], ["--no-token", "--verbose"]),
        ("curl -H 'Authorization: Bearer abc' https://u:p@a.example", "curl -H 'Authorization: ***' https://***@a.example"),
        ("curl -H \"Authorization: Bearer $TOKEN\" x", "curl -H \"Authorization: Bearer $TOKEN\" x"),
        ("tool --token abc --out x", "tool --token *** --out x"),
        ("https://a.example/?api_key=abc&x=1", "https://a.example/?api_key=***&x=1"),
        ({"headers": {"X": "abc", "Y": "${Y}"}}, {"headers": {"X": "***", "Y": "${Y}"}}),
        ("run --password 'a b' on", "run --password *** on"),
        ("tokens: 5, monkey: 6, cat /etc/key", "tokens: 5, monkey: 6, cat /etc/key"),
        ({"type": "http", "token": "abc", "timeout": 5}, {"type": "http", "token": "***", "timeout": 5}),
        ("curl -H 'Authorization: Token abc'", "curl -H 'Authorization: ***'"),
        ("curl -H 'Authorization: Token ${T}' -H 'X: y'", "curl -H 'Authorization: Token ${T}' -H 'X: y'"),
        ("curl -H 'Cookie: a=b; c=d' x", "curl -H 'Cookie: ***' x"),
        ("https://ada:p@ss@a.example/x@y", "https://***@a.example/x@y"),
        (["--password=a,b;c d", "DB_PASS=e&f"], ["--password=***", "DB_PASS=***"]),
        ("PASSWORD='a$b' SECRET=\"a$b\" run", "PASSWORD=*** SECRET=*** run"),
        ("TOKEN='${T}' KEY_TOKEN=\"$(cat x)\" run", "TOKEN='${T}' KEY_TOKEN=\"$(cat x)\" run"),
        (["--token=***abc"], ["--token=***"]),
        (["-k", "sk-ant-0123456789abcdefghij"], ["-k", "***"]),
        ("say ghp_0123456789abcdefghij now", "say *** now"),
        (
            [{"type": "header", "name": "X-Api-Key", "equals": "abc"}, {"type": "header", "name": "X", "equals": "y"}],
            [{"type": "header", "name": "X-Api-Key", "equals": "***"}, {"type": "header", "name": "X", "equals": "y"}],
        ),
        ({"PreToolUse": [{"matcher": "*", "hooks": []}]}, {"PreToolUse": [{"matcher": "*", "hooks": []}]}),
    ],
)  # fmt: skip
def test_secrets_are_hidden_and_nothing_else(given: Json, shown: Json) -> None:
    assert hidden(given) == shown
    assert hidden(shown) == shown
    assert has_mask(shown) == (given != shown)


@pytest.mark.parametrize("word", ["a", "token", "a_key-", "://a@"])
def test_a_long_word_is_looked_through_once(word: str) -> None:
    """An argument has at most 131,072 characters. Each from each took hours, and everything else waited for it."""
    began = time.process_time()
    hidden([word * (131_072 // len(word))])
    assert time.process_time() - began < 5
