"""Manifests of the user, of the synced registry, shipped ones and those of packages, in this order; read again when
they change."""

from __future__ import annotations

import asyncio
import hashlib
import os
import stat
import threading
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias

from pydantic import ValidationError

from jackfield.api.manifests import MANIFEST_KINDS, ManifestKind, Manifests, ManifestT
from jackfield.api.records import state

from .packaged import PackagedDirectory

if TYPE_CHECKING:
    from .ports import Extensions

LARGEST = 2**20
"""Bytes of one file."""
UNSETTLED = 2_000_000_000
"""Nanoseconds. A file written twice within one tick of the file system's clock (FAT: 2 s) may look the same both times.
So the kernel reads one that is younger again, by its content."""

Stamp: TypeAlias = tuple[int, int, int]
"""mtime in ns, inode, size: what changes when a file does. The inode tells a replaced file of the same age and size."""
Packaged: TypeAlias = Callable[[], Sequence[PackagedDirectory]]
"""The directories that packages bring."""
Tell: TypeAlias = Callable[[str, Sequence[str]], None]
"""Called on the event loop with the kind's name and the ids of manifests that came, went or changed."""


def shipped_directory() -> Path:
    """Where the manifests that come with Jackfield are: in the installed package, or in a checkout beside `src`."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "manifests"
    return installed if installed.is_dir() else package.parents[1] / "manifests"


class FileLayers:
    """`jackfield.api.manifests.Layers`."""

    def __init__(self, config_dir: Path, packaged: Packaged = tuple) -> None:
        self._own = (config_dir, config_dir / "registry" / "current", shipped_directory())
        self._packaged = packaged

    def find(self, folder: str, name: str) -> Path | None:
        for directory in self._folders(folder):
            path = directory / name
            if _below(path, directory) and path.is_file():
                return path
        return None

    def directories(self, folder: str) -> Sequence[Path]:
        return [directory for directory in self._folders(folder) if directory.is_dir()]

    def _folders(self, folder: str) -> Iterator[Path]:
        yield from (root / folder for root in self._own)
        yield from (one.path / folder for one in self._packaged())

    def distribution(self, path: Path) -> str | None:
        owners = (one.distribution for one in self._packaged() if path.is_relative_to(one.path))
        return next(owners, "") or None


def _below(path: Path, directory: Path) -> bool:
    # By name, not by where links lead: a user may keep scripts elsewhere and link them.
    inside = "\0" not in str(path) and Path(os.path.normpath(path)).is_relative_to(directory)
    return inside and path.name not in ("", ".", "..")


@state
class _File(Generic[ManifestT]):
    """One file as it was last read. digest: of its content, None when it could not be read. good: its last good
    content; problem: what is wrong with it now."""

    stamp: Stamp
    digest: bytes | None
    settled: bool
    good: ManifestT | None = None
    problem: str | None = None


class KindLibrary(Generic[ManifestT]):
    """`jackfield.api.manifests.Manifests` over directories. A look costs one `stat` a file; only changed files are
    parsed."""

    def __init__(
        self,
        kind: ManifestKind[ManifestT],
        config_dir: Path,
        tell: Tell | None = None,
        packaged: Sequence[PackagedDirectory] = (),
    ) -> None:
        self.kind = kind.name
        self._model = kind.loaded
        self._tell = tell
        self._users = config_dir / f"{kind.name}.d"
        self._brought = {one.path / kind.name: one.distribution for one in packaged}
        """Folder -> distribution."""
        self._replacing = (self._users, config_dir / "registry" / "current" / kind.name)
        """The sources whose manifests take the place of others."""
        self._directories = [
            *self._replacing,
            *([kind.shipped] if kind.shipped else []),
            shipped_directory() / kind.name,
            *self._brought,
        ]
        self._files: dict[str, _File[ManifestT]] = {}
        self._unreadable: Sequence[str] = ()
        self._found: Mapping[str, ManifestT] | None = None
        self._warnings: Sequence[str] = ()
        self._untold: set[str] = set()
        self._looking = threading.Lock()

    async def all(self) -> Mapping[str, ManifestT]:
        found = await asyncio.to_thread(self.look)
        changed = []
        while self._untold:
            changed.append(self._untold.pop())
        if changed and self._tell is not None:
            self._tell(self.kind, sorted(changed))
        return found

    async def find(self, id: str) -> ManifestT | None:
        return (await self.all()).get(id)

    def warnings(self) -> Sequence[str]:
        return self._warnings

    def look(self) -> Mapping[str, ManifestT]:
        """The same as `all`, on the calling thread; nobody hears of changes before the next `all`."""
        with self._looking:
            present, unreadable = self._present()
            known = {path: file.stamp if file.settled else None for path, file in self._files.items()}
            if self._found is None or known != present or unreadable != self._unreadable:
                self._unreadable = unreadable
                self._files = {path: self._read(path, stamp) for path, stamp in present.items()}
                self._arrange()
            return self._found or {}

    def _present(self) -> tuple[dict[str, Stamp], list[str]]:
        """The files that are there now, in the order in which they count, and what is wrong with directories."""
        present: dict[str, Stamp] = {}
        unreadable = []
        for directory in self._directories:
            try:
                present.update(_stamps(directory))
            except FileNotFoundError:
                continue
            except OSError as exc:
                # It may be unreadable for a moment (no descriptors left); what it held stays until it can be read.
                known = f"{directory}{os.sep}"
                present.update({path: file.stamp for path, file in self._files.items() if path.startswith(known)})
                unreadable.append(f"{directory}: {exc.strerror}; make it a directory that the daemon can read")
        return present, unreadable

    def _read(self, path: str, stamp: Stamp) -> _File[ManifestT]:
        known = self._files.get(path)
        if known is not None and known.settled and known.stamp == stamp:
            return known
        good = known.good if known else None
        settled = abs(time.time_ns() - stamp[0]) > UNSETTLED
        try:
            content = _content(path)
        except ValueError as exc:
            # Never settled: what hindered the reading may pass and leave the file as it was.
            return _File(stamp, None, False, good, f"{self._named(path)}: {exc}")
        digest = hashlib.blake2b(content, digest_size=16).digest()
        if known is not None and known.digest == digest:
            return _File(stamp, digest, settled, good, known.problem)
        try:
            return _File(stamp, digest, settled, self._parsed(content))
        except ValueError as exc:
            return _File(stamp, digest, settled, good, f"{self._named(path)}: {exc}")

    def _parsed(self, content: bytes) -> ManifestT:
        """Raises `ValueError`, whose message names the key."""
        try:
            return self._model.model_validate(tomllib.loads(content.decode("utf-8-sig")))
        except ValidationError as exc:
            first = exc.errors(include_url=False, include_context=False, include_input=False)[0]
            raise ValueError(f"{'.'.join(map(str, first['loc'])) or 'the file'}: {first['msg']}") from None
        except UnicodeDecodeError:
            raise ValueError("is not UTF-8 text") from None
        except RecursionError:
            raise ValueError("nested too deeply") from None
        except ValueError:
            raise
        except Exception as exc:
            # Models are plugins'; the mistake of one must not take every manifest of the kind away.
            raise ValueError(f"is not understood ({type(exc).__name__}: {exc})") from None

    def _arrange(self) -> None:
        """Earlier directories count first; inside one the first file of an id, which the order of names decides."""
        found: dict[str, tuple[str, ManifestT]] = {}
        warnings = [*self._unreadable]
        for path, file in self._files.items():
            if file.problem is not None:
                kept = "its last good content is used" if file.good else "it is left out"
                warnings.append(f"{file.problem}; {kept} until the file is mended")
            if file.good is None:
                continue
            winner, _ = found.setdefault(file.good.id, (path, file.good))
            if winner != path and (taken := self._taken(Path(path), Path(winner), file.good.id)) is not None:
                warnings.append(taken)
        self._warnings = warnings
        self._replace({name: manifest for name, (_, manifest) in sorted(found.items())})

    def _taken(self, path: Path, winner: Path, id: str) -> str | None:
        """The report on a file whose id another has; None: it is meant to take its place."""
        if winner.parent == path.parent:
            return f"{self._named(path)}: the id {id} is that of {winner.name} already; give it another id"
        if path.parent not in self._brought or winner.parent in self._replacing:
            return None
        owner = self._brought.get(winner.parent)
        whose = f"the distribution {owner}" if owner else "Jackfield itself"
        return (
            f"{self._named(path)}: the id {id} is that of {winner.name} of {whose}, which counts; to use this one, "
            f"copy it into {self._users}"
        )

    def _named(self, path: str | Path) -> str:
        """A package's file with its distribution."""
        owner = self._brought.get(Path(path).parent)
        return f"{path} of the distribution {owner}" if owner else str(path)

    def _replace(self, found: Mapping[str, ManifestT]) -> None:
        if self._found is not None:
            names = self._found.keys() | found.keys()
            self._untold |= {name for name in names if self._found.get(name) != found.get(name)}
        self._found = found


