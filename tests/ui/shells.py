"""What the tests of terminals and profiles share: an agent that is a shell, and its sessions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import httpx
from samples import MARKUP, TEMPLATE

from jackfield.testing import daemon as testing
from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import Page

SHELL = """
id = "shell"
name = "Shell"
binary = "sh"
version_flag = "-c true"
supports_hooks = true
[detect]
commands = ["sh -c true"]
[profile]
source_home = "{homes}/{{alias}}"
env = {{ PS1 = "ready> " }}
[models]
default = "large"
supported = ["large", "small"]
[headless]
args = ["-c", "cat; echo headless"]
output = "text"
"""
PATIENCE = 30.0
"""Seconds: a browser, a daemon and its agents share two busy processors with other tests."""
HOSTILE = f"{MARKUP}{TEMPLATE}"


def with_shell(daemon: Daemon) -> Daemon:
    """The daemon, started, with the agent `shell`."""
    place = daemon.config_dir / "agents.d"
    place.mkdir(exist_ok=True)
    (place / "shell.toml").write_text(SHELL.format(homes=daemon.directory / "homes"), encoding="utf-8")
    return daemon.start()


def poll(probe: Callable[[], object], what: str) -> None:
    testing.poll(probe, what, timeout=PATIENCE)


class Sessions:
    """The API of profiles and terminals, as the daemon's own user."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.http = daemon.client()

    def ask(self, method: str, path: str, **options: Any) -> Any:  # Any: whatever JSON holds
        answer: httpx.Response = self.http.request(method, path, **options)
        assert answer.is_success, answer.text
        return answer.json().get("data")

    def profile(self, alias: str, **fields: object) -> str:
        body = {"agent_id": "shell", "alias": alias, "provider_id": "self", "model": "none", **fields}
        self.ask("POST", "/api/profiles", json=body)
        return alias

    def start(self, alias: str, script: str = "", **fields: object) -> str:
        """A session: of an interactive shell, or of the script."""
        args = ["-c", script] if script else ["-i"]
        body = {"profile_alias": alias, "args": args, **fields}
        return str(self.ask("POST", "/api/terminal/sessions", json=body)["session_id"])

    def state(self, session: str) -> dict[str, Any]:
        found: dict[str, Any] = self.ask("GET", f"/api/terminal/sessions/{session}")
        return found

    def screen(self, session: str) -> str:
        return str(self.ask("GET", f"/api/terminal/sessions/{session}/screen")["text"])

    def shows(self, session: str, text: str) -> None:
        poll(lambda: text in self.screen(session), f"the session shows {text!r}")

    def end_all(self) -> None:
        for row in self.ask("GET", "/api/terminal/sessions"):
            if row["state"] == "running":
                self.ask("DELETE", f"/api/terminal/sessions/{row['id']}")
        self.ask("POST", "/api/terminal/cleanup")


def shown(page: Page) -> str:
    """The text of the terminal in front, as its rows stand on the screen."""
    rows = page.locator("[data-current] .xterm-rows > div, [data-read-only] .xterm-rows > div")
    return "\n".join(text.replace("\xa0", " ").rstrip() for text in rows.all_text_contents())


def showing(page: Page, text: str) -> str:
    poll(lambda: text in shown(page), f"the terminal shows {text!r}")
    return shown(page)


def type_into(page: Page, text: str) -> None:
    page.locator("[data-current] [data-active] .xterm-helper-textarea").focus()
    page.keyboard.type(text)
