"""`src/api/schema.d.ts`, by which the pages know the API, is what the daemon says of itself now."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from jackfield.testing.daemon import Daemon

FRONTEND = Path(__file__).resolve().parents[2] / "plugins/jackfield_ui/frontend"
GENERATOR = FRONTEND / "node_modules/openapi-typescript"


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
@pytest.mark.skipif(not GENERATOR.is_dir(), reason="`npm ci` was not run in plugins/jackfield_ui/frontend")
def test_the_types_are_those_of_the_running_daemon(daemon: Daemon, tmp_path: Path) -> None:
    described, generated = tmp_path / "openapi.json", tmp_path / "schema.d.ts"
    described.write_bytes(daemon.client().get("/openapi.json").raise_for_status().content)
    command = ["npm", "run", "--silent", "generate", "--", str(described), str(generated)]
    subprocess.run(command, cwd=FRONTEND, check=True, timeout=60, capture_output=True)
    kept = (FRONTEND / "src/api/schema.d.ts").read_text(encoding="utf-8")
    assert generated.read_text(encoding="utf-8") == kept, "run: npm run generate -- openapi.json"
