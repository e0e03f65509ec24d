"""Local File Trigger: real changes on a real disk."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.nodes import NodeError
from jackfield.testing.context import FakeContext
from jackfield.testing.listening import HeardEvents, listen_run, listening
from jackfield_nodes.files.local_file_trigger import LocalFileTriggerNode
from jackfield_nodes.files.settings import FilesSettings
from jackfield_nodes.files.watched_tree import WatchedTree, ignoring

ALL = ["add", "change", "unlink", "addDir", "unlinkDir"]


@contextlib.asynccontextmanager
async def watching(
    root: Path, path: str, events: list[str] | None = None, most: int = 1000, **options: Any
) -> AsyncIterator[HeardEvents]:
    context = FakeContext(root, tables=[FilesSettings(root=str(root), max_watched=most)])
    node = LocalFileTriggerNode(context)
    on = {"triggerOn": "file"} if events is None else {"triggerOn": "folder", "events": events}
    run = listen_run(node, {**on, "path": path, "options": options})
    async with listening(node, run) as found:
        yield found


def told(items: list[dict[str, Any]], root: Path) -> list[tuple[str, str]]:
    return [(item["event"], os.path.relpath(item["path"], root)) for item in items]


async def test_every_kind_of_change_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "there.txt").write_text("x")
    async with watching(tmp_path, str(tmp_path), ALL) as events:
        (tmp_path / "new").mkdir()
        assert told(await events.json(1), tmp_path) == [("addDir", "new")]
        (tmp_path / "new" / "a.txt").write_text("a")
        assert told(await events.json(1), tmp_path) == [("add", "new/a.txt")]
        (tmp_path / "there.txt").write_text("longer")
        assert told(await events.json(1), tmp_path) == [("change", "there.txt")]
        (tmp_path / "new" / "a.txt").unlink()
        assert told(await events.json(1), tmp_path) == [("unlink", "new/a.txt")]
        (tmp_path / "new").rmdir()
        assert told(await events.json(1), tmp_path) == [("unlinkDir", "new")]


async def test_a_file_that_another_one_replaces_has_changed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    async with watching(tmp_path, "a.txt") as events:
        (tmp_path / "b.txt").write_text("b")
        (tmp_path / "b.txt").replace(tmp_path / "a.txt")
        assert told(await events.json(1), tmp_path) == [("change", "a.txt")]


async def test_what_is_there_depth_and_what_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "in" / "deep" / "er").mkdir(parents=True)
    for name in ("in/a.txt", "in/a.tmp", "in/deep/b.txt", "in/deep/er/c.txt"):
        (tmp_path / name).write_text("x")
    options: dict[str, Any] = {"ignoreInitial": False, "depth": 1, "ignored": "**/*.tmp", "ignoreMode": "match"}
    async with watching(tmp_path, "in", ["add", "addDir"], **options) as events:
        assert sorted(told(await events.json(4), tmp_path)) == [
            ("add", "in/a.txt"), ("add", "in/deep/b.txt"), ("addDir", "in"), ("addDir", "in/deep"),
        ]  # fmt: skip
        (tmp_path / "in" / "deep" / "er" / "d.txt").write_text("x")
        (tmp_path / "in" / "d.tmp").write_text("x")
        (tmp_path / "in" / "deep" / "d.txt").write_text("x")
        assert told(await events.json(2), tmp_path)[0] in [("addDir", "in/deep/er"), ("add", "in/deep/d.txt")]


async def test_a_file_is_told_once_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jackfield_nodes.files.local_file_trigger._STILL_S", 0.3)
    async with watching(tmp_path, str(tmp_path), ["add", "change"], awaitWriteFinish=True) as events:
        (tmp_path / "a.txt").write_text("a")
        assert told(await events.json(1), tmp_path) == [("add", "a.txt")]


async def test_a_file_that_grows_for_ever_keeps_no_other_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jackfield_nodes.files.local_file_trigger._STILL_S", 0.3)

    async def grow() -> None:
        with (tmp_path / "log").open("w") as file:
            while True:
                file.write("x")
                file.flush()
                await asyncio.sleep(0.02)

    growing = asyncio.ensure_future(grow())
    async with watching(tmp_path, str(tmp_path), ["add", "change"], awaitWriteFinish=True) as events:
        await asyncio.sleep(0)
        (tmp_path / "a.txt").write_text("a")
        assert told(await events.json(1), tmp_path) == [("add", "a.txt")]
    growing.cancel()
    await asyncio.gather(growing, return_exceptions=True)


async def test_paths_that_nodes_may_not_use(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(tmp_path)
    for path, message in (
        ("/etc/passwd", "not below"), ("../x", "not below"), ("none", "No such file"), ("link", "symbolic link"),
        ("link/root", "symbolic link|Not a directory"),
    ):  # fmt: skip
        with pytest.raises(NodeError, match=message):
            async with watching(root, path, ALL):
                pass
    (root / "a").write_text("x")
    (root / "b").write_text("x")
    with pytest.raises(NodeError, match="max_watched"):
        async with watching(root, str(root), ALL, most=2):
            pass


@pytest.mark.parametrize(
    ("pattern", "mode", "ignored", "kept"),
    [
        ("**/*.txt", "match", ["/a/b.txt", "/b.txt"], ["/a/b.md"]),
        ("**/*.txt", "", ["/a/b.txt"], ["/a/b.md"]),
        ("node_modules", "", ["/a/node_modules/b"], ["/a/nodes"]),
        ("/a/?.{md,txt}", "match", ["/a/b.md", "/a/c.txt"], ["/a/bb.md", "/a/b/c.md"]),
        ("/a/[!b]", "match", ["/a/c"], ["/a/b"]),
        ("", "match", [], ["/a"]),
    ],
)
def test_what_is_ignored(pattern: str, mode: str, ignored: list[str], kept: list[str]) -> None:
    fits = ignoring(pattern, mode)
    assert [path for path in [*ignored, *kept] if fits(path)] == ignored


@given(st.text(st.sampled_from("ab*?[]{},!/\\"), max_size=12), st.text(st.sampled_from("ab/"), max_size=8))
def test_any_pattern_is_one_or_is_refused(pattern: str, path: str) -> None:
    try:
        found = ignoring(pattern, "match")(path)
    except NodeError:
        return
    assert found in (True, False)
    assert found is (pattern == path != "") or any(char in pattern for char in "*?[{\\")


def test_a_tree_that_goes_is_told_from_its_leaves(tmp_path: Path) -> None:
    top = tmp_path / "top"
    (top / "in").mkdir(parents=True)
    (top / "in" / "a").write_text("x")
    tree = WatchedTree(str(top), None, lambda path: False, 100)
    assert [event for event, _ in tree.first()] == ["addDir", "addDir", "add"]
    (top / "in" / "a").unlink()
    (top / "in").rmdir()
    assert tree.look([str(top / "in"), str(top / "in" / "a")]) == [
        ("unlink", str(top / "in" / "a")),
        ("unlinkDir", str(top / "in")),
    ]
