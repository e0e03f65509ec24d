"""Files on disk: below the allowed directory only, without following links, whole or not at all."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from node_fakes import Bench, items
from pydantic import ValidationError

from jackfield.api.nodes import NodeError
from jackfield_nodes.files.settings import FilesSettings


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The allowed directory, with files in and beside it."""
    place = tmp_path / "allowed"
    (place / "sub/deep").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "c.png", ".hidden", "sub/d.txt", "sub/deep/e.txt"):
        (place / name).write_text(name)
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "allowed-not").mkdir()
    (tmp_path / "allowed-not/x.txt").write_text("secret")
    return place


@pytest.fixture
def disk(make_bench: Callable[..., Bench], root: Path) -> Bench:
    return make_bench(FilesSettings(root=str(root)))


def text(item: Any, name: str = "data") -> str:
    return base64.b64decode(item["binary"][name]["data"]).decode()


async def read(bench: Bench, selector: str, **options: Any) -> Any:
    (found,) = await bench.outputs(
        bench.run("readWriteFile", 1, {"fileSelector": selector, "options": options}, items({"i": 1}))
    )
    return found


def given(content: bytes = b"new") -> Any:
    file = {"data": base64.b64encode(content).decode(), "mimeType": "text/plain"}
    return [{"json": {"i": 1}, "binary": {"data": file}}]


async def write(bench: Bench, name: str, content: bytes = b"new", **options: Any) -> Any:
    parameters = {"operation": "write", "fileName": name, "options": options}
    ((item,),) = await bench.outputs(bench.run("readWriteFile", 1, parameters, given(content)))
    return item


async def test_without_the_setting_the_nodes_are_off(bench: Bench, root: Path) -> None:
    for kind, parameters in (
        ("readWriteFile", {"fileSelector": "a.txt"}),
        ("readWriteFile", {"operation": "write", "fileName": "a.txt"}),
        ("readBinaryFile", {"filePath": "a.txt"}),
        ("readBinaryFiles", {"fileSelector": "a.txt"}),
        ("writeBinaryFile", {"fileName": "a.txt"}),
    ):
        with pytest.raises(NodeError, match=r"administrator can name a directory .* nodes\.files\.root"):
            await bench.outputs(bench.run(kind, 1, parameters, given()))
    with pytest.raises(ValidationError, match="absolute path"):
        FilesSettings(root="relative")


async def test_reading(disk: Bench, root: Path) -> None:
    for selector in ("a.txt", "./a.txt", f"{root}/a.txt", f"{root}//./a.txt"):
        (item,) = await read(disk, selector)
        assert text(item) == "a.txt"
        assert item["json"] == {
            "mimeType": "text/plain", "fileType": "text", "fileName": "a.txt",
            "fileExtension": "txt", "fileSize": "5 B",
        }  # fmt: skip
    (item,) = await read(disk, "a.txt", dataPropertyName="f", fileName="x.bin", fileExtension=".y", mimeType="a/b")
    file = item["binary"]["f"]
    assert (file["fileName"], file["fileExtension"], file["mimeType"]) == ("x.bin", ".y", "a/b")


PATTERNS = [
    ("*.txt", ["a.txt", "b.txt"]),
    ("?.png", ["c.png"]),
    ("[ac].*", ["a.txt", "c.png"]),
    ("**/*.txt", ["a.txt", "b.txt", "sub/d.txt", "sub/deep/e.txt"]),
    ("{a,c}.{txt,png}", ["a.txt", "c.png"]),
    ("{sub/{d,none},b}.txt", ["b.txt", "sub/d.txt"]),
    ("{a}.txt", []),
    ("gone.txt", []),
    ("gone/a.txt", []),
    ("sub", []),
    ("sub/*", ["sub/d.txt"]),
    ("s*/d*/*", ["sub/deep/e.txt"]),
    (".h*", [".hidden"]),
    ("*", ["a.txt", "b.txt", "c.png"]),
    ("none*", []),
]


@pytest.mark.parametrize(("pattern", "expected"), PATTERNS)
async def test_patterns(disk: Bench, pattern: str, expected: list[str]) -> None:
    """Sorted; directories are no matches; names with a leading dot only where the pattern has one."""
    assert [text(item) for item in await read(disk, pattern, literalBrackets=False)] == expected


async def test_a_pattern_that_matches_too_much(make_bench: Callable[..., Bench], root: Path) -> None:
    with pytest.raises(NodeError, match="More than 2 files match"):
        await read(make_bench(FilesSettings(root=str(root), max_files=2)), "**/*")
    with pytest.raises(NodeError, match="more than 100 choices"):
        await read(make_bench(FilesSettings(root=str(root))), "{a,b,c}" * 5)


OUTSIDE = ["../secret.txt", "{root}/../secret.txt", "sub/../../secret.txt", "/etc/passwd", "{root}-not/x.txt", "..",
           "{root}", "", ".", "a.txt\0", "../*", "/etc/*"]  # fmt: skip


