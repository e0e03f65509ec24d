"""Real workflows are drawn whole: the editor's own code places all of their nodes and wires."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from jackfield.testing.daemon import Daemon

CORPUS = os.environ.get("JACKFIELD_TEST_CORPUS", "")
FRONTEND = Path(__file__).resolve().parents[2] / "plugins/jackfield_ui/frontend"
TEST = "src/pages/workflows/canvas/drawing.test.ts"

pytestmark = [
    pytest.mark.skipif(not CORPUS, reason="JACKFIELD_TEST_CORPUS names no directory of workflows"),
    pytest.mark.skipif(
        shutil.which("npx") is None or not (FRONTEND / "node_modules/vitest").is_dir(),
        reason="npm has not installed vitest",
    ),
]


def test_every_wire_and_node_is_drawn(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path)
    daemon.start()
    try:
        types = daemon.admin().get("/node-types", params={"schemas": "false", "unavailable": "true"}).json()["data"]
    finally:
        daemon.stop()
    files = sorted(Path(CORPUS, "workflows").rglob("*.json"))
    assert len(files) >= 300
    workflows = [{"name": path.name, "document": json.loads(path.read_text())} for path in files]
    module = tmp_path / "drawing.mjs"
    module.write_text(f"export default {json.dumps({'types': types, 'workflows': workflows})};")
    done = subprocess.run(
        ["npx", "vitest", "run", TEST],
        cwd=FRONTEND,
        env={**os.environ, "VITE_DRAWING": str(module), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert f"{len(files) + 3} passed" in done.stdout
