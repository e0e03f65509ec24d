"""Settings, endpoints and errors in the documentation are those of the code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_generated_parts_are_up_to_date() -> None:
    command = [sys.executable, ROOT / "docs/generate.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"run `python docs/generate.py`\n{done.stdout}{done.stderr}"


def test_every_settings_key_is_documented(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("jackfield")
    command = [program, "config", "--format", "json", "--config-dir", tmp_path]
    keys = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    page = (ROOT / "docs/configuration.md").read_text()
    missing = []
    for key in keys:
        table, _, name = key.rpartition(".")
        section = page.partition(f"### `[{table}]`")[2].partition("###")[0]
        if f"| `{name}` |" not in section:
            missing.append(key)
    assert not missing


def test_every_setting_says_what_it_means(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("jackfield")
    command = [program, "config", "--format", "markdown", "--config-dir", tmp_path]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert rows
    assert not [row for row in rows if not row.split(" | ")[2].strip()]
