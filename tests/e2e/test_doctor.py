"""`jackfield doctor`: the findings of an operator's first hour."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from jackfield.testing.daemon import Daemon, free_port


def doctor(daemon: Daemon, *options: str, **env: str) -> tuple[int, dict[str, list[dict[str, Any]]]]:
    """Exit code, and the findings by their subject."""
    argv = [daemon.command()[0], "doctor", "--json", "--config-dir", str(daemon.config_dir), *options]
    run = subprocess.run(argv, capture_output=True, text=True, env={**os.environ, **env}, timeout=120)
    found: dict[str, list[dict[str, Any]]] = {}
    for one in json.loads(run.stdout):
        found.setdefault(one["subject"], []).append(one)
    return run.returncode, found


@pytest.fixture
def stopped(tmp_path: Path) -> Daemon:
    """One that never runs; its directory is as a first start would make it."""
    made = Daemon(tmp_path / "config", settings="[logs]\n")
    made.config_dir.chmod(0o700)
    return made


@pytest.mark.parametrize(
    ("mode", "good", "told"), [(0o644, True, "others may read"), (0o666, False, "others may change")]
)
def test_a_readable_configuration_is_noted_and_a_writable_one_is_bad(
    stopped: Daemon, mode: int, good: bool, told: str
) -> None:
    file = stopped.config_dir / "config.toml"
    file.chmod(mode)
    _, found = doctor(stopped)
    (noted,) = found["permissions"]  # and nothing that says otherwise
    assert (noted["good"], f"chmod 600 {file}" in noted["message"]) == (good, True)
    assert told in noted["message"]


def test_missing_rhai_is_named_with_a_remedy(stopped: Daemon, tmp_path: Path) -> None:
    (tmp_path / "rhai.py").write_text("raise ModuleNotFoundError('gone', name='rhai')")
    code, found = doctor(stopped, PYTHONPATH=str(tmp_path))
    (told,) = found["rhai"]
    assert (code, told["good"]) == (1, False)
    assert told["message"].startswith("rhai missing: ")
    assert "pip install ./rhai-python" in told["message"]
    _, found = doctor(stopped)
    assert found["rhai"][0]["good"]


def test_a_slow_daemon_is_called_slow_with_a_remedy(stopped: Daemon) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        (stopped.config_dir / "daemon-endpoint").write_text(f"http://127.0.0.1:{silent.getsockname()[1]}\n")
        code, found = doctor(stopped, "--daemon-timeout", "0.2")
    (told,) = found["daemon"]
    assert (code, told["good"]) == (1, False)
    assert "is slow: it has not answered within 0.2 s" in told["message"]
    assert "--daemon-timeout" in told["message"]


def test_a_port_that_another_program_has_is_named(stopped: Daemon) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        (stopped.config_dir / "config.toml").write_text(f"[server]\nport = {port}\n")
        code, found = doctor(stopped)
    (told,) = found["port"]
    assert (code, told["good"]) == (1, False)
    assert told["message"].startswith(f"127.0.0.1:{port} cannot be listened on: ")
    assert "--port" in told["message"]


def test_a_misspelt_table_is_named_once_with_its_neighbour(stopped: Daemon) -> None:
    (stopped.config_dir / "config.toml").write_text("[sever]\nport = 8765\n")
    argv = [stopped.command()[0], "doctor", "--config-dir", str(stopped.config_dir)]
    run = subprocess.run(argv, capture_output=True, text=True, timeout=120)
    assert "no loaded plugin knows [sever]; did you mean server" in run.stdout
    assert (run.returncode, run.stderr.count("[sever]")) == (1, 1)


def test_one_line_says_why_a_start_is_refused(stopped: Daemon) -> None:
    assert doctor(stopped)[1]["store"][0]["good"]
    shutil.rmtree(stopped.config_dir / "keys")
    argv = [stopped.command()[0], "serve", "--port", str(free_port()), "--config-dir", str(stopped.config_dir)]
    run = subprocess.run(argv, capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stderr.count("There is no master key"), "ERROR" in run.stderr) == (1, 1, False)
    assert "There is no master key" in (stopped.config_dir / "logs/jackfield.log").read_text()
