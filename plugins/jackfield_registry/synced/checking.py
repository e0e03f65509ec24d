"""Whether a file that was fetched is what its kind says: a broken one refuses the whole sync."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from jackfield.api import jsontext
from jackfield.api.errors import InvalidInput
from jackfield.api.manifests import Manifest, ManifestKind
from jackfield_registry.settings import MIB
from jackfield_registry.synced.index import PRICING

Kinds = Mapping[str, ManifestKind[Manifest]]
SMALL = MIB
"""Bytes of a manifest or a script."""


class Broken(ValueError):
    """The file is not of its kind. The message is a clause."""


def limit_of(kind: str, kinds: Kinds, large: int) -> int:
    """Bytes that a file of this kind may have."""
    return SMALL if kind in kinds or kind == "scripts" else large


def check(path: Path, kind: str, kinds: Kinds) -> Manifest | None:
    """The manifest, if it is one. Raises `Broken`, OSError."""
    if kind in kinds:
        return _manifest(path, kinds[kind])
    if kind == "scripts":
        _text(path)
    elif path.suffix == ".toml":
        _toml(path)
    else:
        found = _json(path)
        if kind == PRICING and not all(isinstance(prices, dict) for prices in found.values()):
            raise Broken("every model must have an object of prices")
    return None


def _manifest(path: Path, kind: ManifestKind[Manifest]) -> Manifest:
    try:
        return kind.loaded.model_validate(_toml(path))
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_context=False, include_input=False)[0]
        raise Broken(f"{'.'.join(map(str, first['loc'])) or 'the file'}: {first['msg']}") from None


def _toml(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as exc:
        raise Broken(f"not valid TOML: {exc}") from None
    except RecursionError:
        raise Broken("nested too deeply") from None


def _json(path: Path) -> dict[str, jsontext.Json]:
    try:
        found = jsontext.loads(path.read_bytes())
    except InvalidInput as exc:
        raise Broken(f"not valid JSON: {'; '.join(map(str, (exc.details or {}).values()))}") from None
    if not isinstance(found, dict):
        raise Broken("must be an object")
    return found


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise Broken("not UTF-8") from None
