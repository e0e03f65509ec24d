"""A command's earlier answer, for as long as nothing has changed that the answer rests on.

`config`, `plugins` and `--help` load every plugin, which takes a third of a second, to say the same as before. So the
command keeps its answer with the names and times of all files that it was made from. These are the loaded modules and
their directories, the metadata of all distributions, `config.toml`, and every other opened file. Only a sound answer is
kept, without a plugin of a stranger, which may look at anything, and without a warning.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat as stat_module
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from jackfield.api.errors import ConfigurationError
from jackfield.api.files import private_directory, write_private
from jackfield.api.version import __version__

if TYPE_CHECKING:
    from jackfield.api.jsontext import Json

_FORM = 1
"""Of what is kept; another one is not read."""
_SETTLED_NS = 1_000_000_000
"""A file that has changed since, or so shortly before, may have been read as it was before."""
_LOOKED_AT = ("open", "os.listdir", "os.scandir")
_OF_THE_SYSTEM = ("/proc/", "/dev/", "/sys/")
_METADATA = ("METADATA", "PKG-INFO", "entry_points.txt")
Stamp = list[int]


def cache_directory(environment: Mapping[str, str]) -> Path | None:
    """XDG_CACHE_HOME/jackfield, else ~/.cache/jackfield; None where there is no home."""
    base = Path(environment.get("XDG_CACHE_HOME", ""))
    if base.is_absolute():  # others are to be ignored
        return base / "jackfield"
    home = Path(environment.get("HOME", ""))
    return home / ".cache" / "jackfield" if home.is_absolute() and home.is_dir() else None


class CommandCache:
    """One answer of each name, each in a separate file. `directory`: None: nothing is kept."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory

    def answer(
        self, name: str, asked: Json, places: Iterable[Path], make: Callable[[], Json], sound: Callable[[], bool]
    ) -> Json:
        """`asked`: what the answer depends on beside files.

        `places`: files and directories that it depends on though it opens none of them. `sound`: whether what was made
        may be kept.
        """
        if self._directory is None or not _is_ours(self._directory):
            return make()
        path = self._directory / f"{name}.json"
        key: Json = [_FORM, __version__, sys.version, sys.executable, list(sys.path), asked]
        kept = _read(path)
        if kept is not None and kept.get("key") == key and _unchanged(kept.get("stamps")):
            return cast("Json", kept.get("answer"))
        before = time.time_ns() - _SETTLED_NS
        with _watched() as seen:
            made = make()
        if sound() and not seen.told:
            stamps = {str(place): stamp(str(place)) for place in (*_loaded(), *_distributions(), *places, *seen.opened)}
            if all(known is None or max(known[:2]) < before for known in stamps.values()):
                content = json.dumps({"key": key, "stamps": stamps, "answer": made})
                with contextlib.suppress(ConfigurationError):
                    private_directory(self._directory)
                    write_private(path, content.encode())
        return made


def stamp(path: str) -> Stamp | None:
    """The marks that change with a file or with the names in a directory; None: it is not there."""
    try:
        found = os.stat(path)  # noqa: PTH116 - of some thousand, each once per command
    except (OSError, ValueError):
        return None
    return [found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino]


def _is_ours(directory: Path) -> bool:
    """Whether it is a directory of our user, or would be made in one of his or the system's. `sudo` may leave the home
    of somebody else in the environment, whose links lead anywhere, and who would find root's directories there."""
    for place in (directory, *directory.parents):
        try:
            found = place.lstat()
        except FileNotFoundError:
            continue
        except OSError:
            return False
        if place == directory:
            return stat_module.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
        return found.st_uid in (os.getuid(), 0)
    return False


def _read(path: Path) -> dict[str, object] | None:
    """Of the user's own file."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_uid != os.getuid():
                return None
            found = json.loads(file.read())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _unchanged(stamps: object) -> bool:
    return isinstance(stamps, dict) and all(stamp(path) == known for path, known in stamps.items())


def _loaded() -> Iterator[str]:
    """The files of all modules, and the directories where further ones could be."""
    modules = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    files = {file for file in modules if isinstance(file, str)}
    yield from files | {str(Path(file).parent) for file in files} | {place or "." for place in sys.path}


def _distributions() -> Iterator[str]:
    """The files that say which plugins there are."""
    for place in sys.path:
        for form in ("*.dist-info", "*.egg-info"):
            yield from (str(found / file) for found in Path(place or ".").glob(form) for file in _METADATA)


class _Seen:
    """opened: files that are not code, and directories. told: whether something was written to standard error."""

    def __init__(self) -> None:
        self.opened: set[str] = set()
        self.told = False
        self.looks = True

    def note(self, event: str, given: tuple[object, ...]) -> None:
        """An audit event."""
        if self.looks and event in _LOOKED_AT and given and isinstance(given[0], str | os.PathLike):
            path = os.fspath(given[0])
            if isinstance(path, str) and not path.endswith(".pyc") and not path.startswith(_OF_THE_SYSTEM):
                self.opened.add(str(Path(path).absolute()))


class _Teller:
    """Standard error; notes that it got a message."""

    def __init__(self, stream: IO[str], seen: _Seen) -> None:
        self._stream, self._seen = stream, seen

    def write(self, text: str) -> int:
        self._seen.told = True
        return self._stream.write(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


@contextlib.contextmanager
def _watched() -> Iterator[_Seen]:
    """An audit hook stays for as long as the process; it looks no longer than it is asked to."""
    seen, stream = _Seen(), sys.stderr
    sys.addaudithook(seen.note)
    sys.stderr = cast("IO[str]", _Teller(stream, seen))
    try:
        yield seen
    finally:
        sys.stderr, seen.looks = stream, False
