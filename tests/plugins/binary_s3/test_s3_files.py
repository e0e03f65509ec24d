"""Files in a bucket: kept, read, streamed, signed addresses, and what fails."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from bucket_place import MIB, Place

from jackfield.api.binary import CHUNK, BinaryError, BinaryUnavailable, LinkedFiles, Streamed, stream_of
from jackfield.api.errors import ConfigurationError, StoreUnavailable
from jackfield.api.workflows import BinaryData
from jackfield.testing.s3 import SECRET_KEY
from jackfield_binary_s3.making import s3_store
from jackfield_binary_s3.store import S3BinaryStore

BIG = bytes(range(256)) * 1000
GONE: BinaryData = {"data": "", "mimeType": "a/b", "id": "0" * 64}


async def pieces(content: bytes, size: int = 3 * MIB) -> AsyncIterator[bytes]:
    for start in range(0, len(content), size):
        yield content[start : start + size]


async def test_a_small_file_stays_inside_its_item(store: S3BinaryStore, place: Place) -> None:
    made = await store.files("e1").write(b"exactly 16 bytes", mime_type="text/plain")
    assert made["data"]
    assert place.keys() == []
    assert await store.files("e2").read(made) == b"exactly 16 bytes"


async def test_a_larger_file_is_an_object(store: S3BinaryStore, place: Place) -> None:
    made = await store.files("e1").write(BIG, mime_type="", file_name="x/b.tar.gz")
    assert (made["data"], made["bytes"], made["mimeType"], made["fileName"]) == (
        "", len(BIG), "application/gzip", "b.tar.gz"
    )  # fmt: skip
    assert place.keys() == [f"all/files/{made['id']}"]
    assert await store.files("e1").read(made) == BIG
    other = place.store().files("e1")  # another daemon's
    assert b"".join([chunk async for chunk in other.stream(made)]) == BIG
    with pytest.raises(BinaryError, match="larger than 1000 bytes"):
        await other.read(made, limit=1000)


async def test_a_file_of_many_parts(store: S3BinaryStore, place: Place) -> None:
    content = os.urandom(12 * MIB + 7)
    made = await store.files("e1").write(pieces(content), mime_type="a/b")
    found = await place.store(read_size=MIB + 1).files("e2").content(made)
    assert isinstance(found, Streamed)
    assert (found.size, found.file_id) == (len(content), made["id"])
    for _ in range(2):
        chunks = [chunk async for chunk in stream_of(found)]
        assert max(map(len, chunks)) <= CHUNK
        assert b"".join(chunks) == content
    assert await store.files("e1").read(made) == content
    assert place.unfinished() == 0


async def test_a_file_that_grows_too_large_is_forgotten(store: S3BinaryStore, place: Place) -> None:
    with pytest.raises(BinaryError, match=str(16 * MIB)):
        await store.files("e1").write(pieces(bytes(17 * MIB)), mime_type="a/b")
    assert (place.keys(), place.unfinished()) == ([], 0)


async def test_a_source_that_fails_or_is_cancelled_leaves_nothing(store: S3BinaryStore, place: Place) -> None:
    stuck = asyncio.Event()

    async def failing() -> AsyncIterator[bytes]:
        async for piece in pieces(bytes(12 * MIB)):
            yield piece
        raise ConnectionResetError("the sender is gone")

    async def endless() -> AsyncIterator[bytes]:
        async for piece in pieces(bytes(12 * MIB)):
            yield piece
        stuck.set()
        await asyncio.Event().wait()

    with pytest.raises(ConnectionResetError):
        await store.files("e1").write(failing(), mime_type="a/b")
    task = asyncio.ensure_future(store.files("e1").write(endless(), mime_type="a/b"))
    await asyncio.wait_for(stuck.wait(), 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (place.keys(), place.unfinished()) == ([], 0)


async def test_many_files_side_by_side_pass_a_narrow_place(place: Place) -> None:
    """One turn for requests, and one for uploads, whose sources are files of the bucket themselves."""
    store = place.store(transfers=1)
    content = os.urandom(6 * MIB)
    first = await store.files("e1").write(content, mime_type="a/b")
    files = store.files("e2")
    made = await asyncio.gather(*(files.write(files.stream(first), mime_type="a/b") for _ in range(3)))
    assert len({file["id"] for file in made}) == 3
    assert await files.read(made[2]) == content


async def test_what_is_not_there(store: S3BinaryStore) -> None:
    with pytest.raises(BinaryError, match="does not exist any more") as caught:
        await store.files("e1").read(GONE)
    assert not isinstance(caught.value, BinaryUnavailable)
    with pytest.raises(BinaryError, match="id is not valid"):
        await store.files("e1").content({**GONE, "id": "../x"})
    with pytest.raises(BinaryError, match="no id of an execution"):
        store.files("../x")


async def test_a_server_that_does_not_answer(unreachable: Callable[[], S3BinaryStore]) -> None:
    files = unreachable().files("e1")
    for work in (
        files.read(GONE),
        files.write(BIG, mime_type="a/b"),
        files.write(pieces(bytes(8 * MIB)), mime_type=""),
    ):
        with pytest.raises(BinaryUnavailable, match="S3 server does not answer") as caught:
            await work
        assert "127.0.0.1" not in caught.value.message
        assert caught.value.__context__ is None or caught.value.__suppress_context__


async def test_a_server_that_is_silent_keeps_nobody(place: Place) -> None:
    """Neither who waits for it nor who gives up."""
    silent = await asyncio.start_server(lambda _, __: None, "127.0.0.1", 0)
    async with silent:
        port = silent.sockets[0].getsockname()[1]
        files = place.store(endpoint=f"http://127.0.0.1:{port}", timeout=0.5).files("e1")
        with pytest.raises(BinaryUnavailable, match="does not answer"):
            await asyncio.wait_for(files.read(GONE), 5)
        task = asyncio.ensure_future(files.write(pieces(bytes(12 * MIB)), mime_type="a/b"))
        await asyncio.wait([task], timeout=0.1)
        task.cancel()
        with pytest.raises((asyncio.CancelledError, BinaryUnavailable)):
            await asyncio.wait_for(task, 6)


async def test_a_bucket_that_is_not_there(place: Place) -> None:
    store = place.store(bucket="mistyped-bucket")
    for work in (store.files("e1").write(BIG, mime_type="a/b"), store.bucket.check()):
        with pytest.raises(BinaryUnavailable, match=r"binary\.s3\.bucket"):
            await work


async def test_a_file_is_not_kept_without_its_reference(store: S3BinaryStore, place: Place) -> None:
    """Else nobody would find it after a crash."""
    place.rows.fail_with = StoreUnavailable("away")
    with pytest.raises(BinaryUnavailable, match="away"):
        await store.files("e1").write(BIG, mime_type="a/b")
    assert place.keys() == []


async def test_a_signed_address_gives_the_file_to_whoever_has_it(place: Place) -> None:
    files = place.store(presigned=30).files("e1")
    assert isinstance(files, LinkedFiles)
    made = await files.write(BIG, mime_type="text/html", file_name="Grüße.html")
    address = await files.link(made)
    assert address is not None
    assert "X-Amz-Expires=30" in address
    assert SECRET_KEY not in address
    async with httpx.AsyncClient() as client:
        answer = await client.get(address)
        part = await client.get(address, headers={"Range": "bytes=1-3"})
    assert (answer.content, answer.headers["content-type"]) == (BIG, "text/html")
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''Gr%C3%BC%C3%9Fe.html"
    assert (part.status_code, part.content) == (206, BIG[1:4])


async def test_no_address_for_what_the_bucket_would_give_otherwise(place: Place) -> None:
    files = place.store(presigned=30).files("e1")
    made = await files.write(BIG, mime_type="text/html", file_name="a.html")
    assert await files.link({**made, "fileName": "b.html"}) is None
    assert await files.link({**made, "mimeType": "text/plain"}) is None
    assert await files.link({"data": "AAAA", "mimeType": "a/b"}) is None
    assert await place.store().files("e1").link(made) is None, "none unless it is asked for"
    with pytest.raises(BinaryError, match="does not exist"):
        await files.link(GONE)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"bucket": ""}, "binary.s3.bucket"),
        ({"secret_access_key": ""}, "binary.s3.secret_access_key"),
        ({"ca_file": "/nowhere/ca.pem"}, "binary.s3.ca_file"),
    ],
)
def test_settings_that_cannot_be(place: Place, changes: dict[str, str], named: str) -> None:
    with pytest.raises(ConfigurationError, match=named):
        s3_store(place.context(**changes))


def test_the_keys_are_never_shown(place: Place) -> None:
    context = place.context()
    store = s3_store(context)
    assert SECRET_KEY in context.secrets.redacted
    assert all(SECRET_KEY not in repr(each) for each in (store, store.bucket, store.files("e1")))
