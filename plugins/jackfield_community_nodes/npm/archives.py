"""Archives of packages: only their plain files are taken, none of their links, modes or scripts. It blocks."""

from __future__ import annotations

import gzip
import shutil
import tarfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO, Final, cast

from jackfield.api.errors import InvalidInput

MOST_FILES = 50_000
"""Files of one package, with its directories."""
_LONGEST: Final = 1000
"""Characters of a path."""
_DEEPEST: Final = 64
"""Parts of a path."""
_AT_ONCE: Final = 1 << 20
"""Bytes that are read at once: `tarfile` reads an extended header whole, whatever length it claims."""


def unpack(archive: Path, target: Path, room: int) -> int:
    """The files of the archive below `target`, without the archive's own first directory. room: bytes that the
    unpacked archive may have. The bytes that it has. Raises `InvalidInput`."""
    try:
        with gzip.open(archive) as content:
            source = _Bounded(content, room)
            with tarfile.open(fileobj=cast("IO[bytes]", source), mode="r:") as opened:
                _take(opened, target)
            return source.tell()
    except (tarfile.TarError, zlib.error, EOFError, OSError, ValueError) as exc:
        raise InvalidInput(f"An archive cannot be unpacked: {exc}.") from None


def _take(opened: tarfile.TarFile, target: Path) -> None:
    count, made = 0, {target}
    while (member := opened.next()) is not None:
        count += 1
        if member.isreg():
            place = target / _inside(member.name)
            count += _directories(place, target, made)
            _copy(opened, member, place)
        if count > MOST_FILES:
            raise InvalidInput(f"A package has more than {MOST_FILES} files.")


class _Bounded:
    """The bytes that `tarfile` reads: no further than there is room, and no more at once than a file's part."""

    def __init__(self, content: gzip.GzipFile, room: int) -> None:
        self._content = content
        self._room = room

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= _AT_ONCE:
            raise InvalidInput("An archive cannot be unpacked: one of its headers is too long.")
        self._require_room(self.tell() + size)
        return self._content.read(size)

    def seek(self, position: int) -> int:
        self._require_room(position)
        return self._content.seek(position)

    def tell(self) -> int:
        return self._content.tell()

    def _require_room(self, position: int) -> None:
        if position > self._room + tarfile.RECORDSIZE:
            raise InvalidInput("The packages are larger than community_nodes.max_size allows.")


def _copy(opened: tarfile.TarFile, member: tarfile.TarInfo, place: Path) -> None:
    content = opened.extractfile(member)
    if content is not None:
        with content, place.open("wb") as file:
            shutil.copyfileobj(content, file)


def _directories(place: Path, target: Path, made: set[Path]) -> int:
    """Make those above the file. How many the archive had not asked for yet."""
    above = place.parent
    above.mkdir(parents=True, exist_ok=True)
    fresh = {path for path in (above, *above.parents) if path.is_relative_to(target)} - made
    made |= fresh
    return len(fresh)


def _inside(name: str) -> PurePosixPath:
    """The path below the archive's first directory. Raises `InvalidInput` for one that leads out of it."""
    parts = PurePosixPath(name).parts
    if name.startswith("/") or ".." in parts or "\\" in name or "\0" in name or len(parts) < 2:
        raise InvalidInput(f"An archive has a file with the path {name[:80]!r}, which leads out of it.")
    if len(name) > _LONGEST or len(parts) > _DEEPEST:
        raise InvalidInput(f"An archive has a file with the path {name[:80]!r}..., which is too long.")
    return PurePosixPath(*parts[1:])
