"""Node.js as the judge of what JavaScript means: one process that evaluates many expressions."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

NODE = shutil.which("node")

SCRIPT = r"""
const { data, sources } = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const text = JSON.stringify(data);
const answers = sources.map((source) => {
  try {
    const run = new Function('$json', `"use strict"; return (\n${source}\n)`);
    const value = run(JSON.parse(text));
    return { value: typeof value === 'function' ? 'function' : value === undefined ? null : value };
  } catch (error) {
    return error instanceof SyntaxError && !/JSON/.test(error.message) ? { syntax: error.message } : { value: null };
  }
});
const shown = (key, value) => (typeof value === 'bigint' ? String(value) : value);
console.log(JSON.stringify(answers, shown));
"""

MISSING = "Node.js is not on the path; it is the judge here"


def run_node(script: str, given: object) -> Any:  # whatever the script prints as JSON
    """What a script prints, given this on its standard input. Local time is UTC, the locale American English."""
    environment = {"PATH": os.environ["PATH"], "TZ": "UTC", "LANG": "en_US.UTF-8"}
    assert NODE is not None
    done = subprocess.run(
        [NODE, "-e", script], input=json.dumps(given).encode(), capture_output=True, env=environment, timeout=120
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def judged(sources: Sequence[str], data: object) -> list[dict[str, Any]]:
    """Per source `{"value": JSON}` (undefined and a run-time error as null) or `{"syntax": message}`."""
    found: list[dict[str, Any]] = run_node(SCRIPT, {"data": data, "sources": list(sources)})
    return found
