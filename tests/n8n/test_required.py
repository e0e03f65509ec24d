"""What n8n looks at before a workflow starts keeps a workflow from starting here, or the difference is listed.

n8n's own code checks the parameters of each core node, per version and for every choice that shows further ones.
"""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from jackfield.api.nodes import NodeCatalog, NodeType
from jackfield.core.building import build
from jackfield_vendors.parameters import VendorParameters

from . import installing
from .test_defaults import core_kinds

HERE = Path(__file__).parent
SERVICES = HERE / "required_services.js"
_PARTS = re.compile(r"[.\[\]]+")
SECONDS = 120
SHOWN = 200
FEWEST = 1000
"""Operations of services, at least."""
Found: TypeAlias = Mapping[str, str]
"""kind version parameter -> what is different."""


@pytest.mark.parametrize("looked_at", ["required", "fitting"])
def test_no_workflow_starts_that_n8n_does_not_start(looked_at: str, tmp_path: Path) -> None:
    """required: parameters that are left out or empty; fitting: types, patterns, conditions, columns, numbers of
    rows."""
    differences = _differences(HERE / f"{looked_at}.js", tmp_path)
    listed = tomllib.loads((HERE / f"{looked_at}.toml").read_text())["difference"]
    patterns = [name for entry in listed for name in entry["parameters"]]
    unlisted = [name for name in differences if not any(fnmatchcase(name, pattern) for pattern in patterns)]
    shown = "\n   ".join(f"{name}: {differences[name]}" for name in unlisted[:SHOWN])
    assert not unlisted, f"{len(unlisted)} parameters differ and are not listed:\n   {shown}"
    stale = [pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in differences)]
    assert not stale, f"listed, and nothing differs: {stale}"


def _differences(script: Path, directory: Path) -> Found:
    catalog = build(directory, {}, {}).context("required").port(NodeCatalog)
    ours = {found.kind: found for found in catalog.all() if not found.description.missing}
    try:
        command = [installing.node(), str(script), *core_kinds(ours)]
        done = subprocess.run(command, cwd=installing.directory(), capture_output=True, timeout=SECONDS, check=True)
    except installing.NotThere as exc:
        pytest.skip(str(exc))
    found: dict[str, str] = {}
    theirs: list[dict[str, Any]] = json.loads(done.stdout)
    assert len(theirs) > FEWEST
    for one in theirs:
        node_type = ours[one["kind"]]
        if one["version"] in node_type.versions:
            paths = node_type.parameters(one["version"]).obstacles(one["given"])
            for name, side in _between([_PARTS.split(path) for path in paths], {*one["issues"]}):
                found.setdefault(f"{one['kind']} {one['version']:g} {name}", f"only {side} misses it {one['given']}")
    return found


def _between(paths: Sequence[Sequence[str]], issues: Collection[str]) -> Iterator[tuple[str, str]]:
    """Names that one side alone tells. n8n names the parameter, and a column or the number of a row behind it, but not
    where it stands."""
    names = {issue.split(".")[0] for issue in issues}
    yield from ((path[0], "Jackfield") for path in paths if not names & {*path})
    yield from ((name, "n8n") for name in names if not any(name in path for path in paths))


def test_no_service_keeps_a_workflow_from_starting_that_n8n_starts(tmp_path: Path) -> None:
    catalog = build(tmp_path, {}, {}).context("required").port(NodeCatalog)
    asked = [one for node_type in catalog.all() if not node_type.description.missing for one in _chosen(node_type)]
    assert len(asked) > FEWEST
    try:
        command = [installing.node(), str(SERVICES)]
        given = json.dumps([{key: one[key] for key in ("kind", "version", "given")} for one in asked]).encode()
        done = subprocess.run(
            command, cwd=installing.directory(), input=given, capture_output=True, timeout=SECONDS, check=True
        )
    except installing.NotThere as exc:
        pytest.skip(str(exc))
    theirs: list[list[str] | None] = json.loads(done.stdout)
    stricter = [one for one, names in zip(asked, theirs, strict=True) if names is not None and one["told"] - {*names}]
    assert not stricter


def _chosen(node_type: NodeType) -> Iterator[dict[str, Any]]:
    """Each operation of a described service, with nothing but what chooses it."""
    for version in node_type.versions:
        model = node_type.parameters(version)
        for form in model.forms if issubclass(model, VendorParameters) else ():
            described, when = form.described, form.compiled.when
            given = {"resource": described.resource, "operation": described.operation} | {
                name: value[0] if isinstance(value, list) else value for name, value in when.items() if "." not in name
            }
            given = {name: value for name, value in given.items() if value != ""}
            yield {"kind": node_type.kind, "version": version, "given": given, "told": {*model.obstacles(given)}}
