"""Where each key is: one file a key below `keys/`, which holds the sealed key or says that the keyring has it. All of
it blocks."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import orjson

from jackfield.api.context import Secrets
from jackfield.api.errors import ConfigurationError, JackfieldError
from jackfield.api.files import private_directory, read_private, remove_private, write_private
from jackfield.api.records import record

SUFFIX = ".sealed"
KINDS = ("profiles", "providers")
"""Of owners."""
_IN_KEYRING = b"keyring\n"


@record
class StoredKey:
    """The content of the file. `key`: the opened one; None: the keyring has it."""

    key: str | None


class KeyUnreadable(JackfieldError):
    """The stored key cannot be opened; set it again."""

    code = "KEY_UNREADABLE"


class KeyFiles:
    """owner: `profiles/<alias>` or `providers/<id>`. The seal names the owner, so that a file that was moved opens for
    nobody else."""

    def __init__(self, config_dir: Path, secrets: Secrets) -> None:
        self._root = config_dir / "keys"
        self._secrets = secrets

    def _path(self, owner: str) -> Path:
        return self._root / f"{owner}{SUFFIX}"

    def find(self, owner: str) -> StoredKey | None:
        """None: there is no key. Raises `KeyUnreadable`."""
        try:
            content = read_private(self._path(owner))
        except ConfigurationError as exc:
            raise KeyUnreadable(f"{exc.message} Set the key of {owner} again.") from None
        if content is None:
            return None
        return StoredKey(None) if content == _IN_KEYRING else StoredKey(self._opened(owner, content))

    def _opened(self, owner: str, content: bytes) -> str:
        try:
            found = orjson.loads(self._secrets.open(content))
            if found["owner"] == owner:
                return str(found["key"])
        except (ValueError, KeyError, TypeError):
            pass
        raise KeyUnreadable(
            f"The stored key of {owner} cannot be opened: {self._path(owner)} was changed, or sealed with another "
            "encryption key. Set it again."
        )

    def seal(self, owner: str, key: str) -> None:
        self._write(owner, self._sealed(owner, key))

    def _sealed(self, owner: str, key: str) -> bytes:
        return self._secrets.seal(orjson.dumps({"owner": owner, "key": key}))

    def reseal(self, owner: str) -> bool:
        """With the current master key, if it is not; False where there is nothing sealed. Raises `KeyUnreadable`,
        `ConfigurationError`."""
        with self._alone(owner):
            content = read_private(self._path(owner))
            if content is None or content == _IN_KEYRING:
                return False
            if not self._secrets.is_current(content):
                write_private(self._path(owner), self._sealed(owner, self._opened(owner, content)))
            return True

    def note_keyring(self, owner: str) -> bytes | None:
        """The keyring has it, or is about to. Gives the file as it was before."""
        before = read_private(self._path(owner))
        self._write(owner, _IN_KEYRING)
        return before

    def restore(self, owner: str, before: bytes | None) -> None:
        """Undo `note_keyring`."""
        if before is None:
            self.remove(owner)
        else:
            self._write(owner, before)

    def _write(self, owner: str, content: bytes) -> None:
        with self._alone(owner):
            write_private(self._path(owner), content)

    @contextmanager
    def _alone(self, owner: str) -> Iterator[None]:
        """Among processes: a daemon may set a key while a command seals all of them anew."""
        descriptor = os.open(private_directory(self._path(owner).parent), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with suppress(OSError):  # a file system that locks no directories
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def in_keyring(self, owner: str) -> bool:
        """Whether the keyring has it, as far as is noted."""
        try:
            return read_private(self._path(owner)) == _IN_KEYRING
        except ConfigurationError:
            return False

    def remove(self, owner: str) -> None:
        with self._alone(owner):
            remove_private(self._path(owner))

    def problems(self) -> Sequence[str]:
        """One sentence for each that cannot be opened. Opens all of them."""
        found = []
        for owner in (f"{kind}/{name}" for kind in KINDS for name in self.names(kind)):
            try:
                self.find(owner)
            except JackfieldError as exc:
                found.append(exc.message)
        return found

    def names(self, kind: str) -> Sequence[str]:
        """The names that have keys: of `profiles` the aliases."""
        try:
            found = [path.name for path in (self._root / kind).iterdir()]
        except FileNotFoundError:
            return []
        return sorted(name.removesuffix(SUFFIX) for name in found if name.endswith(SUFFIX) and name[0] != ".")
