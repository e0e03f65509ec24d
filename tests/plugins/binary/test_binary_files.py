"""Files of one execution: written, read, streamed, within their limits."""

from __future__ import annotations

import asyncio
import base64
import errno
import hashlib
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.binary import CHUNK, BinaryError, BinarySettings, Streamed, head_of, stream_of
from jackfield.api.workflows import BinaryData
from jackfield_binary.layout import Layout
from jackfield_binary.store import DiskStore

BIG = b"0123456789abcdef" * 40_000


async def chunks(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def below(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


async def test_a_small_file_stays_inside_its_item(store: DiskStore, root: Path) -> None:
    made = await store.files("e1").write(b"exactly 16 bytes", mime_type="text/plain", file_name="a.txt")
    assert made == {
        "data": base64.b64encode(b"exactly 16 bytes").decode(),
        "mimeType": "text/plain",
        "fileName": "a.txt",
        "fileExtension": "txt",
        "fileType": "text",
        "fileSize": "16 B",
        "bytes": 16,
    }
    assert not root.exists()
    assert await store.files("other").read(made) == b"exactly 16 bytes"


async def test_a_larger_file_is_kept_by_its_content(store: DiskStore, root: Path) -> None:
    digest = hashlib.sha256(BIG).hexdigest()
    made = await store.files("e1").write(BIG, mime_type="", file_name="../x/b.tar.gz")
    assert made["id"] == digest
    assert (made["data"], made["mimeType"], made["bytes"]) == ("", "application/gzip", len(BIG))
    assert made["fileExtension"] == "gz"
    assert below(root) == [f"content/{digest[:2]}/{digest}", f"executions/e1/{digest}"]
    assert await store.files("e1").read(made) == BIG


async def test_the_same_content_is_kept_once(store: DiskStore, root: Path) -> None:
    first = await store.files("e1").write(BIG, mime_type="text/plain")
    again = await store.files("e1").write(chunks(BIG[:100], BIG[100:]), mime_type="text/plain")
    other = await store.files("e2").write(BIG, mime_type="text/plain")
    assert first == again == other
    assert (root / "content" / first["id"][:2] / first["id"]).stat().st_nlink == 3
    assert not list((root / "incoming").iterdir())


async def test_everything_is_closed_to_others(store: DiskStore, root: Path) -> None:
    old = os.umask(0)
    try:
        await store.files("e1").write(BIG, mime_type="text/plain")
    finally:
        os.umask(old)
    modes = {(path.is_dir(), path.stat().st_mode & 0o777) for path in [root, *root.rglob("*")]}
    assert modes == {(True, 0o700), (False, 0o600)}


@given(parts=st.lists(st.binary(max_size=40), max_size=6))
def test_a_stream_is_the_same_as_the_whole(tmp_path_factory: pytest.TempPathFactory, parts: list[bytes]) -> None:
    files = DiskStore(tmp_path_factory.mktemp("binary"), BinarySettings(inline_limit=20)).files("e1")

    async def both() -> tuple[BinaryData, BinaryData, bytes]:
        one = await files.write(chunks(*parts), mime_type="a/b")
        two = await files.write(b"".join(parts), mime_type="a/b")
        return one, two, b"".join([chunk async for chunk in files.stream(one)])

    one, two, read = asyncio.run(both())
    assert one == two
    assert read == b"".join(parts)


async def test_a_file_is_streamed_in_bounded_chunks(store: DiskStore) -> None:
    files = store.files("e1")
    made = await files.write(BIG, mime_type="text/plain")
    read = [chunk async for chunk in files.stream(made)]
    assert max(map(len, read)) <= CHUNK
    assert b"".join(read) == BIG
    inline: BinaryData = {"data": base64.b64encode(BIG).decode(), "mimeType": "text/plain"}
    assert b"".join([chunk async for chunk in files.stream(inline)]) == BIG


async def test_a_stream_that_is_left_early_closes_its_file(store: DiskStore) -> None:
    made = await store.files("e1").write(BIG, mime_type="text/plain")
    before = open_files()
    stream = store.files("e1").stream(made)
    await anext(stream)
    await stream.aclose()
    await until(lambda: open_files() == before)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def until(true: Callable[[], bool]) -> None:
    """The thread that read last lets go of the file a moment after its answer."""
    async with asyncio.timeout(5):
        while not true():
            await asyncio.sleep(0.001)


async def test_content_is_read_again_side_by_side_and_after_its_end(store: DiskStore, root: Path) -> None:
    files = store.files("e1")
    made = await files.write(BIG, mime_type="text/plain")
    before = open_files()
    content = await files.content(made)
    assert isinstance(content, Streamed)
    assert (content.size, content.file_id) == (len(BIG), made["id"])
    await store.release(["e1"])
    assert below(root) == []
    first, second = stream_of(content), stream_of(content)
    read = [await anext(first), await anext(second)]
    assert read[0] == read[1] == BIG[:CHUNK]
    assert b"".join([chunk async for chunk in first]) == BIG[CHUNK:]
    assert await head_of(content, 5) == BIG[:5]
    assert open_files() == before + 1
    await second.aclose()
    del content, first, second
    await until(lambda: open_files() == before)


async def test_content_that_is_in_its_item_or_gone(store: DiskStore) -> None:
    files = store.files("e1")
    assert await files.content(await files.write(b"little", mime_type="text/plain")) == b"little"
    made = await files.write(BIG, mime_type="text/plain")
    await store.release(["e1"])
    with pytest.raises(BinaryError, match="does not exist any more"):
        await files.content(made)
    with pytest.raises(BinaryError, match="id is not valid"):
        await files.content({"data": "", "mimeType": "", "id": "../x"})


@pytest.mark.parametrize("size", [len(BIG) - 1, len(BIG) + 1])
async def test_a_file_whose_length_changed_is_not_sent_as_whole(store: DiskStore, root: Path, size: int) -> None:
    made = await store.files("e1").write(BIG, mime_type="text/plain")
    content = await store.files("e1").content(made)
    os.truncate(root / "executions" / "e1" / made["id"], size)
    with pytest.raises(BinaryError, match="has not the length"):
        assert [chunk async for chunk in stream_of(content)] == []


async def test_a_file_over_the_limit_leaves_nothing(store: DiskStore, root: Path) -> None:
    with pytest.raises(BinaryError, match="larger than 4000000 bytes"):
        await store.files("e1").write(chunks(*[BIG] * 7), mime_type="text/plain")
    assert below(root) == []


async def test_a_stream_that_breaks_leaves_nothing(store: DiskStore, root: Path) -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield BIG
        raise RuntimeError("the sender is gone")

    with pytest.raises(RuntimeError, match="the sender is gone"):
        await store.files("e1").write(broken(), mime_type="text/plain")
    assert below(root) == []


async def test_a_cancelled_write_leaves_nothing(store: DiskStore, root: Path) -> None:
    begun = asyncio.Event()

    async def endless() -> AsyncIterator[bytes]:
        yield BIG
        begun.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(store.files("e1").write(endless(), mime_type="text/plain"))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert below(root) == []


async def test_what_may_be_read_whole_is_limited(store: DiskStore) -> None:
    files = store.files("e1")
    made = await files.write(BIG * 4, mime_type="text/plain")
    with pytest.raises(BinaryError, match="larger than 2000000 bytes"):
        await files.read(made)
    with pytest.raises(BinaryError, match="larger than 10 bytes"):
        await files.read(made, limit=10)
    assert len(await files.read(made, limit=len(BIG) * 4)) == len(BIG) * 4
    with pytest.raises(BinaryError, match="larger than 2 bytes"):
        await files.read({"data": "YWJj", "mimeType": "text/plain"}, limit=2)


@pytest.mark.parametrize("data", ["%%", "YQ", "YWJj\n", "ä"])
async def test_broken_base64_is_an_error(store: DiskStore, data: str) -> None:
    with pytest.raises(BinaryError, match="not valid base64"):
        await store.files("e1").read({"data": data, "mimeType": "text/plain"})


WRONG: list[Any] = ["../../etc/passwd", "A" * 64, "0" * 63, "0" * 65, "0" * 63 + "\n", "٠" * 64, 7, ["x"]]


@pytest.mark.parametrize("file_id", WRONG)
async def test_only_digests_are_ids(store: DiskStore, file_id: Any) -> None:
    with pytest.raises(BinaryError, match="id is not valid"):
        await store.files("e1").read({"data": "", "mimeType": "text/plain", "id": file_id})


@pytest.mark.parametrize("execution", ["", "..", "a/b", ".hidden", "-x", "x" * 65, "e\n", "é"])
async def test_only_ids_of_executions_name_directories(store: DiskStore, execution: str) -> None:
    with pytest.raises(BinaryError, match="no id of an execution"):
        store.files(execution)
    with pytest.raises(BinaryError, match="no id of an execution"):
        await store.adopt(execution, [])
    with pytest.raises(BinaryError, match="no id of an execution"):
        await store.release([execution])


async def test_an_unknown_file_is_an_error(store: DiskStore) -> None:
    with pytest.raises(BinaryError, match="does not exist any more"):
        await store.files("e1").read({"data": "", "mimeType": "text/plain", "id": "0" * 64})


async def test_symbolic_links_are_not_followed(store: DiskStore, root: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    owned = root / "executions/e1"
    owned.mkdir(parents=True)
    (owned / ("0" * 64)).symlink_to(secret)
    with pytest.raises(BinaryError, match="could not be read"):
        await store.files("e1").read({"data": "", "mimeType": "text/plain", "id": "0" * 64})


REFUSED = [(errno.ENOSPC, "the disk is full"), (errno.EDQUOT, "the disk is full"), (errno.EROFS, "Read-only")]


@pytest.mark.parametrize(("number", "told"), REFUSED)
async def test_what_the_disk_refuses_is_told(
    store: DiskStore, root: Path, monkeypatch: pytest.MonkeyPatch, number: int, told: str
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "write", refuse)
    with pytest.raises(BinaryError, match=told):
        await store.files("e1").write(BIG, mime_type="text/plain")
    monkeypatch.undo()
    assert below(root) == []


async def test_without_hard_links_the_error_says_so(
    store: DiskStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(BinaryError, match="file system with hard links"):
        await store.files("e1").write(BIG, mime_type="text/plain")
    assert below(root) == []


async def test_damaged_content_is_replaced(store: DiskStore, root: Path) -> None:
    made = await store.files("e1").write(BIG, mime_type="text/plain")
    content = root / "content" / made["id"][:2] / made["id"]
    content.write_bytes(b"short")
    await store.files("e2").write(BIG, mime_type="text/plain")
    assert await store.files("e2").read(made) == BIG


async def test_a_file_with_all_links_used_up_is_copied(
    store: DiskStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File systems allow some 65,000 links to a file."""
    made = await store.files("e1").write(BIG, mime_type="text/plain")
    link, full = os.link, (root / "content" / made["id"][:2] / made["id"]).stat().st_ino

    def counted(source: Any, target: Any, **more: Any) -> None:
        if Path(source).stat().st_ino == full:
            raise OSError(errno.EMLINK, "Too many links")
        link(source, target, **more)

    monkeypatch.setattr(os, "link", counted)
    await store.files("e2").write(BIG, mime_type="text/plain")
    await store.adopt("e3", [{"json": {}, "binary": {"x": made}}])
    for execution in ("e1", "e2", "e3"):
        assert await store.files(execution).read(made) == BIG
    assert not list((root / "incoming").iterdir())


def test_the_layout_lists_nothing_before_it_exists(root: Path) -> None:
    assert list(Layout(root).old_executions(float("inf"), 10)) == []
    assert Layout(root).remove_orphans(float("inf")) == 0
