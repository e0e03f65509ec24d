"""Secrets of an exported document, sealed with a passphrase: a key by scrypt (RFC 7914), AES-256-GCM.

The form stands in the document itself, so that the cost may rise and older files stay readable. The salt is made once
per command: the files of one export share their key. A command loads this module when there is a passphrase.
"""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Mapping

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield.api.workflows import Document
from jackfield_workflows.documents.sealing import SEALED, taken_of, with_secrets
from jackfield_workflows.documents.secret_parameters import SecretParameters

_FORM = "scrypt-aes-256-gcm"
_NONCE = 12
_MOST_MEMORY = 512 * 1024 * 1024
"""Bytes that opening a file may take: whoever made it says how many."""
_MOST_ROUNDS = 16


@record
class _Cost:
    """Of scrypt: 128 * n * r bytes of memory, p times."""

    salt: bytes
    n: int = 2**17
    r: int = 8
    p: int = 1


class PassphraseSeal:
    """Seals and opens the secrets of documents with one passphrase. All of it blocks; a key takes half a second."""

    def __init__(self, context: PluginContext, passphrase: str) -> None:
        self._parameters = SecretParameters(context)
        self._passphrase = passphrase.encode("utf-8", "surrogatepass")
        self._own = _Cost(secrets.token_bytes(16))
        self._keys: dict[_Cost, bytes] = {}

    def seal(self, document: Document) -> Document:
        """The document with `***` in place of its secrets, and these sealed; one without secrets stays as it is."""
        taken = self._parameters.taken(document)
        if not taken:
            return document
        nonce, cost = secrets.token_bytes(_NONCE), self._own
        data = nonce + AESGCM(self._key(cost)).encrypt(nonce, json.dumps(taken).encode(), None)
        form: Json = {
            "form": _FORM,
            "salt": _text(cost.salt),
            "n": cost.n,
            "r": cost.r,
            "p": cost.p,
            "data": _text(data),
        }
        return {**self._parameters.redacted(document), SEALED: form}

    def open(self, document: Document) -> Document:
        """The inverse. Raises `InvalidInput` for another passphrase, and for what was changed or is too costly."""
        form = document.get(SEALED)
        if not isinstance(form, dict):
            return document
        try:
            key, data = self._key(_cost(form)), _bytes(form, "data")
            taken = taken_of(json.loads(AESGCM(key).decrypt(data[:_NONCE], data[_NONCE:], None)))
        except InvalidTag:
            raise InvalidInput(
                "The passphrase is not the one that the secrets were sealed with, or the file was changed."
            ) from None
        except (ValueError, TypeError, RecursionError):
            raise _damaged() from None
        return with_secrets(document, taken)

    def _key(self, cost: _Cost) -> bytes:
        if cost not in self._keys:
            kdf = Scrypt(salt=cost.salt, length=32, n=cost.n, r=cost.r, p=cost.p)
            self._keys[cost] = kdf.derive(self._passphrase)
        return self._keys[cost]


def _cost(form: Mapping[str, Json]) -> _Cost:
    """Raises `InvalidInput`, ValueError, TypeError."""
    if form.get("form") != _FORM:
        raise InvalidInput("The secrets are sealed in a form that this version does not know; update Jackfield.")
    n, r, p = (_number(form, name) for name in ("n", "r", "p"))
    if n & (n - 1) or not n >= 2 or not r > 0 or not 0 < p <= _MOST_ROUNDS or 128 * n * r > _MOST_MEMORY:
        raise InvalidInput("To open the secrets would take more than 512 MiB of memory; export the workflow anew.")
    return _Cost(_bytes(form, "salt"), n, r, p)


def _number(form: Mapping[str, Json], name: str) -> int:
    found = form.get(name)
    if isinstance(found, bool) or not isinstance(found, int):
        raise TypeError(name)
    return found


def _bytes(form: Mapping[str, Json], name: str) -> bytes:
    found = form.get(name)
    if not isinstance(found, str):
        raise TypeError(name)
    return base64.b64decode(found, validate=True)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _damaged() -> InvalidInput:
    return InvalidInput("The sealed secrets of this file are damaged; export the workflow anew.")
