"""Files of other tools: small, and in whatever form of JSON, YAML or TOML the tool reads."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import cast

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.object_references import load

LARGEST = 2**24
"""Bytes of one file."""
# Without backtracking into comments: a line of slashes would be split in every possible way.
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*+"|//[^\n]*|/\*.*?\*/|,(?=(?>\s++|//[^\n]*+|/\*.*?\*/)*+[}\]])', re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")


def text_of(path: Path) -> str:
    """Raises `InvalidInput` that names the file."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise InvalidInput(f"The file {path} is larger than {LARGEST} bytes.")
        return content.decode("utf-8-sig")
    except OSError as exc:
        raise InvalidInput(f"The file {path} cannot be read: {exc.strerror}.") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"The file {path} is no text.") from None


def json_file(path: Path) -> Mapping[str, Json]:
    """An object, with comments and commas at ends of lists, as people write it. Raises `InvalidInput`; the content,
    which may hold keys, is not quoted."""
    text = text_of(path)
    return _object(path, lambda: json.loads(_TOKEN.sub(lambda found: found[0] if found[0][0] == '"' else "", text)))


def toml_file(path: Path) -> Mapping[str, Json]:
    """Raises `InvalidInput`."""
    text = text_of(path)
    return _object(path, lambda: tomllib.loads(text))


def yaml_file(path: Path) -> Mapping[str, Json]:
    """Raises `InvalidInput`."""
    text = text_of(path)
    try:
        parse = cast("Callable[[str], object]", load("yaml:safe_load"))
    except ImportError:
        raise InvalidInput("YAML is read with the package PyYAML; install it with `pip install pyyaml`.") from None
    return _object(path, lambda: parse(text))


def _object(path: Path, parse: Callable[[], object]) -> Mapping[str, Json]:
    try:
        found = parse()
    except RecursionError:
        raise InvalidInput(f"The file {path} is nested too deeply.") from None
    except Exception as exc:  # parsers have their own errors; their texts quote the file
        line = getattr(exc, "lineno", None) or getattr(getattr(exc, "problem_mark", None), "line", None)
        where = f" (near line {line})" if isinstance(line, int) else ""
        raise InvalidInput(f"The file {path} is not understood{where}.") from None
    if not isinstance(found, dict):
        raise InvalidInput(f"The file {path} holds no table of settings.")
    return cast("Mapping[str, Json]", found)


def table(value: object, *names: str) -> Mapping[str, Json]:
    """The object below these keys; an empty one where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return cast("Mapping[str, Json]", value) if isinstance(value, dict) else {}


def rows(value: Json) -> Iterator[Mapping[str, Json]]:
    """The objects of a list."""
    yield from (row for row in value if isinstance(row, dict)) if isinstance(value, list) else ()


def texts(value: Json) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def text(found: Mapping[str, Json], *names: str) -> str:
    """The first text under one of the names; empty without one."""
    return next((value.strip() for name in names if isinstance(value := found.get(name), str) and value.strip()), "")


def key_of(value: str) -> tuple[str | None, str | None]:
    """Key, and variable that holds it, of a value such as `sk-1` or `$NAME`."""
    named = _VARIABLE.fullmatch(value)
    if named is not None:
        return None, named[1] or named[2]
    return value or None, None
