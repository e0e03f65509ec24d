"""Forms with files as the daemon sends them are what its own webhooks read, and as long as they say."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.binary import CHUNK, Streamed, size_of, stream_of
from jackfield.api.http_client import HttpBody
from jackfield.api.multipart import FormFile, form_body
from jackfield.testing.binary import MemoryFiles
from jackfield_webhooks.bodies.multipart import parse

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="%\\"), min_size=1, max_size=20)


def whole(body: HttpBody) -> bytes:
    async def read() -> bytes:
        return b"".join([chunk async for chunk in stream_of(body.content)])

    return asyncio.run(read())


@given(st.lists(st.tuples(TEXT, st.text(st.characters(exclude_categories=["Cs"])))), st.lists(st.binary()), TEXT)
def test_what_is_written_is_read(fields: list[tuple[str, str]], contents: list[bytes], name: str) -> None:
    body = form_body(fields, [FormFile(f"f{n}", name, content, "a/b") for n, content in enumerate(contents)])
    written = whole(body)
    assert size_of(body.content) == len(written)
    found, files = parse(written, body.content_type or "", None)
    expected: dict[str, list[str]] = {}
    for key, value in fields:
        expected.setdefault(key, []).append(value)
    assert {key: value if isinstance(value, list) else [value] for key, value in found.items()} == expected
    assert [bytes(files[f"f{n}"].content) for n in range(len(contents))] == contents
    assert {file.inline()["mimeType"] for file in files.values()} <= {"a/b"}


@pytest.mark.parametrize("name", ['a".png', "a\r\nX-Evil: 1", "a\\b", "\ud800", ""])
def test_names_stay_inside_their_quotes(name: str) -> None:
    written = whole(form_body([(name, "x")], [FormFile(name, name, b"y", "text/plain\r\nX-Evil: 1")]))
    lines = written.split(b"\r\n")
    assert not any(line.lower().startswith(b"x-evil") for line in lines)
    heads = [line for line in lines if line.startswith(b"Content-Disposition")]
    assert [line.replace(b"\\\\", b"").count(b'"') for line in heads] == [2, 4]


async def test_a_large_form_is_a_stream_that_can_be_read_again() -> None:
    files = MemoryFiles()
    kept = await files.content(await files.write(b"z" * (3 * CHUNK), mime_type="a/b"))
    for content in (kept, b"z" * (3 * CHUNK)):
        body = form_body([("a", "b")], [FormFile("f", "n.bin", content)])
        assert isinstance(body.content, Streamed)
        assert body.whole is None
        first, second = [[chunk async for chunk in stream_of(body.content)] for _ in range(2)]
        assert first == second
        assert max(map(len, first)) <= CHUNK
        assert sum(map(len, first)) == body.content.size
        assert b"Content-Type: application/octet-stream" in b"".join(first)
