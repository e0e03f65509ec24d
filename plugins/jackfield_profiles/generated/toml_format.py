"""TOML that is merged by keys; its comments stay."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from jackfield_profiles.generated.formats import shallow
from jackfield_profiles.generated.merging import MergedFile, Owned, digest, merge


class TomlFormat:
    """TOML 1.0."""

    name = "toml"

    def parse(self, text: str) -> dict[str, Any]:
        try:
            return shallow(tomllib.loads(text))
        except RecursionError:
            raise ValueError("it is nested too deep") from None

    def merged(self, text: str, generated: Mapping[str, Any], owned: Owned) -> tuple[str, MergedFile]:
        expected = self.parse(text)
        before = digest(expected)
        result = merge(expected, copy.deepcopy(dict(generated)), owned, dict)
        if digest(expected) == before:
            return text, result
        try:
            document = tomlkit.parse(text)
            merge(document, generated, owned, tomlkit.table)
            written = tomlkit.dumps(document)
            faithful = digest(tomllib.loads(written)) == digest(expected)
        except (TOMLKitError, ValueError, KeyError, TypeError, AttributeError, IndexError, AssertionError):
            faithful = False
        if not faithful:
            raise ValueError("its tables are laid out in a way that cannot be edited safely; write each table once")
        return written, result