def _stamps(directory: Path) -> list[tuple[str, Stamp]]:
    """Files, sorted by name; hidden ones are editors' own. Raises `OSError`."""
    with os.scandir(directory) as entries:
        found = [(entry.path, _stamp(entry)) for entry in entries if _is_manifest(entry.name)]
    return sorted((path, stamp) for path, stamp in found if stamp is not None)


def _is_manifest(name: str) -> bool:
    return name.endswith(".toml") and not name.startswith(".")


def _stamp(entry: os.DirEntry[str]) -> Stamp | None:
    """None for a file that has just gone. One that cannot be looked at is named when it is read."""
    try:
        found = entry.stat()
    except OSError as exc:
        gone = isinstance(exc, FileNotFoundError) and not entry.is_symlink()
        return None if gone else (0, 0, -1)
    return found.st_mtime_ns, found.st_ino, found.st_size


def _content(path: str) -> bytes:
    """Raises `ValueError` for what is no file of at most `LARGEST` bytes."""
    try:
        # O_NONBLOCK: opening a pipe would wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ValueError("is not a file")
            content = file.read(LARGEST + 1)
    except OSError as exc:
        raise ValueError(f"cannot be read ({exc.strerror})") from None
    if len(content) > LARGEST:
        raise ValueError(f"is larger than {LARGEST} bytes")
    return content


class Libraries:
    """`jackfield.api.manifests.ManifestLibraries`."""

    def __init__(self, extensions: Extensions, config_dir: Path, tell: Tell, packaged: Packaged = tuple) -> None:
        self._extensions = extensions
        self._config_dir = config_dir
        self._packaged = packaged
        self._tell = tell
        self._made: dict[str, KindLibrary[Any]] = {}
        """Any: each kind has its own model."""

    def of(self, kind: ManifestKind[ManifestT]) -> Manifests[ManifestT]:
        if kind.name not in self._extensions.values(MANIFEST_KINDS):
            raise LookupError(f"no loaded plugin has given the kind of manifests {kind.name}")
        return self._made.get(kind.name) or self._made.setdefault(
            kind.name, KindLibrary(kind, self._config_dir, self._tell, self._packaged())
        )
