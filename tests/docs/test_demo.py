"""The README's first command, where something lacks."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_demo_names_wheels_that_lack(tmp_path: Path) -> None:
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / "rhai_python-0.2.0-cp311-abi3-linux_x86_64.whl").touch()
    env = {**os.environ, "JACKFIELD_WHEELS": "wheels"}  # relative to where the caller is
    run = subprocess.run([ROOT / "demo/run"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60)
    assert run.returncode == 1
    assert f"  - the wheel of jackfield-native in {tmp_path.resolve()}/wheels" in run.stderr
    assert "rhai-python" not in run.stderr
    assert "https://rustup.rs" in run.stderr
