"""What n8n looks at before a workflow starts keeps a workflow from starting here, or the difference is listed.

n8n's own code checks the parameters of each core node, per version and for every choice that shows further ones.
"""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from jackfield.api.nodes import NodeCatalog
from jackfield.core.building import build

from . import installing
from .test_defaults import core_kinds

SCRIPT = Path(__file__).with_name("required.js")
LIST = Path(__file__).with_name("required.toml")
SECONDS = 120
SHOWN = 200
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
