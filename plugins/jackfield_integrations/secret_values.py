"""A credential's values as a driver wants them, and errors without them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from jackfield.api.credentials import CredentialKind
from jackfield.api.nodes import NodeError, NodeRun

_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
_MOST = 500
"""Characters of a driver's message that are shown."""


class DriverCredential:
    """The values of one stored credential."""

    def __init__(self, kind: CredentialKind, values: Mapping[str, object]) -> None:
        self.kind = kind.name
        self._values = {known.name: known.default for known in kind.fields} | dict(values)
        self._secrets = [str(value) for name, value in values.items() if kind.secret(name) and len(str(value)) > 3]

    def text(self, name: str, default: str = "") -> str:
        """The value as text, or the default when it is empty."""
        value = self._values.get(name)
        return default if value is None or value == "" else str(value)

    def needed(self, name: str) -> str:
        """Raises `NodeError` when there is none."""
        value = self.text(name).strip()
        if not value:
            raise NodeError(f"The credential {self.kind} has no {name}; fill it in.")
        return value

    def number(self, name: str, default: int) -> int:
        """Raises `NodeError` when it is no whole number."""
        try:
            return int(self.text(name, str(default)))
        except ValueError:
            raise NodeError(f"The {name} of the credential {self.kind} is not a whole number.") from None

    def port(self, default: int) -> int:
        found = self.number("port", default)
        if not 0 < found < 65536:
            raise NodeError(f"The port of the credential {self.kind} is not between 1 and 65535.")
        return found

    def flag(self, name: str, default: bool = False) -> bool:
        value = self._values.get(name)
        if value is None or value == "":
            return default
        return str(value).strip().lower() in {"true", "1", "yes", "on"}

    def shown(self, error: BaseException | str) -> str:
        """A driver's message on one line, bounded, without any secret of this credential."""
        text = str(error) or type(error).__name__
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(secret, "***")
        return _CONTROL.sub(" ", text).strip().rstrip(".")[:_MOST]


async def credential(run: NodeRun, kind: CredentialKind) -> DriverCredential:
    """The node's credential of this kind. Raises `NodeError`."""
    return DriverCredential(kind, await run.credential(kind.name))
