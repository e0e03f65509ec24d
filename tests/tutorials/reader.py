"""A reader of a tutorial: saves its files, runs its commands in one shell, and compares their output with the page."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import httpx

from jackfield.testing.daemon import CHEAP_PASSWORDS, HOST, free_port, poll

from .reading import Act, Run, Save, Step

PORT = "8765"
"""The daemon's port on the page; each test has its own."""
TIME_LIMIT = 120


class Reader:
    """Has a home, a working directory, a port, and an environment `env`.

    replaced: words of the page, and the words that stand for them here. acts: the things done in a browser, by name.
    """

    def __init__(self, place: Path) -> None:
        self.home = place / "home"
        self.directory = place / "work"
        self.port = free_port()
        self.replaced = {PORT: str(self.port)}
        self.acts: dict[str, Callable[[], None]] = {}
        self._state = place / "shell"
        self._terminals: list[subprocess.Popen[bytes]] = []
        self._printed = place / "terminals"
        for made in (self.home, self.directory):
            made.mkdir(parents=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("JACKFIELD_", "XDG_"))}
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        own = {"HOME": str(self.home), "JACKFIELD_SERVER_PORT": str(self.port), **CHEAP_PASSWORDS}
        self.env = {**kept, **own, "PATH": path}

    def follow(self, steps: Sequence[Step]) -> None:
        """Does each step; fails at the first that does not what the page says."""
        for step in steps:
            if isinstance(step, Act):
                self.acts[step.name]()
            elif isinstance(step, Save):
                self._save(step)
            elif step.beside:
                self._beside(step.commands)
            else:
                self._compare(self.run(step.commands), step)

    def run(self, commands: str) -> str:
        """What the commands print. Their variables are there for the next ones."""
        self._state.touch()
        script = f"source {self._state}; set -a\n{self._here(commands)}\nset +a; export -p > {self._state}\n"
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.directory,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIME_LIMIT,
        )
        assert done.returncode == 0, f"{commands}\n{done.stdout}\n{self.printed()}"
        return done.stdout

    def printed(self) -> str:
        """The end of what the other terminals show."""
        return self._printed.read_text(errors="replace")[-4000:] if self._printed.exists() else ""

    def close(self) -> None:
        for process in reversed(self._terminals):
            process.terminate()
            process.wait(30)

    def _here(self, text: str) -> str:
        for word, replacement in self.replaced.items():
            text = text.replace(word, replacement)
        return text

    def _save(self, step: Save) -> None:
        path = self.directory / step.name.replace("~", str(self.home), 1)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(self._here(step.text), encoding="utf-8")

    def _beside(self, commands: str) -> None:
        script = f"touch {self._state}; source {self._state}; exec {self._here(commands)}"
        with self._printed.open("ab") as output:
            process = subprocess.Popen(
                ["bash", "-c", script], cwd=self.directory, env=self.env, stdout=output, stderr=output
            )
        self._terminals.append(process)
        if "jackfield serve" in commands:
            poll(lambda: process.poll() is not None or self._ready(), "the daemon is ready", timeout=30)
        assert process.poll() is None, self.printed()

    def _ready(self) -> bool:
        try:
            return httpx.get(f"http://{HOST}:{self.port}/ready", trust_env=False).is_success
        except httpx.TransportError:
            return False

    def _compare(self, printed: str, step: Run) -> None:
        if step.output is None:
            return
        wanted = self._here(step.output)
        try:
            same = json.loads(printed) == json.loads(wanted)
        except ValueError:
            same = like(printed, wanted)
        assert same, f"{step.commands}\nprinted:\n{printed}\nand the page says:\n{wanted}"


def like(printed: str, wanted: str) -> bool:
    """Whether the page's text fits. `...` in it stands for anything, and each space for any number of them."""
    pieces = [" ".join(piece.split()) for piece in wanted.split("...")]
    form = ".*".join(map(re.escape, pieces))
    return re.fullmatch(form, " ".join(printed.split())) is not None
