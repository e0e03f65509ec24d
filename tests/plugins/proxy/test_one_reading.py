"""A request means one thing: for who may ask, for the price, for the cache, and for the provider."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proxy_lab import ASKED, Provider_, plan, proxy_of, upstream

from jackfield.api.dialects.model import DialectError
from jackfield_proxy.child.incoming.large import LARGE
from jackfield_proxy.child.incoming.raw_model import require_one_reading

TWICE = {
    "repeated": '"model": "allowed", "model": "forbidden"',
    "escaped": r'"model": "allowed", "mod\u0065l": "forbidden"',
    "in another case": '"model": "allowed", "Model": "forbidden"',
    "with a letter that some take for another": '"max_tokens": 1, "max_to\u212aens": 9, "model": "m"',
    "alone and in another case": '"model": "m", "MAX_TOKENS": 9',
    "how much": '"model": "m", "max_tokens": 1, "max_tokens": 100000',
}
PATHS = ("/v1/messages", "/v1/messages/count_tokens", "/v1/chat/completions", "/v1/responses", "/v1/messages/batches")
VALUES = st.sampled_from(["1", '"\\ud800"', "[{}]", '{"a": 1, "a": 2}', "1e999"])
ESCAPED = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=8)


@pytest.mark.parametrize("members", TWICE.values(), ids=TWICE.keys())
@pytest.mark.parametrize("size", [0, LARGE])
async def test_what_has_two_readings_reaches_no_provider(members: str, size: int) -> None:
    field = "model" if "forbidden" in members else "max_tokens"
    async with Provider_().serving() as north, proxy_of(plan({"north": upstream(north)})) as proxy:
        for path in PATHS:
            body = f'{{"messages": [], "padding": "{"x" * size}", {members}}}'.encode()
            status, answer = await proxy.post(body, path)
            assert status == 400, (path, answer)
            assert field in json.loads(answer)["error"]["message"]
        assert not north.asked


async def test_what_has_one_reading_passes_whatever_lies_inside() -> None:
    async with Provider_().serving() as north, proxy_of(plan({"north": upstream(north)})) as proxy:
        body = json.dumps({**ASKED, "metadata": {"model": "a", "Model": "b"}}).encode()
        body = body.replace(b'"metadata"', b'"x": {"model": 1, "model": 2}, "m\\u0065tadata"')
        assert (await proxy.post(body))[0] == 200
        assert north.asked[0].body == body


@given(st.lists(ESCAPED, max_size=6), VALUES)
def test_names_are_seen_however_they_are_written(names: list[str], value: str) -> None:
    written = [f"\\u{ord(name[0]):04x}{name[1:]}" for name in names]
    body = ("{" + ", ".join(f'"{name}" : {value}' for name in written) + "}").encode()
    plain = [name.casefold() for name in names]
    if len(set(plain)) == len(plain) and set(plain).isdisjoint({"n", "model", "stream", "store"}):
        require_one_reading(body)
    elif len(set(plain)) < len(plain):
        with pytest.raises(DialectError) as refused:
            require_one_reading(body)
        assert refused.value.param in plain


@given(
    st.lists(st.sampled_from(["a", "b", "A", "n", "\u212a", "\\u0061", "\u00df", "ss"]), min_size=1, max_size=5), VALUES
)
def test_names_are_seen_in_bodies_without_spaces(names: list[str], value: str) -> None:
    body = ("{" + ",".join(f'"{name}":{value}' for name in names) + "}").encode()
    plain = [json.loads(f'"{name}"').casefold() for name in names]
    if len(set(plain)) == len(plain):
        require_one_reading(body)
    else:
        with pytest.raises(DialectError):
            require_one_reading(body)
