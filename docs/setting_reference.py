"""The table of settings: an anchor for each key, and the version that had it first."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from jackfield.api.version import __version__

ROW = re.compile(r"^\| `(?P<name>[^`]+)` \| (?P<default>.*?) \| (?P<meaning>.*) \| (?P<environment>`[^`]+`) \|$")
TABLE = re.compile(r"^## `\[(?P<table>.+)\]`$")


class FirstVersions:
    """Which version had a setting first: key -> version, kept in a file. A key that is not in it is of this version."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
        self._new: dict[str, str] = {}

    def of(self, key: str) -> str:
        if key not in self._known:
            self._new[key] = ".".join(__version__.split(".")[:2])
        return self._known.get(key) or self._new[key]

    def is_stale(self) -> bool:
        """Whether a key was asked for that the file does not have."""
        return bool(self._new)

    def write(self) -> None:
        self._path.write_text(json.dumps(self._known | self._new, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def with_anchors(text: str, since: FirstVersions) -> str:
    """The tables one level down, with a column for the first version. A key's anchor is its path."""
    return "\n".join(_lines(text, since))


def _lines(text: str, since: FirstVersions) -> Iterator[str]:
    table = ""
    for line in text.splitlines():
        if heading := TABLE.match(line):
            table = heading["table"]
            yield f"#{line}"
        elif row := ROW.match(line):
            key = f"{table}.{row['name']}"
            meaning = f'<a id="{key}"></a>{row["meaning"]}'
            yield f"| `{row['name']}` | {row['default']} | {meaning} | {since.of(key)} | {row['environment']} |"
        elif line.startswith("| key"):
            yield "| key | default | meaning | since | environment |"
        elif line.startswith("| ---"):
            yield "| --- | --- | --- | --- | --- |"
        else:
            yield line
