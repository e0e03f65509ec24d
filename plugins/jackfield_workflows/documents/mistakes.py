"""Mistakes of a document by json path."""

from __future__ import annotations

import json

from jackfield.api.errors import InvalidInput

MAX_MISTAKES = 100


def member(path: str, name: str) -> str:
    """The json path of a key: `settings.timezone`, or `connections["My node"]`."""
    if name.isidentifier():
        return f"{path}.{name}" if path else name
    return f"{path}[{json.dumps(name[:100], ensure_ascii=False)}]"


class Mistakes:
    """Collects what is wrong with the form of a document; the first 100 are kept."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}

    def add(self, path: str, message: str) -> None:
        if len(self.found) < MAX_MISTAKES:
            self.found.setdefault(path, message)

    def check(self) -> None:
        """Raises `InvalidInput` with all of them, if there is any."""
        if self.found:
            raise InvalidInput("The workflow document does not have the expected form.", details=self.found)
