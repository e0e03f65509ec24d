"""Headers and query parameters whose values are never kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import unquote_plus

from jackfield.api import jsontext
from jackfield.api.caller_secrets import MASK, is_secret_parameter

_SECRET_NAME = re.compile(
    r"authorization|cookie|signature|secret|token|password|passwd|api-?key|access-?key|hmac|hub-sig"
)
MAX_QUERY = 2048
"""Characters of a query string that the history keeps."""


@lru_cache(maxsize=4096)
def is_secret(name: str) -> bool:
    """Whether a header of this lower-case name usually carries a secret: a credential, a cookie, a signature."""
    return _SECRET_NAME.search(name) is not None


def for_history(headers: Mapping[str, str], own: frozenset[str]) -> bytes:
    """The headers as they are stored, JSON. own: those that carry the webhook's own credential."""
    return jsontext.dumps({name: MASK if name in own or is_secret(name) else value for name, value in headers.items()})


def without_own(headers: Mapping[str, str], own: frozenset[str]) -> dict[str, str]:
    """The headers of a call whose item is stored before anybody reads it. own: those that carry the credential which
    was just verified."""
    return {name: MASK if name in own else value for name, value in headers.items()}


def query_for_history(query: str) -> str:
    """A query string as it is stored: its beginning, with `***` for the values of parameters that by their name carry
    a secret."""
    return "&".join(_kept_parameter(part) for part in query[:MAX_QUERY].split("&"))[:MAX_QUERY]


def _kept_parameter(part: str) -> str:
    raw, equals, _ = part.partition("=")
    name = unquote_plus(raw).lower()
    secret = is_secret(name.replace("_", "-")) or is_secret_parameter(name)
    return f"{raw}={MASK}" if equals and secret else part
