"""Files go from the disk into a bucket and back, under the ids that they have."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from bucket_place import LIMITS, MIB, Place

from jackfield.api.errors import BinaryStoreUnavailable
from jackfield.api.file_moves import FileMover, HeldFile
from jackfield.api.store_forms import Cell, Row, StoreForm
from jackfield.api.workflows import BinaryData
from jackfield.cli.moves.file_copies import REFERENCES, CopiedFiles, ReferredReader, copy_files
from jackfield.testing.context import FakeContext
from jackfield_binary.store import DiskStore
from jackfield_binary_s3.diagnosis import findings
from jackfield_binary_s3.making import s3_store

SMALL, LARGE = b"small" * 100, os.urandom(6 * MIB)


@pytest.fixture
def disk(tmp_path: Path) -> DiskStore:
    return DiskStore(tmp_path / "binary", LIMITS)


@pytest.fixture
async def kept(disk: DiskStore) -> dict[str, BinaryData]:
    return {
        "e1": await disk.files("e1").write(SMALL, mime_type="text/plain"),
        "e2": await disk.files("e2").write(LARGE, mime_type="a/b"),
        "e3": await disk.files("e3").write(SMALL, mime_type="a/b"),
    }


async def copied(source: FileMover, target: FileMover, held: Sequence[HeldFile] | None = None) -> CopiedFiles:
    return await copy_files(source, target, source.held() if held is None else held, lambda _: None)


def counts(done: CopiedFiles) -> tuple[int, int, int]:
    assert done.is_equal
    assert done.source.rows == done.sent + done.there
    return done.references, done.sent, done.there


async def test_files_come_once_there_and_back_and_belong_to_whom_they_did(
    place: Place, disk: DiskStore, kept: dict[str, BinaryData], tmp_path: Path
) -> None:
    bucket = place.store()
    done = await copied(disk.mover(), bucket.mover())
    assert (counts(done), done.size, done.is_whole) == ((3, 2, 0), len(SMALL) + len(LARGE), True)
    assert counts(await copied(disk.mover(), bucket.mover())) == (3, 0, 2), "it may be repeated"
    assert await bucket.files("e2").read(kept["e2"]) == LARGE
    fresh = await bucket.files("e4").write(LARGE + b"!", mime_type="a/b")
    held = [*disk.mover().held(), HeldFile("e4", fresh["id"], 5)]
    other = DiskStore(tmp_path / "other", LIMITS)
    done = await copied(bucket.mover(), other.mover(), held)
    assert counts(done) == (4, 3, 0)
    for execution, content in (("e1", SMALL), ("e2", LARGE), ("e3", SMALL), ("e4", LARGE + b"!")):
        file = fresh if execution == "e4" else kept[execution]
        assert await other.files(execution).read(file) == content
    assert [each.execution_id for each in other.mover().held()] == ["e1", "e2", "e3", "e4"]
    await other.release(["e1"])
    assert await other.files("e3").read(kept["e3"]) == SMALL, "it is its own reference"
    assert counts(await copied(bucket.mover(), other.mover(), held)) == (4, 1, 2), "it comes back where it was"
    again = await copied(other.mover(), place.store(prefix="another").mover())
    assert again.is_whole, "an id that came from a bucket is no digest, and counts as whole"
    await other.release(["e4"])
    assert not list((tmp_path / "other" / "digests").rglob(fresh["id"]))


async def test_what_a_copy_that_was_ended_has_left_is_read_and_comes_again_when_it_differs(
    place: Place, disk: DiskStore, kept: dict[str, BinaryData]
) -> None:
    bucket = place.store()
    await copied(disk.mover(), bucket.mover())
    await bucket.bucket.put(kept["e2"]["id"], LARGE[:-1] + b"?", {})
    await bucket.bucket.put(kept["e1"]["id"], SMALL[:-1], {})
    assert counts(await copied(disk.mover(), bucket.mover())) == (3, 2, 0)
    assert await bucket.files("e2").read(kept["e2"]) == LARGE


async def test_damaged_and_missing_files_are_left_out_and_named(
    place: Place, disk: DiskStore, kept: dict[str, BinaryData], tmp_path: Path
) -> None:
    for name, content in (("e1", SMALL), ("e2", LARGE)):
        (tmp_path / "binary/executions" / name / kept[name]["id"]).write_bytes(content[:-1] + b"?")
    done = await copied(disk.mover(), place.store().mover())
    assert (done.sent, done.is_whole, sorted(done.damaged)) == (0, False, sorted({kept[e]["id"] for e in ("e1", "e2")}))
    assert (place.keys(), place.unfinished()) == ([], 0)
    absent = HeldFile("e9", "ab" * 32, 1)
    done = await copied(place.store().mover(), disk.mover(), [absent])
    assert (done.missing, done.is_whole, counts(done)) == ([absent.file_id], False, (1, 0, 0))


async def test_a_target_that_is_full_ends_it_and_leaves_nothing_out(
    place: Place, disk: DiskStore, kept: dict[str, BinaryData], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is whole: with --leave-out-files nobody may lose it."""
    bucket, other = place.store(), DiskStore(tmp_path / "other", LIMITS)
    held = list(disk.mover().held())
    await copied(disk.mover(), bucket.mover())

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(other.layout, "prepare", full)
        with pytest.raises(BinaryStoreUnavailable, match="disk is full"):
            await copied(bucket.mover(), other.mover(), held)
    assert counts(await copied(bucket.mover(), other.mover(), held)) == (3, 2, 0)


