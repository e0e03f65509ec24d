"""Compression: what is packed is read elsewhere, what comes from elsewhere is unpacked within limits."""

from __future__ import annotations

import gzip
import io
import random
import struct
import zipfile
from base64 import b64decode
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from node_fakes import Bench

from jackfield.api.nodes import NodeError
from jackfield.testing.node_runs import FakeNodeRun
from jackfield_nodes.files.formats.archives import unique
from jackfield_nodes.files.settings import FilesSettings

LARGE = random.Random(1).randbytes(700_000) + b"text " * 100_000


async def run_of(
    bench: Bench, parameters: dict[str, Any], files: dict[str, tuple[str, bytes]], version: float = 1.1
) -> FakeNodeRun:
    """files: name and content by field; small ones are inside the item, large ones are kept."""
    run = bench.run("compression", version, parameters, [{"json": {"a": 1}}])
    kept = run.first[0]["binary"] = {}
    for field, (name, content) in files.items():
        kept[field] = await run.binary.write(content, mime_type="a/b", file_name=name)
    return run


async def made(run: FakeNodeRun) -> dict[str, tuple[Any, bytes]]:
    """Entry and content of the files that came out."""
    result: Any = await run.type.execute(run)
    ((item,),) = result
    assert (item["json"], item["pairedItem"]) == ({"a": 1}, {"item": 0})
    return {
        name: (file, b64decode(file["data"]) if file["data"] else await run.binary.read(file))
        for name, file in item["binary"].items()
    }


def archive(*files: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as target:
        for name, content in files:
            target.writestr(name, content)
    return packed.getvalue()


async def test_files_into_a_zip_file(bench: Bench) -> None:
    parameters = {
        "operation": "compress",
        "binaryPropertyName": "a, b,c",
        "fileName": "all.zip",
        "binaryPropertyOutput": "out",
    }
    files = {"a": ("x.txt", b"one"), "b": ("large.bin", LARGE), "c": ("x.txt", b"")}
    ((name, (entry, content)),) = (await made(await run_of(bench, parameters, files))).items()
    assert (name, entry["fileName"], entry["mimeType"]) == ("out", "all.zip", "application/zip")
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        assert packed.testzip() is None
        assert {info.filename: packed.read(info) for info in packed.infolist()} == {
            "x.txt": b"one",
            "large.bin": LARGE,
            "x (2).txt": b"",
        }
    assert content == (await made(await run_of(bench, parameters, files)))["out"][1]


@pytest.mark.parametrize("content", [b"", b"small", LARGE])
async def test_a_file_into_gzip_and_back(bench: Bench, content: bytes) -> None:
    run = await run_of(bench, {"operation": "compress", "outputFormat": "gzip"}, {"data": ("a.csv", content)})
    ((name, (entry, packed)),) = (await made(run)).items()
    assert (name, entry["fileName"], entry["mimeType"]) == ("data", "a.csv.gz", "application/gzip")
    assert gzip.decompress(packed) == content
    ((name, (entry, back)),) = (await made(await run_of(bench, {}, {"data": ("a.csv.gz", packed)}))).items()
    assert (name, entry["fileName"], entry["mimeType"]) == ("file_0", "a.csv", "text/csv")
    assert back == content


async def test_gzip_of_several_files(bench: Bench) -> None:
    files = {"a": ("a", b"1"), "b": ("b", b"2")}
    parameters = {"operation": "compress", "outputFormat": "gzip", "binaryPropertyName": "a,b"}
    found = await made(await run_of(bench, {**parameters, "outputPrefix": "p"}, files, 1))
    assert {name: gzip.decompress(content) for name, (_, content) in found.items()} == {"p0": b"1", "p1": b"2"}
    assert list(await made(await run_of(bench, parameters, files))) == ["data", "data1"]


async def test_files_out_of_packed_ones(bench: Bench) -> None:
    """The endings of their names say what they are."""
    packed = archive(("dir/", b""), ("dir/a.txt", b"A"), ("../../etc/passwd", b"B"), ("C:\\x\\..\\c.bin", LARGE))
    files = {"data": ("upload.zip", packed), "more": ("x.gz", gzip.compress(b"1") + gzip.compress(b"2") + b"\0\0")}
    found = await made(await run_of(bench, {"binaryPropertyName": "data,more", "outputPrefix": "f"}, files))
    assert {name: (entry["fileName"], content) for name, (entry, content) in found.items()} == {
        "f0": ("a.txt", b"A"),
        "f1": ("passwd", b"B"),
        "f2": ("c.bin", LARGE),
        "f3": ("x.txt", b"12"),
    }


@pytest.mark.parametrize("version", [1, 1.1, None])
async def test_unpacked_files_are_named_alike_in_every_version(bench: Bench, version: Any) -> None:
    found = await made(await run_of(bench, {}, {"data": ("a.zip", archive(("a", b"1")))}, version))
    assert list(found) == ["file_0"]


async def test_files_that_are_not_compressed(bench: Bench) -> None:
    packed = archive(("a", LARGE), method=zipfile.ZIP_STORED)
    found = await made(await run_of(bench, {}, {"data": ("a.zip", packed)}))
    assert found["file_0"][1] == LARGE


async def test_names_stay_below_the_archive(bench: Bench) -> None:
    """Whoever unpacks it elsewhere may take names as they are."""
    names = {"a": "../../etc/x", "b": "C:\\y/", "c": "\ud800\0", "d": "n" * 70_000, "e": ".."}
    parameters = {"operation": "compress", "binaryPropertyName": ",".join(names)}
    run = await run_of(bench, parameters, {field: (field, b"1") for field in names})
    for field, name in names.items():
        run.first[0]["binary"][field]["fileName"] = name
    ((_, content),) = (await made(run)).values()
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        assert packed.namelist() == ["etc/x", "C:/y", "?", "n" * 1000, "file"]


def encrypted() -> bytes:
    content = bytearray(archive(("secret.txt", b"1")))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + place] |= 1
    return bytes(content)


