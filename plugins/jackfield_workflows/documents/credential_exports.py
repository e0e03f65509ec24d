"""Credentials that are given where a workflow belongs: a workflow may be read by every viewer, and has no sealed part.

n8n's `export:credentials` writes a list, or with --separate a file each, of `{id, name, type, data}`. Data is an object
with --decrypted, else a text. Our own API takes and shows `{name, kind, values}`.
"""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json

REMEDY = (
    "`jackfield import n8n` and POST /api/v1/import take it and seal the secrets. "
    "As workflows they would show their secrets to everybody who may read workflows."
)
CREDENTIAL = f"This is a credential, as n8n's export:credentials or our own API writes it, and no workflow. {REMEDY}"
EXPORT = f"This is an export of credentials, as n8n's export:credentials writes it, and not of workflows. {REMEDY}"
"""Of a whole file."""
VALUES = ("data", "values")
"""The keys of such a document that hold secrets."""


def is_credential(document: Json) -> bool:
    """Whether this is a credential and no workflow."""
    if not isinstance(document, dict) or isinstance(document.get("nodes"), list):
        return False
    n8n = isinstance(document.get("type"), str) and isinstance(document.get("data"), str | dict)
    own = isinstance(document.get("kind"), str) and isinstance(document.get("values"), dict)
    return n8n or own


def is_export(documents: Sequence[Json]) -> bool:
    """Whether a file holds credentials alone."""
    return bool(documents) and all(map(is_credential, documents))


def refuse_credential(document: Json) -> None:
    """Raises `InvalidInput` for a credential."""
    if is_credential(document):
        raise InvalidInput(
            "This is a credential, not a workflow; create it with POST /api/v1/credentials.",
            details={"body": CREDENTIAL},
        )
