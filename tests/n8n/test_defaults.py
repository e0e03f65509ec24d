"""A parameter that a document leaves out takes n8n's default of that node version, or the difference is listed.

n8n's own code completes the parameters: per node and version for every choice that shows further ones, and for rows of
collections. Inside an optional collection n8n has no defaults; the families compare what its absent options mean.
"""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from pydantic import BaseModel, ValidationError

from jackfield.api.nodes import NodeCatalog
from jackfield.core.building import build

from . import installing

SCRIPT = Path(__file__).with_name("defaults.js")
LIST = Path(__file__).with_name("defaults.toml")
SECONDS = 120
SHOWN = 80
EMPTY: Sequence[object] = (None, "", [], {})
Found: TypeAlias = dict[str, str]
"""kind version path -> what is different."""


def completed(kinds: Sequence[str]) -> list[dict[str, Any]]:
    """What n8n makes of incomplete parameters. Raises `installing.NotThere`."""
    command = [installing.node(), str(SCRIPT), *kinds]
    done = subprocess.run(command, cwd=installing.directory(), capture_output=True, timeout=SECONDS, check=True)
    return list(json.loads(done.stdout))


@pytest.fixture(scope="module")
def differences(tmp_path_factory: pytest.TempPathFactory) -> Found:
    catalog = build(tmp_path_factory.mktemp("defaults"), {}, {}).context("defaults").port(NodeCatalog)
    ours = {found.kind: found for found in catalog.all() if not found.description.missing}
    try:
        theirs = completed(core_kinds(ours))
    except installing.NotThere as exc:
        pytest.skip(str(exc))
    found: Found = {}
    for one in theirs:
        node_type = ours[one["kind"]]
        if one["version"] in node_type.versions:
            place = f"{one['kind']} {one['version']:g}"
            for path, told in compared(node_type.parameters(one["version"]), one["given"], one["completed"]):
                found.setdefault(f"{place} {path}", told)
    return found


def core_kinds(ours: Mapping[str, object]) -> list[str]:
    types = installing.directory() / "node_modules/n8n-nodes-base/dist/types/nodes.json"
    described = json.loads(types.read_text())
    core = {one["name"] for one in described if "Core Nodes" in (one.get("codex") or {}).get("categories", ())}
    return sorted(core & set(ours))


def compared(
    model: type[BaseModel], given: Mapping[str, Any], complete: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """(path, what is different) of each parameter."""
    try:
        made = model.model_validate(dict(given))
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        yield (
            ".".join(str(part) for part in first["loc"] if not isinstance(part, int)),
            f"refused: {first['msg']} {given}",
        )
        return
    yield from _walked(made, given, complete, "", given)


def _walked(made: object, given: Any, complete: Any, path: str, whole: Any) -> Iterator[tuple[str, str]]:
    if isinstance(complete, list) and isinstance(made, list):
        for row, given_row, complete_row in zip(made, given or [{}] * len(made), complete, strict=False):
            yield from _walked(row, given_row, complete_row, path, whole)
    elif isinstance(complete, dict) and isinstance(made, BaseModel):
        names = {field.alias or name: name for name, field in type(made).model_fields.items()}
        for key, value in complete.items():
            below = f"{path}.{key}" if path else key
            inner = given.get(key) if isinstance(given, dict) else None
            if key not in names and key not in type(made).model_fields:
                yield below, f"not there; n8n {value!r} {whole}"
            elif isinstance(value, dict | list) or inner is None:
                yield from _walked(getattr(made, names.get(key, key)), inner, value, below, whole)
    elif given is None and not _same(made, complete):
        yield path, f"n8n {complete!r}, Jackfield {made!r} {whole}"


def _same(ours: object, theirs: object) -> bool:
    if isinstance(theirs, dict) and "mode" in theirs and "value" in theirs:
        theirs = theirs["value"]
    if isinstance(ours, BaseModel):
        return theirs in EMPTY
    return ours == theirs or (ours in EMPTY and theirs in EMPTY)


def test_defaults_are_those_of_n8n(differences: Found) -> None:
    patterns = [pattern for entry in tomllib.loads(LIST.read_text())["difference"] for pattern in entry["parameters"]]
    unlisted = [name for name in differences if not any(fnmatchcase(name, pattern) for pattern in patterns)]
    shown = "\n   ".join(f"{name}: {differences[name]}" for name in unlisted[:SHOWN])
    assert not unlisted, f"{len(unlisted)} defaults differ and are not listed:\n   {shown}"
    stale = [pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in differences)]
    assert not stale, f"listed, and nothing differs: {stale}"
