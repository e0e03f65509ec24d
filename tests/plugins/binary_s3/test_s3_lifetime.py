"""How long files of a bucket are kept, and who deletes them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

import pytest
from bucket_place import Place

from jackfield.api.binary import BinaryError
from jackfield.api.errors import StoreUnavailable
from jackfield.api.storage import NewExecution
from jackfield.api.workflows import BinaryData
from jackfield.testing.context import FakeContext
from jackfield_binary_s3.making import s3_store
from jackfield_binary_s3.store import S3BinaryStore
from jackfield_binary_s3.sweeping import start, sweep, sweep_forever, takes_turn

BIG = b"x" * 100
HOUR, DAY = 3600, 86400


async def kept(store: S3BinaryStore, execution: str) -> BinaryData:
    return await store.files(execution).write(BIG, mime_type="text/plain")


async def readable(store: S3BinaryStore, execution: str, file: BinaryData) -> bool:
    try:
        await store.files(execution).read(file)
    except BinaryError:
        return False
    return True


async def test_a_file_goes_when_nobody_has_referred_to_it_for_a_while(place: Place) -> None:
    context = place.context()
    store = s3_store(context)
    file = await kept(store, "e1")
    await place.store().adopt("e2", [{"json": {}, "binary": {"a": file}}, {"json": {}}])  # by another daemon
    await store.release(["e1"])
    await place.clock.advance(HOUR + 1)
    await sweep(context, store)
    assert await readable(store, "e2", file)
    await store.release(["e2", "never-was"])
    await place.clock.advance(HOUR - 1)
    await sweep(context, store)
    assert place.keys() != [], "somebody may still be reading it"
    await place.clock.advance(2)
    await sweep(context, store)
    assert place.keys() == []
    assert not await readable(store, "e3", file)


async def test_nobody_takes_a_file_that_the_sweep_deletes(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    context = place.context()
    store = s3_store(context)
    file = await kept(store, "e1")
    await store.release(["e1"])
    await place.clock.advance(HOUR + 1)
    taken: list[str] = []

    async def delete(keys: Sequence[str]) -> None:
        """Another daemon comes before the bucket has answered."""
        late = place.store()
        await late.adopt("e2", [{"json": {}, "binary": {"a": file}}])
        with pytest.raises(BinaryError, match="does not exist any more"):
            await late.files("e2").read(file)
        taken.extend(keys)

    monkeypatch.setattr(store.bucket, "delete", delete)
    await sweep(context, store)
    assert taken == [file["id"]]
    assert await place.rows.refer_to_files("e3", taken, 0) == [], "it may be sent anew"


async def test_a_released_file_that_is_read_belongs_to_its_reader(place: Place) -> None:
    context = place.context()
    store = s3_store(context)
    file = await kept(store, "e1")
    await store.release(["e1"])
    assert await readable(store, "e2", file)
    await place.clock.advance(HOUR + 1)
    await sweep(context, store)
    assert await readable(store, "e2", file)


async def test_a_file_that_another_daemon_has_released_belongs_to_its_reader_again(place: Place) -> None:
    """Its execution, which is not stored yet, takes longer than a sweep expects."""
    context = place.context()
    slow = place.store()
    file = await kept(slow, "e1")
    await place.clock.advance(DAY + 1)
    await sweep(context, s3_store(context))
    assert await readable(slow, "e1", file)
    await place.clock.advance(HOUR + 1)
    await sweep(context, s3_store(context))
    assert await readable(slow, "e1", file)


async def test_a_file_that_is_written_while_its_execution_is_released_is_no_ones(place: Place) -> None:
    """Its next reader refers to it: the reference is not remembered beside its release."""
    store = place.store()
    refer = place.rows.refer_to_files

    async def late(execution_id: str, file_ids: Sequence[str], now: int) -> Sequence[str]:
        going = await refer(execution_id, file_ids, now)
        await store.release(["e1"])
        return going

    place.rows.refer_to_files = late  # type: ignore[method-assign]
    file = await kept(store, "e1")
    place.rows.refer_to_files = refer  # type: ignore[method-assign]
    assert await place.rows.released_files(2**60, 9) == [file["id"]]
    assert await readable(store, "e1", file)
    assert await place.rows.released_files(2**60, 9) == []


async def test_the_sweep_takes_what_the_store_no_longer_has(place: Place) -> None:
    """Also what a daemon has left that died before its execution was stored."""
    context = place.context()
    store = s3_store(context)
    files = {name: await kept(store, name) for name in ("known", "gone", "dead")}
    await place.rows.add_execution(NewExecution("known", None, 0, "webhook", "running", 1, b"{}"))
    await place.clock.advance(DAY - 10)
    files["fresh"] = await kept(store, "fresh")
    await place.clock.advance(11)
    await sweep(context, store)
    await place.clock.advance(HOUR + 1)
    await sweep(context, store)
    assert {name for name, file in files.items() if await readable(store, name, file)} == {"known", "fresh"}


async def test_a_daemon_that_dies_before_its_upload_leaves_nothing_but_a_reference(place: Place) -> None:
    context = place.context()
    store = s3_store(context)
    await place.rows.refer_to_files("e1", ["0" * 64], place.clock.now_ms())
    for seconds in (DAY + 1, HOUR + 1):
        await place.clock.advance(seconds)
        await sweep(context, store)
    assert await place.rows.released_files(2**60, 10) == []


async def test_one_daemon_sweeps_at_a_time(place: Place) -> None:
    daemons = [place.context() for _ in range(3)]
    assert sum(await asyncio.gather(*(takes_turn(each) for each in daemons))) == 1
    await place.clock.advance(HOUR / 2)
    assert not await takes_turn(daemons[0])
    await place.clock.advance(HOUR / 2)
    assert sum(await asyncio.gather(*(takes_turn(each) for each in daemons))) == 1, "whoever began may have died"


async def test_the_sweep_comes_again_after_a_failure(place: Place) -> None:
    context = place.context()
    store = s3_store(context)
    await kept(store, "e1")
    await store.release(["e1"])
    place.rows.fail_with = StoreUnavailable("away")
    task = context.spawn("sweep", sweep_forever(context, store))
    try:
        await place.clock.advance(HOUR + 1)
        assert place.keys() != []
        place.rows.fail_with = None
        await place.clock.advance(HOUR + 1)
        await until(lambda: place.keys() == [])
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)


async def test_the_plugin_sweeps_its_own_store_alone(place: Place) -> None:
    context = place.context()
    spawned: list[str] = []
    note(context, spawned)
    start(context)  # files are on the disk
    context.tables = [*context.tables[:1], context.tables[1].model_copy(update={"name": "s3"})]
    start(context)  # somebody else's store has this name
    assert spawned == []
    context.ports["BinaryStore"] = s3_store(context)
    start(context)
    assert spawned == ["look", "sweep"]


def note(context: FakeContext, spawned: list[str]) -> None:
    def spawn(name: str, coroutine: object) -> None:
        spawned.append(name)
        coroutine.close()  # type: ignore[attr-defined]

    context.spawn = spawn  # type: ignore[assignment,method-assign]
