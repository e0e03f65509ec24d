"""Archives of packages: only their plain files are taken, none of their links, modes or scripts. It blocks."""

from __future__ import annotations

import shutil
import tarfile
import zlib
from pathlib import Path, PurePosixPath

from jackfield.api.errors import InvalidInput

MOST_FILES = 50_000
"""Files of one package."""
_LONGEST = 1000
"""Characters of a path."""


def unpack(archive: Path, target: Path, room: int) -> int:
    """The files of the archive below `target`, without the archive's own first directory. room: bytes that they may
    have. The bytes that they have. Raises `InvalidInput`."""
    size = count = 0
    try:
        with tarfile.open(archive, "r|gz") as opened:
            for member in opened:
                if not member.isreg():
                    continue
                count, size = count + 1, size + member.size
                if count > MOST_FILES:
                    raise InvalidInput(f"A package has more than {MOST_FILES} files.")
                if size > room:
                    raise InvalidInput("The packages are larger than community_nodes.max_size allows.")
                place = target / _inside(member.name)
                place.parent.mkdir(parents=True, exist_ok=True)
                content = opened.extractfile(member)
                if content is not None:
                    with content, place.open("wb") as file:
                        shutil.copyfileobj(content, file)
    except (tarfile.TarError, zlib.error, EOFError, OSError) as exc:
        raise InvalidInput(f"An archive cannot be unpacked: {exc}.") from None
    return size


def _inside(name: str) -> PurePosixPath:
    """The path below the archive's first directory. Raises `InvalidInput` for one that leads out of it."""
    parts = PurePosixPath(name).parts
    if name.startswith("/") or ".." in parts or "\\" in name or "\0" in name or len(name) > _LONGEST or len(parts) < 2:
        raise InvalidInput(f"An archive has a file with the path {name[:80]!r}, which leads out of it.")
    return PurePosixPath(*parts[1:])
