"""The work of the SSH and FTP nodes on files of another machine."""

from __future__ import annotations

import posixpath
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.nodes.files import with_file
from jackfield.api.nodes.items import new_item
from jackfield.api.workflows import Item
from jackfield_integrations.files import kept


class FileServer(Protocol):
    """A connection. Every method raises `NodeError`, without secrets. Paths are POSIX paths."""

    async def listing(self, path: str, *, recursive: bool) -> list[dict[str, Json]]:
        """Per entry type (`d`, `-`, `l`), name, size, modifyTime, rights, owner, group and path."""

    def content(self, path: str) -> AsyncIterator[bytes]:
        """The file, in chunks."""

    async def write(self, path: str, chunks: AsyncIterator[bytes]) -> None:
        """Directories on the way are made."""

    async def remove(self, path: str, *, folder: bool, recursive: bool) -> None: ...

    async def rename(self, old: str, new: str, *, make_directories: bool) -> None: ...


MOST_LEVELS = 32
"""Directories below one another that a listing looks into."""
Entries = Callable[[str], AsyncIterator[dict[str, Json]]]
"""Entries of one directory, as `FileServer.listing` describes them."""


async def listed(entries: Entries, path: str, *, recursive: bool, most: int) -> list[dict[str, Json]]:
    """The entries of a directory, followed by those of each directory in it. most: entries. Raises `NodeError` beyond
    it."""
    found: list[dict[str, Json]] = []
    await _list(entries, path, MOST_LEVELS if recursive else 0, most, found)
    return found


async def _list(entries: Entries, path: str, levels: int, most: int, found: list[dict[str, Json]]) -> None:
    """levels: that may follow."""
    folders = []
    async for entry in entries(path):
        if len(found) >= most:
            raise NodeError(f"There are more than {most} files (integrations.max_rows).")
        found.append(entry)
        if entry["type"] == "d":
            folders.append(str(entry["path"]))
    if levels:
        for folder in folders:
            await _list(entries, folder, levels - 1, most, found)


def checked_path(text: str, field: str) -> str:
    """A path of the server. Raises `NodeError` for an empty one, and for control characters, which FTP takes for the
    end of a command."""
    if not text.strip():
        raise NodeError(f"The parameter {field} is empty.")
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in text):
        raise NodeError(f"The parameter {field} has control characters, such as line ends; remove them.")
    return text


def file_name(name: str, field: str) -> str:
    """The last part of a name. Raises `NodeError` when there is none."""
    found = posixpath.basename(name.replace("\\", "/"))
    if found in {"", ".", ".."}:
        raise NodeError(f"The {field} is no file name.")
    return checked_path(found, field)


async def with_download(
    run: NodeRun, server: FileServer, item: Item, index: int, path: str, field: str, name: str
) -> Item:
    """The item with the server's file in this binary field. Raises `NodeError`."""
    if not field:
        raise NodeError("The parameter binaryPropertyName is empty.")
    file = await kept(run, server.content(checked_path(path, "path")), name or posixpath.basename(path) or "file")
    return new_item(item["json"], index, with_file(item, field, file))


def rights(mode: int) -> dict[str, Json]:
    """A POSIX mode as n8n lists it."""
    letters = [
        "".join(letter for letter, bit in zip("rwx", (4, 2, 1), strict=True) if mode >> shift & bit)
        for shift in (6, 3, 0)
    ]
    return dict(zip(("user", "group", "other"), letters, strict=True))
