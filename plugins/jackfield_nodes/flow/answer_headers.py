"""Headers of an answer, made safe: a value from a request can neither add a header nor run in the daemon's origin."""

from __future__ import annotations

import re

from jackfield.api.nodes import NodeError

_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]+")
_SERVERS_OWN = frozenset(
    {"connection", "content-length", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "x-request-id"}
)
_ACTIVE_TYPES = ("html", "xml", "svg")
SANDBOX = "sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts"
"""Pages of a workflow may run, but in an origin of their own."""


def checked_status(status: int) -> int:
    """Raises `NodeError` for a status that cannot end an answer."""
    if not 200 <= status <= 599:
        raise NodeError(f"The status {status} cannot be answered; use 200 to 599.")
    return status


class AnswerHeaders:
    """Names in lower case. Values are the bytes of their UTF-8 text, one character each."""

    def __init__(self) -> None:
        self._values: dict[str, list[str]] = {}

    def add(self, name: str, value: str) -> None:
        """One more header; a name may repeat. Control characters in a value become blanks. Headers that belong to the
        server are left out. Raises `NodeError` for a name that is none."""
        key = name.strip().lower()
        if not _NAME.fullmatch(key):
            raise NodeError("A response header has a name that is not valid; use letters, digits and '-'.")
        if key not in _SERVERS_OWN:
            self._values.setdefault(key, []).append(_safe(value))

    def replace(self, name: str, value: str) -> None:
        self._values[name] = [_safe(value)]

    def default(self, name: str, value: str) -> None:
        """Set it unless the author did."""
        self._values.setdefault(name, [_safe(value)])

    def listed(self) -> list[tuple[str, str]]:
        """In the order in which they were set, with a sandbox for active content."""
        kind = self._values.get("content-type", [""])[-1].lower()
        if any(active in kind for active in _ACTIVE_TYPES):
            self.default("content-security-policy", SANDBOX)
        return [(name, value) for name, values in self._values.items() for value in values]


def _safe(value: str) -> str:
    return _CONTROL.sub(" ", value).strip().encode("utf-8", "replace").decode("latin-1")
