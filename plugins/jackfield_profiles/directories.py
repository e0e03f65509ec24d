"""Directories to choose from: names below the roots that the settings allow, and nothing of what is in them.

No component of a path is followed as a link while it is opened. The entries that are listed lie below a root, whoever
swaps a directory for a link meanwhile.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from jackfield.api.errors import AccessDenied, InvalidInput, NotFound
from jackfield.api.records import record
from jackfield_profiles.settings import DirectorySettings

_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@record
class ListedDirectory:
    """path: absolute. hidden: its name begins with a dot."""

    name: str
    path: str
    hidden: bool


@record
class DirectoryListing:
    """parent: None at a root. truncated: there are more directories than are listed."""

    path: str
    parent: str | None
    roots: Sequence[str]
    entries: Sequence[ListedDirectory]
    truncated: bool


class DirectoryLister:
    """Lists directories. Its methods block."""

    def __init__(self, settings: DirectorySettings, config_dir: Path) -> None:
        self._settings = settings
        self._excluded = config_dir.resolve()

    def listing(self, asked: str | None) -> DirectoryListing:
        """asked: absolute path; None: the first root. Raises `InvalidInput`, `NotFound`, `AccessDenied`."""
        roots = self._roots()
        if not roots:
            raise NotFound("No directory of `directories.roots` is there.", code="DIRECTORY_NOT_FOUND")
        path = roots[0] if asked is None else _real(asked)
        root = next((one for one in roots if path.is_relative_to(one)), None)
        if root is None or path.is_relative_to(self._excluded):
            allowed = ", ".join(map(str, roots))
            raise InvalidInput(
                f"{asked} is not among the directories that may be listed.",
                code="DIRECTORY_OUTSIDE",
                details={"path": f"give a directory below {allowed}, or add its root to directories.roots"},
            )
        with _opened(root, path) as entries:
            found = sorted(self._directories(path, entries, roots), key=lambda one: one.name.casefold())
            more = next(entries, None) is not None
        limit = self._settings.limit
        parent = None if path in roots else str(path.parent)
        listed = tuple(found[:limit])
        return DirectoryListing(str(path), parent, tuple(map(str, roots)), listed, more or len(found) > limit)

    def _roots(self) -> Sequence[Path]:
        places = [Path(one).expanduser() for one in self._settings.roots]
        return [place.resolve() for place in places if _is_directory(place)]

    def _directories(
        self, path: Path, entries: Iterator[os.DirEntry[str]], roots: Sequence[Path]
    ) -> Iterator[ListedDirectory]:
        for entry in itertools.islice(entries, self._settings.scan_limit):
            place = path / entry.name
            if place == self._excluded or not _is_text(entry.name):
                continue
            if entry.is_symlink():
                target = Path(os.path.realpath(place))
                inside = any(target.is_relative_to(root) for root in roots)
                if not inside or target.is_relative_to(self._excluded) or not _is_directory(target):
                    continue
            elif not entry.is_dir(follow_symlinks=False):
                continue
            yield ListedDirectory(entry.name, str(place), entry.name.startswith("."))


def _is_directory(place: Path) -> bool:
    """False as well for one that is below a directory that cannot be entered."""
    try:
        return place.is_dir()
    except OSError:
        return False


def _real(asked: str) -> Path:
    """Links are resolved here, and what they lead to is looked at, not they. Raises `InvalidInput`."""
    given = Path(asked).expanduser() if asked == "~" or asked.startswith("~/") else Path(asked)
    if "\0" in asked or not given.is_absolute():
        raise InvalidInput("The path is not absolute.", details={"path": "give an absolute path, such as /home/me/src"})
    return Path(os.path.realpath(given))


@contextmanager
def _opened(root: Path, path: Path) -> Iterator[Iterator[os.DirEntry[str]]]:
    """Raises `NotFound`, `AccessDenied`."""
    descriptor = -1
    try:
        descriptor = os.open(root, _FLAGS)
        for part in path.relative_to(root).parts:
            below = os.open(part, _FLAGS, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = below
        with os.scandir(descriptor) as entries:
            yield entries
    except PermissionError:
        raise AccessDenied(
            f"The daemon's user may not list {path}.", code="DIRECTORY_UNREADABLE", details={"path": "choose another"}
        ) from None
    except OSError as exc:
        raise NotFound(
            f"There is no directory {path}.", code="DIRECTORY_NOT_FOUND", details={"path": str(exc.strerror)}
        ) from None
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def _is_text(name: str) -> bool:
    """JSON cannot name it otherwise."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
