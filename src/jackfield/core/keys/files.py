"""Keys in `keys/`: the master key, the earlier ones, and those that versions before had for every purpose."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from collections.abc import Sequence
from pathlib import Path

from jackfield.api.errors import ConfigurationError
from jackfield.api.files import create_private, private_directory, read_private, remove_private, write_private

from .derivation import MASTER_SIZE, MasterKey

_MASTER = "encryption"
_PREVIOUS = "encryption-previous"
"""Where versions before kept the earlier key until everything was sealed anew."""
_EARLIER = "earlier-"
_NAME = re.compile(r"[a-z][a-z0-9_-]*")


class KeyDirectory:
    """`keys/` in the configuration directory: files of mode 0600 in a directory of mode 0700. All of it blocks, and
    raises `ConfigurationError` for a file that cannot be used or is damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def master_path(self) -> Path:
        return self._file(_MASTER)

    def master(self) -> MasterKey | None:
        """None: there is none yet."""
        return self._master_in(_MASTER)

    def make_master(self) -> MasterKey:
        """Make one where there is none."""
        private_directory(self.path)
        self._write(_MASTER, secrets.token_bytes(MASTER_SIZE))
        return self._present()

    def replace_master(self) -> MasterKey:
        """Make another one. The current one is beside it before that, whatever happens."""
        present = self._present()
        self._write(_EARLIER + present.fingerprint, present.raw)
        write_private(self.master_path, _encoded(secrets.token_bytes(MASTER_SIZE)))
        return self._present()

    def earlier(self) -> Sequence[MasterKey]:
        """Those that were replaced."""
        names = (_PREVIOUS, *self._names(_EARLIER))
        return [key for name in names if (key := self._master_in(name)) is not None]

    def forget_master(self) -> None:
        """The environment has the master key, and nothing needs this one."""
        remove_private(self.master_path)

    def forget_earlier(self) -> None:
        """Nothing needs them, nor the keys of versions before."""
        for name in (_PREVIOUS, *self._names(_EARLIER), *self.former_names()):
            remove_private(self._file(name))

    def former(self, name: str) -> bytes | None:
        """The key that a version before made under this name, which nothing is signed with any more."""
        found = read_private(self._file(name)) if not _is_reserved(name) else None
        return None if found is None else self._whole(name, found)

    def former_names(self) -> Sequence[str]:
        """Of these keys."""
        return [name for name in self._names("") if not _is_reserved(name)]

    def check(self) -> None:
        """Read every key that there is."""
        for name in self._names(""):
            found = read_private(self._file(name))
            if found is not None:
                self._whole(name, found)

    def _present(self) -> MasterKey:
        found = self.master()
        if found is None:
            raise ConfigurationError(f"{self.master_path} was removed meanwhile; run this again.")
        return found

    def _names(self, prefix: str) -> Sequence[str]:
        return sorted(path.name.removesuffix(".key") for path in self.path.glob(f"{prefix}*.key"))

    def _master_in(self, name: str) -> MasterKey | None:
        found = read_private(self._file(name))
        if found is None:
            return None
        raw = self._whole(name, found)
        if len(raw) != MASTER_SIZE:
            raise self._damaged(name, f"it must hold {MASTER_SIZE} bytes as base64")
        return MasterKey(raw)

    def _whole(self, name: str, found: bytes) -> bytes:
        raw = _decoded(found)
        if not raw:
            raise self._damaged(name, "it must hold a key as base64")
        return raw

    def _damaged(self, name: str, wanted: str) -> ConfigurationError:
        return ConfigurationError(f"{self._file(name)} is damaged: {wanted}. Restore it from a backup.")

    def _write(self, name: str, raw: bytes) -> None:
        """One that is there stays: another process was first."""
        create_private(self._file(name), _encoded(raw))

    def _file(self, name: str) -> Path:
        return self.path / f"{name}.key"


def check_name(name: str) -> None:
    """Raises ValueError for what is no name of a derived key."""
    if not _NAME.fullmatch(name) or _is_reserved(name):
        raise ValueError(f"not a key name: {name!r}")


def _is_reserved(name: str) -> bool:
    return name in {_MASTER, _PREVIOUS} or name.startswith(_EARLIER)


def _encoded(key: bytes) -> bytes:
    """The key, and on a second line what tells whether it is still the same: another key that is as good as any would
    open nothing that was sealed, and nobody would know why."""
    return base64.b64encode(key) + b"\n" + _mark(key) + b"\n"


def _mark(key: bytes) -> bytes:
    return hashlib.sha256(b"jackfield key" + key).hexdigest()[:8].encode()


def _decoded(found: bytes) -> bytes:
    """The key in a file's text; empty for what is none. A key of the operator's own needs no second line."""
    text, _, mark = found.partition(b"\n")
    try:
        key = base64.b64decode(text, validate=True)
    except ValueError:
        return b""
    # Base64 that was cut off is still base64, but not of a size that keys have.
    whole = found == _encoded(key) or (not mark and len(key) % 16 == 0)
    return key if whole else b""
