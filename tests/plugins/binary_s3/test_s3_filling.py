"""Files of the disk are brought into a bucket."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from bucket_place import LIMITS, MIB, Place

from jackfield.api.errors import BinaryStoreUnavailable, ConfigurationError
from jackfield.api.workflows import BinaryData
from jackfield.testing.context import FakeContext
from jackfield_binary.store import DiskStore
from jackfield_binary_s3.diagnosis import findings
from jackfield_binary_s3.filling import fill
from jackfield_binary_s3.making import s3_store

SMALL, LARGE = b"small" * 100, os.urandom(6 * MIB)


@pytest.fixture
async def kept(tmp_path: Path) -> dict[str, BinaryData]:
    disk = DiskStore(tmp_path / "binary", LIMITS)
    return {
        "e1": await disk.files("e1").write(SMALL, mime_type="text/plain"),
        "e2": await disk.files("e2").write(LARGE, mime_type="a/b"),
        "e3": await disk.files("e3").write(SMALL, mime_type="a/b"),
    }


def bucketed(place: Place, **changes: object) -> FakeContext:
    context = place.context(**changes)
    context.tables = [context.tables[0], LIMITS.model_copy(update={"name": "s3"})]
    context.ports["BinaryStore"] = s3_store(context)
    return context


async def test_every_file_comes_once_and_belongs_to_whom_it_did(place: Place, kept: dict[str, BinaryData]) -> None:
    done = await fill(bucketed(place), None)
    assert (done.executions, done.sent, done.size, done.there, done.damaged) == (3, 2, len(SMALL) + len(LARGE), 0, [])
    store = place.store()
    assert await store.files("e2").read(kept["e2"]) == LARGE
    assert await store.files("e3").read(kept["e3"]) == SMALL
    assert await place.rows.executions_without_row(2**60, "", 10) == ["e1", "e2", "e3"]
    again = await fill(bucketed(place), None)
    assert (again.sent, again.there) == (0, 2)


async def test_what_a_sweep_deletes_comes_anew_behind_it(place: Place, kept: dict[str, BinaryData]) -> None:
    context, gone = bucketed(place), kept["e2"]["id"]
    await place.rows.refer_to_files("e2", [gone], 0)
    await place.rows.release_files(["e2"], 0)
    assert await place.rows.claim_files(1, 1, 9) == [gone]
    filling = asyncio.ensure_future(fill(context, None))
    for turn in range(50):
        await asyncio.sleep(0.005)
        await place.clock.advance(1)
        if turn == 20:
            assert not filling.done()
            await place.rows.forget_files([gone])
    assert (await filling).sent == 2


async def test_damaged_files_are_left_out(place: Place, kept: dict[str, BinaryData], tmp_path: Path) -> None:
    for name, content in (("e1", SMALL), ("e2", LARGE)):
        (tmp_path / "binary/executions" / name / kept[name]["id"]).write_bytes(content[:-1] + b"?")
    done = await fill(bucketed(place), tmp_path / "binary")
    assert done.sent == 0
    assert sorted(done.damaged) == sorted({kept["e1"]["id"], kept["e2"]["id"]})
    assert (place.keys(), place.unfinished()) == ([], 0)


async def test_what_cannot_be(place: Place, kept: dict[str, BinaryData], tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"binary\.name"):
        await fill(place.context(), None)
    with pytest.raises(ConfigurationError, match="holds no files"):
        await fill(bucketed(place), tmp_path / "elsewhere")
    with pytest.raises(BinaryStoreUnavailable):
        await fill(bucketed(place, endpoint="http://127.0.0.1:1", timeout=0.5), None)


async def test_doctor_looks_at_the_bucket(place: Place) -> None:
    assert await findings(place.context()) == ()
    (good,) = await findings(bucketed(place))
    (bad,) = await findings(bucketed(place, bucket="mistyped-bucket"))
    assert (good.good, bad.good) == (True, False)
    assert "binary.s3.bucket" in bad.message
