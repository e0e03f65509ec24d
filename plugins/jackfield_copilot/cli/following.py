"""An agent's words and questions while it works on a draft, in a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

import click

from jackfield.api.cli import harmless
from jackfield.api.daemon import DaemonClient
from jackfield.api.errors import JackfieldError
from jackfield.api.management import ManagementClient
from jackfield_copilot.cli.showing import plain, shortened, show_changes

_WAIT = 2
"""Seconds that one request waits for something new; a run may be asked for meanwhile."""


class Permissions:
    """The one who decides: somebody at the terminal, or nobody."""

    def __init__(self, daemon: ManagementClient, draft_id: str, *, allow_runs: bool, ask: bool) -> None:
        self._daemon = daemon
        self._path = f"/drafts/{draft_id}"
        self._allow_runs = allow_runs
        self._ask = ask and sys.stdin.isatty()

    def option(self, message: Mapping[str, Any]) -> str | None:  # as the API of agent sessions has it
        """The id of an option of a request of the agent's; None: it offers none like that."""
        allow = self._ask and click.confirm(plain(f"May it use {message['tool']}? {message['title']}"), default=False)
        kind = "allow_once" if allow and not message["cut"] else "reject"
        fitting = [one["id"] for one in message["options"] if one["kind"].startswith(kind)]
        return str(fitting[0]) if fitting else None

    def decide_run(self) -> None:
        """Of the draft, where one waits for an answer."""
        draft = self._daemon.ask("GET", self._path)
        run = draft["run"]
        if run is None or run["state"] != "asked":
            return
        allow = self._allow_runs or (self._ask and self._allows(draft))
        try:
            self._daemon.ask("POST", f"{self._path}/runs/{run['id']}", body={"allow": allow})
        except JackfieldError as exc:  # the agent gets the same error
            click.echo(harmless(exc.message), err=True)

    def _allows(self, draft: Mapping[str, Any]) -> bool:  # as GET /api/v1/drafts/{id} answers
        """Somebody who sees what would run says so."""
        show_changes(draft)
        run = draft["run"]
        told = {name: run[name] for name in ("start", "until", "input") if run[name] is not None}
        if told:
            click.echo(plain(shortened(told)))
        return click.confirm("May the agent run its draft?", default=False)


class CopilotFollower:
    """Shows one turn of the agent. Ctrl-C breaks the agent off."""

    def __init__(self, client: DaemonClient, path: str, permissions: Permissions, *, as_json: bool) -> None:
        self._client = client
        self._path = path
        self._permissions = permissions
        self._as_json = as_json
        self._revision = 0
        self._shown: set[int] = set()
        self.completed = False

    def run(self) -> None:
        """Until the turn ends. Raises `JackfieldError`."""
        state = "working"
        while state in ("starting", "working", "asking"):
            try:
                state = self._look()
                if state == "working":
                    self._permissions.decide_run()
            except KeyboardInterrupt:
                self._client.ask("POST", f"{self._path}/interrupt")

    def _look(self) -> str:
        query = {"since": str(self._revision), "wait": str(_WAIT)}
        found = self._client.ask("GET", f"{self._path}/messages", query=query).data
        self._revision = found["revision"]
        for one in found["messages"]:
            message = one["message"]
            if message["type"] == "permission" and message["state"] == "open":
                self._answer(message)
            if one["complete"] and one["id"] not in self._shown:
                self._shown.add(one["id"])
                self._show(message)
        return str(found["state"])

    def _answer(self, message: Mapping[str, Any]) -> None:  # as above
        option = self._permissions.option(message)
        if option is None:  # it offers no way to refuse
            self._client.ask("POST", f"{self._path}/interrupt")
            return
        self._client.ask("POST", f"{self._path}/permissions/{message['id']}", body={"option": option})

    def _show(self, message: Mapping[str, Any]) -> None:  # as above
        if message["type"] == "turn_end":
            self.completed = message["reason"] == "completed"
        if self._as_json:
            click.echo(json.dumps(message, ensure_ascii=False), err=True)
        elif message["type"] in ("text", "error") and message["text"]:
            click.echo(harmless(message["text"]))
        elif message["type"] == "tool_call":
            click.echo(harmless(f"[{message['tool']}] {message['title']}".rstrip()), err=True)
