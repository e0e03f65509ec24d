"""The part of the disk that nodes may use: what is below one directory. Every step of a path is opened from the one
before without following symbolic links, so that nothing that changes meanwhile leads outside. Everything blocks."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fnmatch import translate
from pathlib import PurePosixPath
from re import Pattern
from re import compile as compile_pattern

from jackfield.api.nodes import NodeError
from jackfield_nodes.files.formats.limits import FileBudget
from jackfield_nodes.files.settings import FilesSettings

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_ROOT = _DIRECTORY & ~os.O_NOFOLLOW
_FILE = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
"""O_NONBLOCK: opening a named pipe must not wait for its other end."""
_DEEPEST = 50
_CHOICE = compile_pattern(r"\{([^{}]*,[^{}]*)\}")
_MOST_ALTERNATIVES = 100
"""Patterns that the choices of one path may make."""


class FileReplacement:
    """A file while it is written, beside the one whose place it takes. Raises OSError."""

    def __init__(self, directory: int, name: str) -> None:
        self._directory = directory
        self._name = name
        self._fresh = f".{secrets.token_hex(8)}.part"
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE
            self.descriptor = os.open(self._fresh, flags, 0o600, dir_fd=directory)
        except OSError:
            os.close(directory)
            raise

    def commit(self) -> None:
        """Take the place."""
        os.fsync(self.descriptor)
        places = {"src_dir_fd": self._directory, "dst_dir_fd": self._directory}
        os.replace(self._fresh, self._name, **places)  # noqa: PTH105 - by directory
        os.fsync(self._directory)

    def close(self) -> None:
        """To be called in any case; what did not take the place is deleted."""
        os.close(self.descriptor)
        with suppress(OSError):
            os.unlink(self._fresh, dir_fd=self._directory)
        os.close(self._directory)


class AllowedRoot:
    """Files below the setting `nodes.files.root`. Every method raises `NodeError`."""

    def __init__(self, settings: FilesSettings) -> None:
        if not settings.root:
            raise NodeError(
                "Nodes may not use the disk; an administrator can name a directory for them in nodes.files.root."
            )
        self._root = os.path.abspath(settings.root)  # noqa: PTH100 - as given, links in it stay
        self._most = settings.max_files
        self._budget = FileBudget(settings)

    def open_to_read(self, path: str) -> int:
        """A descriptor of a regular file."""
        with self._told(path), self._parent(self._parts(path)) as (directory, name):
            descriptor = os.open(name, os.O_RDONLY | _FILE, dir_fd=directory)
            return _regular(descriptor, path)

    def open_to_append(self, path: str) -> int:
        """A descriptor of a regular file, made if absent, at its end."""
        with self._told(path), self._parent(self._parts(path)) as (directory, name):
            descriptor = os.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _FILE, 0o600, dir_fd=directory)
            return _regular(descriptor, path)

    def replace(self, path: str) -> FileReplacement:
        """A new file that is to take the path's place."""
        with self._told(path), self._parent(self._parts(path)) as (directory, name):
            _check_replaceable(directory, name, path)
            return FileReplacement(os.dup(directory), name)

    def below(self, path: str) -> str:
        """The path as it is written in full; of the root too."""
        given = path if path.startswith("/") else f"{self._root}/{path}"
        if path and os.path.normpath(given) == self._root and ".." not in given.split("/"):
            return self._root
        return self._shown(self._parts(path))

    def watched(self, path: str) -> tuple[str, bool]:
        """The path of a file or directory that is there, in full, and whether it is a directory."""
        full = self.below(path)
        if full == self._root:
            return full, True
        with self._told(path), self._parent(self._parts(path)) as (directory, name):
            mode = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            raise NodeError(f"{path} is a symbolic link, which is not followed.")
        return full, stat.S_ISDIR(mode)

    def matching(self, pattern: str) -> list[str]:
        """Paths of the regular files that a pattern matches, sorted: `*` and `?` within a name, `**` for any number of
        directories, `{a,b}` for either. A path without any of these is given if there is such a file."""
        found: set[str] = set()
        for one in _alternatives(pattern):
            with self._told(one):
                found |= self._matching(self._parts(one))
        return sorted(found)

    def _matching(self, parts: list[str]) -> set[str]:
        if parts[-1] == "**":
            parts.append("*")
        if not any(char in part for part in parts for char in "*?["):
            return {self._shown(parts)} if self._is_there(parts) else set()
        found: set[str] = set()
        root = os.open(self._root, _ROOT)
        try:
            for path in self._walk(root, [_compiled(part) for part in parts], ()):
                found.add(self._shown(list(path)))
                if len(found) > self._most:
                    raise NodeError(f"More than {self._most} files match (nodes.files.max_files).")
        finally:
            os.close(root)
        return found

    def _is_there(self, parts: list[str]) -> bool:
        """Whether something other than a directory has this name; whoever opens it looks at what it is."""
        try:
            with self._parent(parts) as (directory, name):
                return not stat.S_ISDIR(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode)
        except FileNotFoundError:
            return False

    def _walk(
        self, directory: int, patterns: list[Pattern[str] | None], path: tuple[str, ...]
    ) -> Iterator[tuple[str, ...]]:
        """Paths of regular files below an open directory."""
        self._budget.check_time()
        if not patterns or len(path) > _DEEPEST:
            return
        first, rest = patterns[0], patterns[1:]
        if first is None:
            yield from self._walk(directory, rest, path)
        for entry in _entries(directory):
            if not _matches(entry.name, first):
                continue
            if entry.is_dir(follow_symlinks=False):
                inner = os.open(entry.name, _DIRECTORY, dir_fd=directory)
                try:
                    yield from self._walk(inner, patterns if first is None else rest, (*path, entry.name))
                finally:
                    os.close(inner)
            elif first is not None and not rest and entry.is_file(follow_symlinks=False):
                yield (*path, entry.name)

    def _shown(self, parts: list[str]) -> str:
        return str(PurePosixPath(self._root, *parts))

    def _parts(self, path: str) -> list[str]:
        """The names below the root; a relative path begins at the root."""
        if not path or "\0" in path:
            raise NodeError("The path is empty or not valid.")
        given = path if path.startswith("/") else f"{self._root}/{path}"
        inside = f"{self._root.rstrip('/')}/"
        names = [name for name in given.split("/") if name not in ("", ".")]
        if ".." in names or not f"/{'/'.join(names)}/".startswith(inside):
            raise NodeError("The path is not below the directory that nodes may use (nodes.files.root).")
        rest = names[len([name for name in inside.split("/") if name]) :]
        if not rest:
            raise NodeError("The path names a directory; name a file in it.")
        return rest

    @contextmanager
    def _parent(self, parts: list[str]) -> Iterator[tuple[int, str]]:
        """The open directory of the last name, and that name."""
        directory = os.open(self._root, _ROOT)
        try:
            for name in parts[:-1]:
                inner = os.open(name, _DIRECTORY, dir_fd=directory)
                os.close(directory)
                directory = inner
            yield directory, parts[-1]
        finally:
            os.close(directory)

    @contextmanager
    def _told(self, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as exc:
            if exc.errno == errno.ELOOP:
                raise NodeError(f"{path} is or contains a symbolic link, which is not followed.") from None
            raise NodeError(f"{path} cannot be used: {exc.strerror or type(exc).__name__}.") from None


def _regular(descriptor: int, path: str) -> int:
    """The descriptor again. Closes it and raises `NodeError` for what is no regular file."""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NodeError(f"{path} is no regular file.")
    return descriptor


def _check_replaceable(directory: int, name: str, path: str) -> None:
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode):
            raise NodeError(f"{path} is there already and is no regular file.")


def _alternatives(pattern: str) -> list[str]:
    """The patterns without their choices. Raises `NodeError` for too many."""
    open_patterns, found = [pattern], []
    while open_patterns:
        one = open_patterns.pop()
        choice = _CHOICE.search(one)
        if choice is None:
            found.append(one)
        else:
            open_patterns += [one[: choice.start()] + each + one[choice.end() :] for each in choice[1].split(",")]
        if len(open_patterns) + len(found) > _MOST_ALTERNATIVES:
            raise NodeError(f"The path has more than {_MOST_ALTERNATIVES} choices; name fewer in its braces.")
    return found


def _compiled(part: str) -> Pattern[str] | None:
    """None for `**`."""
    return None if part == "**" else compile_pattern(translate(part))


def _entries(directory: int) -> list[os.DirEntry[str]]:
    with os.scandir(directory) as entries:
        return list(entries)


def _matches(name: str, pattern: Pattern[str] | None) -> bool:
    """Names that begin with a dot match only patterns that do."""
    if pattern is None:
        return not name.startswith(".")
    if name.startswith(".") and not pattern.pattern.removeprefix("(?s:").startswith("\\."):
        return False
    return pattern.fullmatch(name) is not None
