"""What n8n looks at before a workflow starts keeps a workflow from starting here, or the difference is listed.

n8n's own code checks the parameters of each core node, per version and for every choice that shows further ones.
"""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from jackfield.api.nodes import NodeCatalog, NodeType
from jackfield.core.building import build
from jackfield_vendors.parameters import VendorParameters

from . import installing
from .test_defaults import core_kinds

SCRIPT = Path(__file__).with_name("required.js")
SERVICES = Path(__file__).with_name("required_services.js")
LIST = Path(__file__).with_name("required.toml")
SECONDS = 120
SHOWN = 200
FEWEST = 1000
"""Operations of services, at least."""
Found: TypeAlias = Mapping[str, str]
"""kind version parameter -> what is different."""


@pytest.fixture(scope="module")
def differences(tmp_path_factory: pytest.TempPathFactory) -> Found:
    catalog = build(tmp_path_factory.mktemp("required"), {}, {}).context("required").port(NodeCatalog)
    ours = {found.kind: found for found in catalog.all() if not found.description.missing}
    try:
        command = [installing.node(), str(SCRIPT), *core_kinds(ours)]
        done = subprocess.run(command, cwd=installing.directory(), capture_output=True, timeout=SECONDS, check=True)
    except installing.NotThere as exc:
        pytest.skip(str(exc))
    found: dict[str, str] = {}
    theirs: list[dict[str, Any]] = json.loads(done.stdout)
    for one in theirs:
        node_type = ours[one["kind"]]
        if one["version"] in node_type.versions:
            told = {path.split(".")[0] for path in node_type.parameters(one["version"]).obstacles(one["given"])}
            for name in told ^ set(one["issues"]):
                side = "Jackfield" if name in told else "n8n"
                found.setdefault(f"{one['kind']} {one['version']:g} {name}", f"only {side} misses it {one['given']}")
    return found


def test_no_workflow_starts_that_n8n_does_not_start(differences: Found) -> None:
    patterns = [name for entry in tomllib.loads(LIST.read_text())["difference"] for name in entry["parameters"]]
    unlisted = [name for name in differences if not any(fnmatchcase(name, pattern) for pattern in patterns)]
    shown = "\n   ".join(f"{name}: {differences[name]}" for name in unlisted[:SHOWN])
    assert not unlisted, f"{len(unlisted)} parameters differ and are not listed:\n   {shown}"
    stale = [pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in differences)]
    assert not stale, f"listed, and nothing differs: {stale}"


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
