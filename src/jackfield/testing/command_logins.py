"""`jackfield login` in a test: its own process, and the address that it opens."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from .daemon import Daemon, poll


def begin_login(daemon: Daemon, directory: Path, name: str) -> tuple[subprocess.Popen[str], str]:
    """The command on a machine of this name, with its configuration in `directory`, and the address that it opens."""
    seen, script = directory / "seen", directory / "browser"
    script.write_text(f'#!/bin/sh\nprintf %s "$1" > {seen}.new && mv {seen}.new {seen}\n')
    script.chmod(0o700)
    env = {key: text for key, text in os.environ.items() if not key.startswith("JACKFIELD_")}
    env |= {"JACKFIELD_CONFIG_DIR": str(directory / "mine"), "BROWSER": f"{script} %s"}
    argv = [daemon.command()[0], "login", "--url", daemon.base_url, "--name", name, "--json"]
    process = subprocess.Popen(argv, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603 - our own command
    return process, poll(lambda: seen.read_text() if seen.exists() else "", "the browser is opened")
