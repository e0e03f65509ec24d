"""Helpers of nodes as n8n's engine has them: against what it gave, and against itself where it is."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from npm_double import NODE, needs_node

from jackfield_community_nodes.processes.commands import HOST

HERE = Path(__file__).parent
CASES = HERE / "helper_cases.js"
UTILS = "*/node_modules/n8n-core/dist/execution-engine/node-execution-context/utils"
RECORDED = HERE / "helper_cases.json"


def answers(program: str, folder: Path, whose: str) -> object:
    words = [program, str(CASES), str(folder), whose]
    return json.loads(subprocess.run(words, capture_output=True, check=True, timeout=60).stdout)


@needs_node
def test_helpers_answer_as_n8n_did() -> None:
    assert answers(str(NODE), HOST, "ours") == json.loads(RECORDED.read_text())


def test_what_n8n_did_is_what_it_does() -> None:
    cache = Path(os.environ.get("JACKFIELD_TEST_N8N_CACHE") or "/nowhere")
    found = next(cache.glob(UTILS), None)
    if found is None:
        pytest.skip("JACKFIELD_TEST_N8N_CACHE names no folder with n8n's engine")
    program = cache / "node/node_modules/.bin/node"
    assert answers(str(program), found, "n8n") == json.loads(RECORDED.read_text())


@needs_node
def test_a_parameter_that_is_null_is_not_missing() -> None:
    script = (
        f"const {{ Parameters }} = require({json.dumps(str(HOST / 'parameters.js'))});"
        "const values = { empty: null, rows: { one: null } };"
        "const given = new Parameters({ properties: [] }, {}, values, [values]);"
        "const found = [given.get('empty', 0, 'x'), given.get('rows.one', 0, 'x'), given.get('none', 0, 'x'),"
        " given.get('none', 0, '5', { ensureType: 'number' })];"
        "process.stdout.write(JSON.stringify(found));"
    )
    done = subprocess.run([str(NODE), "-e", script], capture_output=True, check=True, timeout=60)
    assert json.loads(done.stdout) == [None, None, "x", 5]