def broken() -> bytes:
    content = bytearray(archive(("a", b"abc"), method=zipfile.ZIP_STORED))
    content[content.index(b"abc")] ^= 1
    return bytes(content)


def lying() -> bytes:
    """Says that it holds less than it does."""
    content = bytearray(archive(("a", b"0" * 1_000_000)))
    for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", content, content.index(mark) + place, 10)
    return bytes(content)


BAD: dict[str, tuple[Callable[[], bytes], str]] = {
    "text": (lambda: b"hello there", "ends in none of .zip"),
    "empty": (lambda: b"", "ends in none of .zip"),
    "half a zip": (lambda: archive(("a", LARGE))[:-30], "zip file is damaged"),
    "half a gzip": (lambda: gzip.compress(LARGE)[:-4], "ends too early"),
    "damaged gzip": (lambda: gzip.compress(b"1")[:-8] + b"12345678", "gzip file is damaged"),
    "behind gzip": (lambda: gzip.compress(b"1") + b"more", "gzip file is damaged"),
    "password": (encrypted, "'secret.txt' of the archive is encrypted"),
    "damaged content": (broken, "'a' of the archive is damaged"),
    "wrong size": (lying, "'a' of the archive is damaged"),
    "many files": (
        lambda: archive(*((str(n), b"") for n in range(11))),
        "more than 10 files .nodes.files.archive_files",
    ),
    "zip bomb": (lambda: archive(("a", b"0" * 2_000_000)), "larger than 1500000 bytes .nodes.files.unpacked_limit"),
    "gzip bomb": (lambda: gzip.compress(b"0" * 2_000_000), "larger than 1500000 bytes"),
    "gzip bomb in parts": (lambda: gzip.compress(b"0" * 400_000) * 4, "larger than 1500000 bytes"),
    "bzip2": (lambda: archive(("a", b"0"), method=zipfile.ZIP_BZIP2), "'a' of the archive is not packed with deflate"),
    "lzma": (lambda: archive(("a", b"0"), method=zipfile.ZIP_LZMA), "'a' of the archive is not packed with deflate"),
    "large zip": (lambda: archive(("a", LARGE), ("b", LARGE), method=zipfile.ZIP_STORED), "cannot be read"),
}


@pytest.mark.parametrize("case", BAD)
async def test_what_cannot_be_unpacked_is_told(make_bench: Callable[..., Bench], case: str) -> None:
    content, told = BAD[case]
    bench = make_bench(FilesSettings(unpacked_limit=1_500_000, archive_files=10, parse_limit=2_000_000))
    packed = content()
    name = "a.gz" if "gzip" in case else "a.zip" if packed.startswith(b"PK") else "a.txt"
    run = await run_of(bench, {}, {"data": (name, packed)})
    with pytest.raises(NodeError, match=told) as caught:
        await made(run)
    assert caught.value.item == 0


async def test_a_directory_without_end_is_not_read(bench: Bench) -> None:
    content = archive(("a", b"PK\x01\x02" * 70_000), method=zipfile.ZIP_STORED)
    with pytest.raises(NodeError, match="more than 1000 files"):
        await made(await run_of(bench, {}, {"data": ("a.zip", content)}))


async def test_fields_that_are_not_there(bench: Bench) -> None:
    for parameters in ({}, {"operation": "compress", "binaryPropertyName": "data, none"}):
        with pytest.raises(NodeError, match=r"no binary field '(data|none)'; it has: x"):
            await made(await run_of(bench, parameters, {"x": ("x", b"1")}))
    with pytest.raises(NodeError, match="binaryPropertyName is empty"):
        await made(await run_of(bench, {"binaryPropertyName": " , "}, {}))


def test_names_in_an_archive_are_unique() -> None:
    names = ["a.txt", "a.txt", "a (2).txt", "a.txt", "b", "b", ".c", ".c"]
    found = list(unique(iter(names)))
    assert found[:2] == ["a.txt", "a (2).txt"]
    assert len(set(found)) == len(found)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), st.binary(max_size=300), min_size=1), st.data())
async def test_what_was_packed_is_unpacked(bench: Bench, files: dict[str, bytes], data: st.DataObject) -> None:
    given_files = {name: (f"{name}.bin", content) for name, content in files.items()}
    run = await run_of(bench, {"operation": "compress", "binaryPropertyName": ",".join(files)}, given_files)
    packed = (await made(run))["data"][1]
    back = await made(await run_of(bench, {}, {"data": ("x.zip", packed)}))
    assert [content for _, content in back.values()] == list(files.values())
    place, byte = data.draw(st.integers(0, len(packed) - 1)), data.draw(st.integers(0, 255))
    damaged = packed[:place] + bytes([byte]) + packed[place + 1 :]
    try:
        await made(await run_of(bench, {}, {"data": ("x.zip", damaged)}))
    except NodeError as exc:
        assert exc.message  # noqa: PT017 - either it is read or it is told
