"""Files and directories that somebody names: JSON, n8n's database, its archives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from jackfield.api import jsontext
from jackfield.api.errors import InvalidInput
from jackfield.api.records import state
from jackfield_migration.bundle import Bundle
from jackfield_migration.reading.archives import is_archive, read_archive
from jackfield_migration.reading.cipher import DataKey, N8nCipher
from jackfield_migration.reading.database import is_database, read_database

_BOM = b"\xef\xbb\xbf"
SUFFIXES = frozenset({".json", ".zip", ".sqlite"})


@state
class BundleReader:
    """The content that is read so far. `limit`: bytes of one JSON file."""

    bundle: Bundle
    cipher: N8nCipher | None
    limit: int

    def path(self, path: Path) -> None:
        """A file, or everything below a directory that can be n8n's. The bundle names the parts that cannot be read."""
        if path.is_dir():
            found = sorted(each for each in path.rglob("*") if each.suffix in SUFFIXES and each.is_file())
            if not found:
                self.bundle.fail(str(path), "The directory has no *.json, *.zip or *.sqlite file.")
            for each in found:
                self.file(each, str(each))
        else:
            self.file(path, str(path))

    def file(self, path: Path, origin: str) -> None:
        self._contained(origin, lambda: self._file(path, origin))

    def json(self, data: bytes, origin: str) -> None:
        self._contained(origin, lambda: self._json(data, origin))

    def _contained(self, origin: str, work: Callable[[], None]) -> None:
        """One file that cannot be read does not keep the others back."""
        try:
            work()
        except InvalidInput as exc:
            self.bundle.fail(origin, " ".join([exc.message, *map(str, (exc.details or {}).values())]))
        except OSError as exc:
            self.bundle.fail(origin, f"It cannot be read: {exc.strerror}.")

    def _file(self, path: Path, origin: str) -> None:
        if is_database(path):
            self.learn(read_database(path, origin, self.bundle))
        elif is_archive(path, origin):
            self.learn(read_archive(path, origin, self.bundle, self.cipher, self.limit))
        else:
            with path.open("rb") as file:
                data = file.read(self.limit + 1)
            self._json(data, origin)

    def learn(self, found: Sequence[DataKey]) -> None:
        """Keys of data open credentials that come from the same installation."""
        if self.cipher is not None and found:
            self.cipher = self.cipher.with_data_keys(found)

    def _json(self, data: bytes, origin: str) -> None:
        """Raises `InvalidInput`."""
        if len(data) > self.limit:
            raise InvalidInput(
                f"It has more than {self.limit >> 20} MiB (migration.document_limit); export with --separate."
            )
        if not data.strip():
            raise InvalidInput("It is empty.")
        self.bundle.add(jsontext.loads(data.removeprefix(_BOM)), origin)


def read_paths(paths: Sequence[Path], cipher: N8nCipher | None, limit: int) -> BundleReader:
    """Everything that these paths hold."""
    reading = BundleReader(Bundle(), cipher, limit)
    for path in paths:
        reading.path(path)
    return reading
