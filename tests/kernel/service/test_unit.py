"""The files of service managers, by the managers' own checks where they are installed."""

from __future__ import annotations

import plistlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jackfield.cli.service.launch_agent import launch_agent_of
from jackfield.cli.service.unit import LEFT_OUT, ServedDaemon, quoted, unit_of

PROGRAM = (sys.executable, "-m", "jackfield")
OURS = ServedDaemon(PROGRAM, Path("/var/lib/jackfield"), "/usr/bin:/bin", "jackfield")
MINE = ServedDaemon(PROGRAM, Path("/home/ada/my config %d"), "/home/ada/.local/bin:/usr/bin")
EXPOSURE = 30
"""Tenths, of the manager's own ten; 28 on systemd 252."""


def analyzed(tmp_path: Path, text: str, *command: str) -> str:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / "jackfield.service"
    unit.write_text(text)
    done = subprocess.run([program, *command, str(unit)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("daemon", [OURS, MINE])
def test_systemd_finds_nothing_wrong_with_a_unit(daemon: ServedDaemon, tmp_path: Path) -> None:
    told = analyzed(tmp_path, unit_of(daemon), "verify", "--man=no")
    assert "jackfield.service" not in told
    assert "\nDelegate=yes\n" in unit_of(daemon), "limits of agents are control groups"


def test_the_systems_unit_is_as_closed_as_what_it_runs_allows(tmp_path: Path) -> None:
    said = analyzed(tmp_path, unit_of(OURS), "security", "--offline=yes", f"--threshold={EXPOSURE}")
    assert re.search(r"Overall exposure level for jackfield.service: [0-3]\.\d", said)
    for name in ", ".join(LEFT_OUT).split(", "):
        assert f"\n{name}=" not in unit_of(OURS)


def test_a_directory_elsewhere_is_the_only_other_place_that_the_service_writes_to() -> None:
    moved = unit_of(ServedDaemon(PROGRAM, Path("/srv/jack field"), "/bin", "jackfield"))
    assert 'ReadWritePaths="/srv/jack field"' in moved
    assert "StateDirectory" not in moved


@pytest.mark.parametrize(
    ("word", "written"),
    [("plain", "plain"), ("two words", '"two words"'), ("50%", "50%%"), ('a"$b\\', '"a\\"$$b\\\\"'), ("", '""')],
)
def test_words_of_a_command_are_quoted_for_systemd(word: str, written: str) -> None:
    assert quoted(word) == written


def test_launchd_gets_the_same_command() -> None:
    told = plistlib.loads(launch_agent_of(MINE).encode())
    assert told["ProgramArguments"] == [*PROGRAM, "serve", "--config-dir", "/home/ada/my config %d"]
    assert told["EnvironmentVariables"] == {"PATH": MINE.path}
    assert told["KeepAlive"] == {"SuccessfulExit": False}
