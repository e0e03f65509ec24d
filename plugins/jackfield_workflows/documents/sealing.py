"""Secrets at rest: a stored document has `***` in the place of each, and all of them sealed under its own key.

The mask refers to the sealed value by its place. So a version, a copy, or the document of a run carries its secrets
along and takes them with it when it is deleted. A caller that only shows a document opens none.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield.api.jsontext import Json
from jackfield.api.workflows import Document
from jackfield_workflows.documents.secret_parameters import SecretParameters

SEALED = "sealedSecrets"
"""The key of a document: in the store a text, in an export with a passphrase an object. Nobody else may write it."""
_HIDDEN_FROM = 8
"""Characters. Shorter values are words too often to be hidden in every log line."""


class SealedSecrets:
    """Seals and opens the secrets of documents."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._parameters = SecretParameters(context)

    async def sealed(self, document: Document) -> Document:
        """The document as it is stored. One that is sealed already stays as it is, but for secrets that were added."""
        await self._parameters.ready(document)
        # In a thread: the first time, a library is loaded and a key is read.
        return await asyncio.to_thread(self._seal, document) if self._parameters.taken(document) else document

    async def resealed(self, document: Document) -> Document:
        """A stored document, sealed with the current key. Raises `ConfigurationError` as `opened` does."""
        await self._parameters.ready(document)
        return await (asyncio.to_thread(self._seal, document) if SEALED in document else self.sealed(document))

    async def opened(self, document: Document) -> Document:
        """A stored document with its secrets, which no log shows from now on. Raises `ConfigurationError` when they
        were sealed with another key."""
        return await asyncio.to_thread(self._open, document) if SEALED in document else document

    def _seal(self, document: Document) -> Document:
        plain = self._open(document)
        taken = self._parameters.taken(plain)
        self._hide(taken)
        data = self._context.secrets.seal(json.dumps(taken).encode())  # also of half surrogates and large integers
        return {**self._parameters.redacted(plain), SEALED: base64.b64encode(data).decode()}

    def _open(self, document: Document) -> Document:
        sealed = document.get(SEALED)
        if not isinstance(sealed, str):
            return without_sealed(document)
        try:
            taken = taken_of(json.loads(self._context.secrets.open(base64.b64decode(sealed, validate=True))))
        except (ValueError, RecursionError):
            raise _lost() from None
        self._hide(taken)
        return with_secrets(document, taken)

    def _hide(self, taken: Sequence[tuple[Sequence[str], Json]]) -> None:
        texts = (value for _, value in taken if isinstance(value, str))
        self._context.secrets.redact(*(text for text in texts if len(text) >= _HIDDEN_FROM))


def is_sealed(document: Json) -> bool:
    """Whether it is an export whose secrets a passphrase opens."""
    return isinstance(document, dict) and isinstance(document.get(SEALED), dict)


def without_sealed(document: Document) -> Document:
    """The document without what is sealed of it."""
    return {key: value for key, value in document.items() if key != SEALED} if SEALED in document else document


def with_secrets(document: Document, taken: Sequence[tuple[Sequence[str], Json]]) -> Document:
    """The document with these values at their places, and nothing sealed."""
    whole: Json = without_sealed(document)
    for path, value in taken:
        whole = _with(whole, path, value)
    return whole if isinstance(whole, dict) else document


def taken_of(values: Json) -> list[tuple[Sequence[str], Json]]:
    """Places and values as they were sealed. Raises ValueError."""
    pairs = values if isinstance(values, list) else [values]
    found: list[tuple[Sequence[str], Json]] = []
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], list):
            raise ValueError("not places and values")
        found.append(([str(key) for key in pair[0]], pair[1]))
    return found


def _with(value: Json, path: Sequence[str], secret: Json) -> Json:
    """The value with the secret at this path; itself when there is no such place."""
    if not path:
        return secret
    key, rest = path[0], path[1:]
    if isinstance(value, dict) and key in value:
        return {**value, key: _with(value[key], rest, secret)}
    if isinstance(value, list) and key.isdecimal() and int(key) < len(value):
        return [_with(inner, rest, secret) if index == int(key) else inner for index, inner in enumerate(value)]
    return value


def _lost() -> ConfigurationError:
    return ConfigurationError(
        "The secrets of this workflow were sealed with a master key that is not there any more. Restore keys/ from a "
        "backup, set JACKFIELD_PREVIOUS_ENCRYPTION_KEY to that key, or save the workflow with its secrets again."
    )
