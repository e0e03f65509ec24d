"""How long files are kept: adopted, released, swept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.binary import BinaryError, BinarySettings
from jackfield.api.binary_drivers import referred
from jackfield.api.errors import StoreUnavailable
from jackfield.api.storage import NewExecution
from jackfield.api.workflows import BinaryData
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_binary.store import DiskStore, disk_store
from jackfield_binary.sweeping import start, sweep, sweep_forever

BIG = b"x" * 100
DAY = 86400


async def kept(store: DiskStore, execution: str, content: bytes = BIG) -> BinaryData:
    return await store.files(execution).write(content, mime_type="text/plain")


async def readable(store: DiskStore, execution: str, file: BinaryData) -> bool:
    try:
        await store.files(execution).read(file)
    except BinaryError:
        return False
    return True


async def test_a_file_goes_with_the_last_execution_that_refers_to_it(store: DiskStore, root: Path) -> None:
    file = await kept(store, "e1")
    await kept(store, "e2")
    await store.release(["e1"])
    assert await readable(store, "e2", file)
    await store.release(["e2", "never-was"])
    assert not await readable(store, "e2", file)
    assert [path for path in root.rglob("*") if path.is_file()] == []
    assert list((root / "executions").iterdir()) == []


async def test_an_adopted_file_outlives_where_it_came_from(store: DiskStore) -> None:
    file = await kept(store, "e1")
    await store.adopt("e2", [{"json": {}, "binary": {"a": file, "b": file}}, {"json": {}}])
    await store.release(["e1"])
    assert await readable(store, "e2", file)


async def test_adopting_what_is_gone_does_nothing(store: DiskStore, root: Path) -> None:
    gone: BinaryData = {"data": "", "mimeType": "a/b", "id": "0" * 64}
    await store.adopt("e2", [{"json": {}, "binary": {"a": gone}}])
    assert not root.exists()


async def test_a_file_that_is_read_by_another_execution_is_adopted(store: DiskStore) -> None:
    file = await kept(store, "e1")
    assert await readable(store, "e2", file)
    await store.release(["e1"])
    assert await readable(store, "e2", file)


def test_references_in_whatever_scripts_make() -> None:
    digest = "0" * 64
    odd: list[Any] = [
        {"binary": {"a": {"id": digest}, "b": {"id": "../x"}, "c": "text", "d": None}},
        {"binary": [digest]},
        {"binary": None},
        {"json": {"id": digest}},
        "text",
        {"binary": {"e": {"id": digest}}},
    ]
    assert referred(odd) == [digest]


@pytest.fixture
def context(tmp_path: Path, store: DiskStore) -> FakeContext:
    ports = {"Store": MemoryStore(), "BinaryStore": store}
    return FakeContext(tmp_path, clock=FakeClock(), ports=ports, tables=[BinarySettings()])


def age(root: Path, seconds: float, *parts: str) -> None:
    """Give a file or directory this age on the test's clock."""
    moment = FakeClock().now_ms() / 1000 - seconds
    os.utime(root.joinpath(*parts), (moment, moment))


async def test_the_sweep_takes_what_the_store_no_longer_has(context: FakeContext, store: DiskStore, root: Path) -> None:
    files = {name: await kept(store, name, name.encode() * 20) for name in ("known", "gone", "fresh")}
    await context.store.add_execution(NewExecution("known", None, 0, "webhook", "running", 1, b"{}"))
    for name in ("known", "gone"):
        age(root, DAY + 10, "executions", name)
    age(root, DAY - 10, "executions", "fresh")
    (root / "executions/not an id").mkdir()
    await sweep(context, store)
    assert {name for name, file in files.items() if await readable(store, name, file)} == {"known", "fresh"}
    assert (root / "executions/not an id").is_dir()


async def test_the_sweep_takes_what_a_crash_left(context: FakeContext, store: DiskStore, root: Path) -> None:
    file = await kept(store, "e1")
    digest = file["id"]
    orphan = root / "content/ab" / ("ab" * 32)
    orphan.parent.mkdir()
    for path in (orphan, root / "incoming/old", root / "incoming/new"):
        path.write_bytes(b"left")
    for parts in (("content", "ab", "ab" * 32), ("incoming", "old"), ("content", digest[:2], digest)):
        age(root, DAY + 10, *parts)
    age(root, 10, "incoming", "new")
    await sweep(context, store)
    assert not orphan.exists()
    assert [path.name for path in (root / "incoming").iterdir()] == ["new"]
    age(root, 0, "executions", "e1")
    assert await readable(store, "e1", file)


async def test_the_sweep_comes_again_after_a_failure(context: FakeContext, store: DiskStore, root: Path) -> None:
    clock = context.clock
    assert isinstance(clock, FakeClock)
    assert isinstance(context.store, MemoryStore)
    await kept(store, "e1")
    age(root, DAY + 10, "executions", "e1")
    context.store.fail_with = StoreUnavailable("away")
    asked: list[list[str]] = []
    real = context.store.known_executions

    async def known(ids: Any) -> set[str]:
        asked.append(list(ids))
        return await real(ids)

    context.store.known_executions = known  # type: ignore[method-assign]
    task = context.spawn("sweep", sweep_forever(context, store))
    for attempt in (1, 2):
        await clock.advance(3600)
        await until(lambda attempt=attempt: len(asked) == attempt)
        context.store.fail_with = None
    await until(lambda: not (root / "executions/e1").exists())
    task.cancel()


async def until(condition: Any) -> None:
    import asyncio

    async with asyncio.timeout(5):
        while not condition():
            await asyncio.sleep(0.001)


async def test_the_plugin_gives_the_store_and_sweeps_it(tmp_path: Path) -> None:
    context = FakeContext(tmp_path, clock=FakeClock())
    start(context)  # another store keeps the files
    context.ports["BinaryStore"] = made = disk_store(context)
    assert made.name == "disk"
    spawned: list[str] = []

    def spawn(name: str, coroutine: Any) -> None:
        spawned.append(name)
        coroutine.close()

    context.spawn = spawn  # type: ignore[assignment,method-assign]
    start(context)
    assert spawned == ["sweep"]
