"""The entries below a watched path, as they were at the last look, and the changes since. Everything blocks."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Collection, Iterator
from typing import TypeAlias

from jackfield.api.nodes import NodeError
from jackfield.api.records import record

Happened: TypeAlias = tuple[str, str]
"""n8n's name of an event (`add`, `change`, `unlink`, `addDir`, `unlinkDir`), and the path."""
_WILD = re.compile(r"[*?{\[]")
_PART = re.compile(r"\*\*/|\*\*|\*|\?|\{|\}|,|\[[^\]]+\]|[^*?{},\[]+|\[")


@record
class _Seen:
    directory: bool
    modified: int
    size: int
    inode: int


class WatchedTree:
    """`depth`: directories below the top whose entries count; None: any. `is_ignored`: of a whole path; entries below
    an ignored directory are ignored too. `most`: entries; more raise `NodeError`. Links are entries, not followed.
    """

    def __init__(self, top: str, depth: int | None, is_ignored: Callable[[str], bool], most: int) -> None:
        self._top = top
        self._depth = depth
        self._is_ignored = is_ignored
        self._most = most
        self._entries: dict[str, _Seen] = {}

    def first(self) -> list[Happened]:
        """All that is there now, as if it had just come."""
        return list(self._compared(self._top))

    def look(self, paths: Collection[str]) -> list[Happened]:
        """The changes at these paths since the last look."""
        found: dict[Happened, None] = {}
        for path in sorted(paths):
            if self._concerns(path):
                found.update(dict.fromkeys(self._compared(path)))
        return list(found)

    def size_of(self, path: str) -> int | None:
        """Bytes, as of the last look."""
        known = self._entries.get(path)
        return None if known is None or known.directory else known.size

    def _concerns(self, path: str) -> bool:
        if path == self._top:
            return True
        if not path.startswith(f"{self._top.rstrip('/')}/"):
            return False
        names = path[len(self._top.rstrip("/")) + 1 :].split("/")
        if self._depth is not None and len(names) > self._depth + 1:
            return False
        above = self._top.rstrip("/")
        for name in names:
            above = f"{above}/{name}"
            if self._is_ignored(above):
                return False
        return True

    def _compared(self, path: str) -> Iterator[Happened]:
        known, now = self._entries.get(path), _seen(path)
        if known is not None and (now is None or now.directory != known.directory):
            yield from self._gone(path, known)
            known = None
        if now is None:
            return
        if known is None and len(self._entries) >= self._most:
            raise NodeError(
                f"More than {self._most} files and directories would be watched (nodes.files.max_watched); name a "
                "smaller directory, or give a depth."
            )
        self._entries[path] = now
        if known is None:
            yield ("addDir" if now.directory else "add", path)
        elif not now.directory and now != known:
            yield ("change", path)
        if now.directory:
            yield from self._inside(path)

    def _inside(self, path: str) -> Iterator[Happened]:
        try:
            with os.scandir(path) as entries:
                names = sorted(entry.name for entry in entries)
        except OSError:  # gone again, or nobody may look into it
            return
        for name in names:
            inner = f"{path.rstrip('/')}/{name}"
            if inner not in self._entries and self._concerns(inner):
                yield from self._compared(inner)

    def _gone(self, path: str, known: _Seen) -> Iterator[Happened]:
        if known.directory:
            inside = f"{path.rstrip('/')}/"
            for inner in sorted((one for one in self._entries if one.startswith(inside)), reverse=True):
                yield ("unlinkDir" if self._entries.pop(inner).directory else "unlink", inner)
        self._entries.pop(path, None)
        yield ("unlinkDir" if known.directory else "unlink", path)


def _seen(path: str) -> _Seen | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return _Seen(stat.S_ISDIR(found.st_mode), found.st_mtime_ns, found.st_size, found.st_ino)


def ignoring(text: str, mode: str) -> Callable[[str], bool]:
    """The test of whether a path is ignored.

    `mode`: `match`: paths that the pattern is, with `*` and `?` within a name, `**` for any number of directories, and
    `{a,b}`. `contain`: paths that contain the text. Empty: the first where the text has a wildcard. Raises `NodeError`.
    """
    if not text:
        return lambda path: False
    if mode == "contain" or (not mode and not _WILD.search(text)):
        return lambda path: text in path
    try:
        pattern = re.compile("".join(_translated(text)))
    except re.error:
        raise NodeError(f"The pattern {text} of the parameter ignored is not valid.") from None
    return lambda path: pattern.fullmatch(path) is not None


def _translated(text: str) -> Iterator[str]:
    wild = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    open_braces = 0
    for part in _PART.findall(text):
        if part in wild:
            yield wild[part]
        elif part == "{":
            open_braces += 1
            yield "(?:"
        elif part == "}" and open_braces:
            open_braces -= 1
            yield ")"
        elif part == "," and open_braces:
            yield "|"
        elif part.startswith("[") and part.endswith("]"):
            yield _class(part[1:-1])
        else:
            yield re.escape(part)


def _class(inner: str) -> str:
    negated = inner[0] in "!^" and len(inner) > 1
    return f"[{'^' if negated else ''}{re.escape(inner[negated:]).replace(chr(92) + '-', '-')}]"
