"""Strangers' distributions: pip installs the packages of examples/plugins, and the real daemon finds them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from jackfield.testing.daemon import Daemon
from jackfield.testing.pytest_plugin import StartDaemon

EXAMPLES = Path(__file__).parents[2] / "examples/plugins"
PIP = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index")
Install = Callable[..., dict[str, str]]
Strangers = Callable[..., Daemon]


@pytest.fixture(scope="session")
def install(tmp_path_factory: pytest.TempPathFactory) -> Install:
    """`install("greetings", ...)`: pip installs these packages, each into a place of its own and once; the answer is
    the environment in which Python finds them."""
    places: dict[str, Path] = {}

    def place_of(name: str) -> Path:
        if name not in places:
            place = tmp_path_factory.mktemp(name)
            command = [*PIP, "--target", str(place), str(EXAMPLES / name)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, done.stdout + done.stderr
            places[name] = place
        return places[name]

    def installed(*names: str) -> dict[str, str]:
        before = os.environ.get("PYTHONPATH")
        found = [*(str(place_of(name)) for name in names), *([before] if before else [])]
        return {"PYTHONPATH": os.pathsep.join(found)}

    return installed


@pytest.fixture
def strangers(install: Install, jackfield_daemon: StartDaemon) -> Strangers:
    """`strangers("greetings", settings="...")`: a daemon that runs, with these packages installed beside Jackfield."""

    def started(*names: str, settings: str = "", env: dict[str, str] | None = None) -> Daemon:
        return jackfield_daemon(settings, {**install(*names), **(env or {})})

    return started
