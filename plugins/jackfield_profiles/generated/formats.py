"""Formats that are merged by keys, which leave the order of keys as it is; and JSON, the first of them."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast

from jackfield.api.object_references import load
from jackfield_profiles.generated.merging import MergedFile, Owned, digest, merge

DEEPEST = 64
"""Levels of a document."""


class Format(Protocol):
    """Texts are without a byte order mark."""

    name: str

    def parse(self, text: str) -> dict[str, Any]:
        """As plain data. Any: whatever a document holds. Raises ValueError saying where it is wrong."""

    def merged(self, text: str, generated: Mapping[str, Any], owned: Owned) -> tuple[str, MergedFile]:
        """The new text; the same when nothing changes. Raises ValueError, `MergeConflict`."""


class JsonFormat:
    """RFC 8259, an object at the top. Indented as it was, else by two spaces."""

    name = "json"

    def parse(self, text: str) -> dict[str, Any]:
        if not text.strip():
            return {}
        try:
            found = json.loads(text, parse_constant=_refused)
        except RecursionError:
            raise ValueError("it is nested too deep") from None
        if not isinstance(found, dict):
            raise ValueError("it is no JSON object")  # noqa: TRY004 - of a document, not of a caller
        return shallow(found)

    def merged(self, text: str, generated: Mapping[str, Any], owned: Owned) -> tuple[str, MergedFile]:
        document = self.parse(text)
        before = digest(document)
        result = merge(document, copy.deepcopy(dict(generated)), owned, dict)
        if digest(document) == before and text.strip():
            return text, result
        found = re.search(r"\n([ \t]+)\S", text)
        return self.printed(document, found[1] if found else "  "), result

    @staticmethod
    def printed(document: Mapping[str, Any], indent: str = "  ") -> str:
        written = json.dumps(document, ensure_ascii=False, indent=indent)
        try:
            written.encode()
        except UnicodeEncodeError:  # half surrogates can only be written escaped
            written = json.dumps(document, indent=indent)
        return written + "\n"


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def shallow(found: dict[str, Any]) -> dict[str, Any]:
    """Raises ValueError when it is deeper than it may be."""
    level: list[Any] = [found]
    for _ in range(DEEPEST):
        level = [
            inner
            for value in level
            for inner in (value.values() if isinstance(value, dict) else value)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return found
    raise ValueError("it is nested too deep")


PLACES: Mapping[str, str] = {
    ".json": f"{__name__}:JsonFormat",
    ".toml": "jackfield_profiles.generated.toml_format:TomlFormat",
}
"""By a file name's ending, which but for the dot is the format's name."""


def format_of(suffix: str) -> Format | None:
    """The format of files with this ending, in lower case; None: they are not merged by keys."""
    place = PLACES.get(suffix)
    return None if place is None else cast("Callable[[], Format]", load(place))()
