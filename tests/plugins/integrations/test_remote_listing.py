"""Listings of another machine's directories: their order, and where they end."""

from __future__ import annotations

import posixpath
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_integrations.remote.file_server import MOST_LEVELS, Entries, listed

TREE = {"a": {"b": {"c": {}}, "d": None}, "e": None, "f": {"g": None}}


def entries_of(tree: Mapping[str, Any]) -> Entries:
    """None: a file."""

    async def entries(path: str) -> AsyncIterator[dict[str, Json]]:
        folder = tree
        for name in path.split("/")[1:]:
            folder = folder[name]
        for name, inner in folder.items():
            yield {"type": "-" if inner is None else "d", "name": name, "path": posixpath.join(path, name)}

    return entries


async def paths(tree: Mapping[str, Any], *, recursive: bool, most: int = 100) -> list[Json]:
    return [entry["path"] for entry in await listed(entries_of(tree), "/r", recursive=recursive, most=most)]


async def test_entries_of_a_directory_come_before_those_within() -> None:
    root = {"r": TREE}
    assert await paths(root, recursive=False) == ["/r/a", "/r/e", "/r/f"]
    below = ["/r/a/b", "/r/a/d", "/r/a/b/c", "/r/f/g"]
    assert await paths(root, recursive=True) == ["/r/a", "/r/e", "/r/f", *below]


async def test_too_many_entries_are_an_error_that_names_the_setting() -> None:
    assert len(await paths({"r": TREE}, recursive=True, most=7)) == 7
    with pytest.raises(NodeError, match=r"more than 6 files \(integrations\.max_rows\)"):
        await paths({"r": TREE}, recursive=True, most=6)


async def test_a_loop_of_directories_ends() -> None:
    loop: dict[str, Any] = {}
    loop["r"] = loop
    assert len(await paths(loop, recursive=True)) == MOST_LEVELS + 1