@pytest.mark.parametrize("damaged", [SMALL[:-1] + b"?", SMALL[:-1]], ids=["as long", "shorter"])
async def test_what_is_damaged_on_the_disk_comes_again_for_every_execution(
    place: Place, disk: DiskStore, kept: dict[str, BinaryData], tmp_path: Path, damaged: bytes
) -> None:
    bucket, other = place.store(), DiskStore(tmp_path / "other", LIMITS)
    held = list(disk.mover().held())
    await copied(disk.mover(), bucket.mover())
    await copied(bucket.mover(), other.mover(), held)
    (tmp_path / "other/executions/e1" / kept["e1"]["id"]).write_bytes(damaged)
    assert counts(await copied(bucket.mover(), other.mover(), held)) == (3, 1, 1)
    for execution in ("e1", "e3"):
        assert await other.files(execution).read(kept[execution]) == SMALL
    await other.release(["e1", "e2", "e3"])
    assert [path for path in (tmp_path / "other/content").rglob("*") if path.is_file()] == []


async def test_what_differs_in_the_copy_is_not_equal(
    place: Place, disk: DiskStore, kept: dict[str, BinaryData], monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = place.store()
    put = bucket.bucket.put

    async def wrong(key: str, content: bytes, attributes: dict[str, str]) -> None:
        await put(key, content[:-1] + b"?", attributes)

    monkeypatch.setattr(bucket.bucket, "put", wrong)
    done = await copied(disk.mover(), bucket.mover())
    assert not done.is_equal


async def test_a_bucket_that_does_not_answer_ends_it(
    place: Place, disk: DiskStore, kept: dict[str, BinaryData]
) -> None:
    away = place.store(endpoint="http://127.0.0.1:1", timeout=0.5).mover()
    with pytest.raises(BinaryStoreUnavailable):
        await copied(disk.mover(), away)
    with pytest.raises(BinaryStoreUnavailable):
        await copied(away, disk.mover(), list(disk.mover().held()))


class Rows:
    """A store with some references."""

    identity = "store"

    def __init__(self, *rows: Row) -> None:
        self._rows = rows

    def rows(self, form: StoreForm, after: Sequence[Cell] | None) -> Iterator[Row]:
        return iter([row for row in self._rows if after is None or [*row[:2]] > [*after]])

    def expect_alone(self) -> None:
        """Nobody else is there."""


def test_references_of_the_disk_become_rows_beside_those_that_are_there() -> None:
    held = [HeldFile("a", "1", 5), HeldFile("b", "1", 6), HeldFile("b", "2", 7)]
    reader = ReferredReader(Rows(["0", "9", 1], ["b", "1", 2], ["c", "1", 3]), lambda: iter(held))
    whole = [["0", "9", 1], ["a", "1", 5], ["b", "1", 2], ["b", "2", 7], ["c", "1", 3]]
    assert [*reader.rows(REFERENCES, None)] == whole
    for place, row in enumerate(whole):
        assert [*reader.rows(REFERENCES, row[:2])] == whole[place + 1 :]


def bucketed(place: Place, **changes: object) -> FakeContext:
    context = place.context(**changes)
    context.tables = [context.tables[0], LIMITS.model_copy(update={"name": "s3"})]
    context.ports["BinaryStore"] = s3_store(context)
    return context


async def test_doctor_looks_at_the_bucket(place: Place) -> None:
    assert await findings(place.context()) == ()
    (good,) = await findings(bucketed(place))
    (bad,) = await findings(bucketed(place, bucket="mistyped-bucket"))
    assert (good.good, bad.good) == (True, False)
    assert "binary.s3.bucket" in bad.message
