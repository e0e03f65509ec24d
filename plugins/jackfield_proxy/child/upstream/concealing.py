"""The credentials that a provider knows, in its own words.

Some repeat the key that they refuse. A client of the proxy, such as one with a virtual key, is not to see it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from urllib.parse import parse_qsl, quote, urlsplit

from jackfield_proxy.plan import Upstream

HIDDEN = "***"
SHORTEST = 6
"""Characters; what is shorter is no secret, and turns up in other words."""
_OF_CREDENTIALS = re.compile(r"auth|key|token|secret|signature", re.IGNORECASE).search


class Concealer:
    """Puts `***` in the place of these values, also as JSON or an address would write them."""

    def __init__(self, values: Iterable[str]) -> None:
        forms = {form for value in values if len(value) >= SHORTEST for form in _forms(value)}
        found = sorted(forms, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, found))) if found else None

    def text(self, text: str) -> str:
        return text if self._pattern is None else self._pattern.sub(HIDDEN, text)

    def body(self, body: bytes) -> bytes:
        """Bytes that are no UTF-8 stay as they are."""
        return self.text(body.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def pairs(self, pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        return [(name, self.text(value)) for name, value in pairs]


def concealer_of(upstream: Upstream, login: Sequence[tuple[str, str]], tokens: Iterable[str]) -> Concealer:
    """login: of the agent, for a provider that keeps none. tokens: that were made of keys."""
    parts = [part for key in upstream.keys for part in key.split(":", 2)[1:]] if upstream.auth == "aws-sigv4" else []
    configured = [*upstream.headers.items(), *parse_qsl(urlsplit(upstream.url).query)]
    named = [value for name, value in configured if _OF_CREDENTIALS(name)]
    shown = [value for _, value in login]
    bare = [value.removeprefix("Bearer ") for value in (*named, *shown)]
    return Concealer([*upstream.keys, *parts, *tokens, *bare])


def _forms(value: str) -> set[str]:
    escaped = {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    slashes = {one.replace("/", "\\/") for one in escaped}
    return {value, *escaped, *slashes, quote(value, safe="", errors="replace"), quote(value, errors="replace")}
