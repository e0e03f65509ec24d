"""Expressions that only say where a secret is are shown; whatever has a literal of its own is a secret."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.nodes.secret_values import ABSENT, MASK, is_reference, masked


@pytest.mark.parametrize(
    "value",
    [
        "={{ $json.key }}",
        "=Bearer {{ $json.token }}",
        "=token {{$env.GH}}",
        '={{$json["api key"]}}',
        "={{ $('Set').item.json.token }}",
        '=Bearer {{ $item("0").$node["Assign Credentials"].json["api_key"] }}',
        "={{ 'Bearer ' + $json.access_token }}",
        "=Basic {{ Buffer.from($json.user + ':' + $json.pass).toString('base64') }}",
        "={{ $json.type }} {{ $json.token }}",
        "={{ $json?.['x'] ?? $env.Y }}",
        "={{ $json.list[0].key }}\n",
        "={{ $json.list[0].parts[1].key.slice(0, 32) }}",
    ],
)
def test_references(value: str) -> None:
    assert is_reference(value)
    assert masked(value, ABSENT) == value


@pytest.mark.parametrize(
    "value",
    [
        "={{ 'sk-live-1234' }}",
        "={{ `sk` + $json.a }}",
        "={{ $json.a || 'sk' }}",
        '={{ $json.a || ["sk-live"][0] }}',
        "={{ $json.a || ('x')['sk-live'] }}",
        "={{ $json.a.replace('x', 'sk') }}",
        "={{ $json.a, 123456 }}",
        "={{ $json.a || 0xdeadbeefcafe }}",
        "={{ $json.a || 12_34_56_78 }}",
        "={{ $json.a || .12345678 }}",
        "={{ $json.a || 1.2345678 }}",
        "={{ $json.a, [12,34,56,78].join() }}",
        "={{ $json.a, String.fromCharCode(83, 69, 67, 82) }}",
        "={{ $json.a || /sk/.source }}",
        "={{ $json.a || sk_live }}",
        "={{ sk_live }}",
        "={{ 'Bearer sk' + $json.a }}",
        "={{ { a: $json.b } }}",
        "={{ }}",
        "=sk-live {{ $json.a }}",
        "=Bearer {{ $json.a }}abc",
        "={{ $json.a }}-{{ $json.b }}",
        "=Bearer abc",
        "Bearer {{ $json.a }}",
    ],
)
def test_secrets(value: str) -> None:
    assert not is_reference(value)
    assert masked(value, ABSENT) == MASK


SECRETS = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", min_size=9)


WRITTEN = ("'{}'", '"{}"', "`{}`", "/{}/.source", "['{}']", '["{}"]', "('{}')", "f('{}')")
AROUND = ("={{{{ $json.a || {} }}}}", "={{{{ {} + $json.a }}}}", "={{{{ $json.a }}}} {{{{ $json.b, {} }}}}")


@given(SECRETS, st.sampled_from(WRITTEN), st.sampled_from(AROUND))
def test_no_literal_is_shown_wherever_it_stands(secret: str, written: str, around: str) -> None:
    assert not is_reference(around.format(written.format(secret)))


@pytest.mark.parametrize("part", ["'", " ", "{{ ", "$(", "['", "$item(", "{{$a}} ", "' "])
def test_long_values_take_little_time(part: str) -> None:
    begun = time.perf_counter()
    is_reference("={{" + part * 20_000)
    is_reference("={{" + part * 20_000 + "}}")
    assert time.perf_counter() - begun < 2
