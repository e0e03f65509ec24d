"""n8n's encryption of credentials. Source: n8n-core, `encryption`.

The older form is OpenSSL's `Salted__` one: AES-256-CBC, whose key and initial vector are three rounds of MD5 over the
instance's key and the salt. Newer versions keep keys of data in the database, each sealed with AES-256-GCM under the
instance's key, and write `<id of the key>:<sealed>`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar, cast

from jackfield.api import jsontext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.object_references import load
from jackfield.api.records import record

FoundT = TypeVar("FoundT")
_PREFIX = re.compile(r"([A-Za-z0-9_-]{1,36}):(.*)", re.DOTALL)
_DECRYPTION = "jackfield_migration.reading.decryption"


class WrongKey(InvalidInput):
    """The key does not open what was sealed."""


@record
class DataKey:
    """A key of the database's table deployment_key. sealed: as it stands there; algorithm: of what it seals."""

    id: str
    sealed: str
    algorithm: str


class N8nCipher:
    """Opens what an n8n installation has sealed. keys: of the installation (`N8N_ENCRYPTION_KEY`), and others that its
    exports may be sealed with. The first that gives JSON counts: by chance, the padding fits one of 256 keys."""

    def __init__(self, keys: Sequence[str], data_keys: Mapping[str, DataKey] | None = None) -> None:
        self._keys = keys
        self._data_keys = data_keys or {}

    def with_data_keys(self, found: Sequence[DataKey]) -> N8nCipher:
        """The same, knowing keys of a database."""
        return N8nCipher(self._keys, {**self._data_keys, **{each.id: each for each in found}})

    def lines(self, sealed: str) -> list[Json]:
        """Values of JSON, one in a line. Raises `WrongKey`."""
        return self._first(sealed, lambda text: [jsontext.loads(line) for line in text.splitlines() if line.strip()])

    def values(self, sealed: str) -> dict[str, Json]:
        """A credential's data. Raises `WrongKey`."""
        return self._first(sealed, _object)

    def _first(self, sealed: str, read: Callable[[str], FoundT]) -> FoundT:
        """The value that `read` makes of the text that the first key gives which it can read."""
        failed = wrong_key()
        for key in self._keys:
            try:
                return read(self._open(sealed, key))
            except WrongKey as exc:
                failed = exc
            except InvalidInput:
                failed = wrong_key()
        raise failed

    def _open(self, sealed: str, key: str) -> str:
        found = _PREFIX.fullmatch(sealed)
        if found is None:
            return _opener("open_cbc")(sealed, key)
        data_key = self._data_keys.get(found[1])
        if data_key is None:
            raise WrongKey(
                f"It is sealed with the data key {found[1]}, which only n8n's database holds; import the database, or "
                "export the credentials with --decrypted."
            )
        inner = _opener("open_gcm")(data_key.sealed, hashlib.sha256(key.encode()).hexdigest())
        return _opener("open_gcm" if data_key.algorithm == "aes-256-gcm" else "open_cbc")(found[2], inner)


def _opener(name: str) -> Callable[[str, str], str]:
    """Of a sealed text, with a key. Raises `WrongKey`."""
    return cast("Callable[[str, str], str]", load(f"{_DECRYPTION}:{name}"))


def _object(text: str) -> dict[str, Json]:
    """Raises `InvalidInput`."""
    found = jsontext.loads(text)
    if not isinstance(found, dict):
        raise wrong_key()
    return found


def wrong_key() -> WrongKey:
    """With its remedy."""
    return WrongKey(
        "The encryption key does not open it. Give the key of the n8n that wrote it: N8N_ENCRYPTION_KEY there, or "
        "encryptionKey in ~/.n8n/config."
    )
