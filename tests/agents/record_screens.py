"""Records the screens of an installed agent, from its start over a permission to an answer: what the patterns of its
manifest are written from.

`JACKFIELD_TEST_AGENTS=... python tests/agents/record_screens.py AGENT DIRECTORY [PROVIDER] [ARGUMENT...]`: PROVIDER is
one of the lab's (messages), ARGUMENTs go to the agent. Each file is a screen that differs from the one before, named
by number, step and second; its first lines are the title and the cursor's row. Return answers each question.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from agents_lab import Lab, agents_daemon, user_home
from model_server import ModelServer
from model_streams import Call, Reply

from jackfield.testing.daemon import poll

TOOLS = {
    "claude": Call("Bash", {"command": "touch made.txt && echo done", "description": "Makes a file"}),
    "codex": Call("exec_command", {"cmd": "touch made.txt", "sandbox_permissions": "require_escalated"}),
    "qwen": Call("run_shell_command", {"command": "touch made.txt", "description": "Makes a file"}),
    "opencode": Call("bash", {"command": "touch made.txt", "description": "Makes a file"}),
}
STILL, LONGEST = 4.0, 60.0
"""Seconds without a change that end a step; seconds that it has in any case."""


class Recorder:
    """One session, and the screens that it has shown."""

    def __init__(self, lab: Lab, session: str, directory: Path) -> None:
        self._lab, self._session, self._directory = lab, session, directory
        self._begun = time.monotonic()
        self._last = ""
        self._count = 0

    def step(self, name: str, text: str = "", keys: Sequence[str] = ()) -> None:
        """Type, and write what is shown until it is still."""
        path = f"/api/terminal/sessions/{self._session}"
        self._lab.data(self._lab.api.post(f"{path}/input", json={"text": text, "keys": list(keys)}))
        deadline = time.monotonic() + LONGEST
        changed = time.monotonic()
        while time.monotonic() < deadline and (not self._last or time.monotonic() - changed < STILL):
            found = self._lab.data(self._lab.api.get(f"{path}/screen"))
            if found["text"] != self._last:
                self._last, changed = found["text"], time.monotonic()
                self._write(name, f"title: {found['title']}\ncursor: {found['cursor']['row']}\n{found['text']}\n")
            time.sleep(0.05)

    def _write(self, name: str, content: str) -> None:
        seconds = time.monotonic() - self._begun
        (self._directory / f"{self._count:03}-{name}-{seconds:06.2f}.txt").write_text(content)
        self._count += 1


def main(agent: str, directory: Path, provider: str = "messages", *arguments: str) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    models, place = ModelServer(), Path(tempfile.mkdtemp())
    work = place / "project"
    work.mkdir()
    daemon = agents_daemon(place, user_home(place / "user"), models)
    try:
        daemon.start()
        lab = Lab(daemon, models, place / "user")
        poll(lambda: lab.data(lab.api.get(f"/api/agents/{agent}"))["installed"], "the agent is found", timeout=LONGEST)
        lab.profile("recorded", agent, provider, args=list(arguments), working_dir=str(work))
        body = {"profile_alias": "recorded", "cols": 100, "rows": 30}
        recorder = Recorder(lab, lab.data(lab.api.post("/api/terminal/sessions", json=body))["session_id"], directory)
        models.replies = [Reply("I shall run it.", [TOOLS[agent]]), Reply("It is done."), Reply("And so on.")]
        recorder.step("start")
        recorder.step("trust", keys=["enter"])
        recorder.step("typed", "run it")
        recorder.step("asking", keys=["enter"])
        recorder.step("done", keys=["enter"])
    finally:
        daemon.close()
        models.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
