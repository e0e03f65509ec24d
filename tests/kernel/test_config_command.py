"""`jackfield config` as a process of its own: what it prints is a config.toml, and former spellings are told."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(sys.executable).with_name("jackfield")


def config(directory: Path, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("JACKFIELD_")}
    command = [PROGRAM, "config", "--config-dir", directory, *options]
    return subprocess.run(command, capture_output=True, text=True, env=surroundings | variables)


def settings(printed: str) -> list[str]:
    return [line for line in printed.splitlines() if line and line[0] not in "#["]


def test_nothing_is_set_at_first_and_what_is_printed_can_be_read_back(tmp_path: Path) -> None:
    first = config(tmp_path)
    assert (first.returncode, settings(first.stdout)) == (0, [])
    every = re.sub(r"^# (\w+ = )", r"\1", first.stdout, flags=re.MULTILINE)
    assert len(settings(every)) > 250
    (tmp_path / "config.toml").write_text(every)
    again = config(tmp_path)
    assert (again.returncode, again.stderr, again.stdout) == (0, "", first.stdout)


def test_a_former_spelling_is_read_and_told(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[webhooks]\nbodyLimit = 2048\n")
    found = config(tmp_path, "--set", "nodes.http.maxPages=3", JACKFIELD_STORE_SQLITE_BUSY_TIMEOUT="9")
    assert settings(found.stdout) == ["max_pages = 3", "busy_timeout = 9", "body_limit = 2048"]
    lines = found.stderr.splitlines()
    assert lines[0].startswith("config.toml: webhooks.bodyLimit is now spelled webhooks.body_limit; version 0.3 ")
    assert lines[1].startswith("--set: nodes.http.maxPages is now spelled nodes.http.max_pages; version 0.3 ")
    assert len(lines) == 2


def test_both_spellings_are_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[webhooks]\nbodyLimit = 2048\nbody_limit = 4096\n")
    found = config(tmp_path)
    assert (found.returncode, found.stdout) == (1, "")
    (line,) = found.stderr.splitlines()
    assert "webhooks.bodyLimit and webhooks.body_limit are two spellings of one setting" in line