@pytest.mark.parametrize("path", OUTSIDE)
async def test_nothing_outside_is_reached(disk: Bench, root: Path, path: str) -> None:
    path = path.replace("{root}", str(root))
    with pytest.raises(NodeError, match=r"not below the directory|names a directory|empty or not valid"):
        await read(disk, path)
    with pytest.raises(NodeError, match=r"not below the directory|names a directory|empty or not valid"):
        await write(disk, path)


async def test_links_are_not_followed(disk: Bench, root: Path) -> None:
    (root / "file").symlink_to(root.parent / "secret.txt")
    (root / "directory").symlink_to(root.parent)
    (root / "inside").symlink_to(root / "a.txt")
    for path in ("file", "inside", "directory/secret.txt"):
        with pytest.raises(NodeError, match=r"symbolic link|Not a directory"):
            await read(disk, path)
        with pytest.raises(NodeError, match=r"symbolic link|Not a directory"):
            await write(disk, path, append=True)
    assert [text(item) for item in await read(disk, "f*")] == []
    assert [text(item) for item in await read(disk, "*/*.txt")] == ["sub/d.txt"]
    with pytest.raises(NodeError, match="no regular file"):
        await write(disk, "file")
    assert (root.parent / "secret.txt").read_text() == "secret"


async def test_only_regular_files(disk: Bench, root: Path) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(NodeError, match=r"no regular file"):
        await read(disk, "pipe")
    with pytest.raises(NodeError, match=r"no regular file|No such device"):
        await write(disk, "pipe", append=True)
    assert [text(item) for item in await read(disk, "p*")] == []


async def test_a_file_that_is_not_there(disk: Bench) -> None:
    """Version 1 gives nothing, as n8n does."""
    assert await read(disk, "none.txt") == []
    with pytest.raises(NodeError, match=r"No file matches none\.txt"):
        await disk.outputs(disk.run("readWriteFile", 1.1, {"fileSelector": "none.txt"}, items({"i": 1})))
    with pytest.raises(NodeError, match="cannot be used: No such file"):
        await write(disk, "no/directory.txt")


async def test_writing(disk: Bench, root: Path) -> None:
    item = await write(disk, "new.txt", b"first")
    assert item["json"] == {"i": 1, "fileName": "new.txt"}
    assert "data" in item["binary"]
    assert (root / "new.txt").stat().st_mode & 0o777 == 0o600
    await write(disk, "new.txt", b"second")
    assert (root / "new.txt").read_bytes() == b"second"
    await write(disk, "new.txt", b" third", append=True)
    await write(disk, f"{root}/sub/other.txt", b"x", append=True)
    assert (root / "new.txt").read_bytes() == b"second third"
    assert (root / "sub/other.txt").read_bytes() == b"x"


async def test_a_write_that_fails_leaves_the_old_file(disk: Bench, root: Path) -> None:
    broken: Any = [{"json": {}, "binary": {"data": {"data": "%%", "mimeType": "text/plain"}}}]
    for options in ({}, {"append": True}):
        parameters: Any = {"operation": "write", "fileName": "a.txt", "options": options}
        with pytest.raises(NodeError, match="not valid base64"):
            await disk.outputs(disk.run("readWriteFile", 1, parameters, broken))
    assert (root / "a.txt").read_text() == "a.txt"
    assert sorted(path.name for path in root.iterdir()) == [".hidden", "a.txt", "b.txt", "c.png", "sub"]


async def test_large_files_are_streamed_both_ways(disk: Bench, root: Path) -> None:
    content = os.urandom(700_000)
    (root / "large.bin").write_bytes(content)
    run = disk.run("readWriteFile", 1, {"fileSelector": "large.bin"}, items({}))
    ((item,),) = await disk.outputs(run)
    assert run.binary.kept[item["binary"]["data"]["id"]] == content
    again = disk.run("writeBinaryFile", 1, {"fileName": "copy.bin"}, [item])
    again.binary = run.binary
    await disk.outputs(again)
    assert (root / "copy.bin").read_bytes() == content


async def test_the_older_nodes(disk: Bench, root: Path) -> None:
    one = disk.run("readBinaryFile", 1, {"filePath": "a.txt", "dataPropertyName": "f"}, given())
    ((item,),) = await disk.outputs(one)
    assert (item["json"], set(item["binary"]), text(item, "f")) == ({"i": 1}, {"data", "f"}, "a.txt")
    (many,) = await disk.outputs(disk.run("readBinaryFiles", 1, {"fileSelector": "*.txt"}, given()))
    assert [text(item) for item in many] == ["a.txt", "b.txt"]
    await disk.outputs(disk.run("writeBinaryFile", 1, {"fileName": "w.txt"}, given(b"w")))
    assert (root / "w.txt").read_bytes() == b"w"


async def test_no_descriptor_is_left_open(disk: Bench, root: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    await test_nothing_outside_is_reached(disk, root, "../secret.txt")
    await test_writing(disk, root)
    await read(disk, "**/*.txt")
    assert await read(disk, "none.txt") == []
    with pytest.raises(NodeError):
        await read(disk, "a.txt/b")
    assert len(list(Path("/proc/self/fd").iterdir())) == before
