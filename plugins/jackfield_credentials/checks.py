"""Whether values fit the fields of their kind."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from jackfield.api.credentials import ALLOWED_HOSTS, TOKENS, CredentialField, CredentialKind
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import loads
from jackfield.api.secret_references import refers_to_secrets, template_of


def problems(kind: CredentialKind | None, values: Mapping[str, str]) -> dict[str, str]:
    """Path -> what is wrong; no value is quoted. A kind that nobody describes may have any fields."""
    found = {f"values.{name}": wrong for name, value in values.items() if (wrong := _badly_written(value))}
    if TOKENS in values:
        found[f"values.{TOKENS}"] = "tokens are kept by the daemon; connect the credential instead"
    if kind is None:
        return found
    known = {field.name: field for field in kind.fields}
    for name in values:
        if name not in known and name not in (ALLOWED_HOSTS, TOKENS):
            found[f"values.{name}"] = f"{kind.name} has no such field; it has {', '.join([*known, ALLOWED_HOSTS])}"
    for field in kind.fields:
        if problem := _problem(field, values.get(field.name, "")):
            found[f"values.{field.name}"] = problem
    return found


def check(kind: CredentialKind | None, values: Mapping[str, str]) -> None:
    """Raises `InvalidInput` with every problem."""
    if found := problems(kind, values):
        raise InvalidInput("The credential's values do not fit its kind.", details=found)


def _badly_written(value: str) -> str | None:
    try:
        return None if not refers_to_secrets(value) or template_of(value) else "refers to nothing"
    except ValueError as exc:
        return str(exc)


def _problem(field: CredentialField, value: str) -> str | None:
    if refers_to_secrets(value):
        return None  # only its source knows the value
    if not value:
        return "is required" if field.required and not field.default else None
    if field.choices and value not in field.choices:
        return f"must be one of {', '.join(field.choices)}"
    match field.type:
        case "boolean" if value not in ("true", "false"):
            return "must be true or false, as text"
        case "url" if not _is_url(value):
            return "must be a URL that begins with http:// or https://"
        case "json" if not _is_object(value):
            return "must be the text of a JSON object"
    return None


def _is_url(value: str) -> bool:
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _is_object(value: str) -> bool:
    try:
        return isinstance(loads(value), dict)
    except InvalidInput:
        return False
