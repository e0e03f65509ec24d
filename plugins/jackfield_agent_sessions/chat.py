"""`jackfield chat`: an agent session of the running daemon, line by line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from jackfield.api.cli import Cli, config_dir_option, echo_remark, harmless, json_option
from jackfield.api.daemon import DaemonClient
from jackfield.api.daemon_commands import completed_of

ROOT = "/api/agent-sessions"
START = 660.0
"""Seconds for an agent to be ready; the daemon has its own limit."""
WAIT = 30
"""Seconds that one request waits for something new."""


@click.command("chat", help="Talk with a profile's agent in its own protocol, a line for a message.")
@click.argument("alias", shell_complete=completed_of("/api/profiles", key="alias", about="agent_id"))
@click.argument("args", nargs=-1)
@click.option("--directory", default=None, help="Working directory (default: the profile's).")
@click.option("--resume", default=None, help="The agent's own name of an earlier session, which goes on.")
@json_option
@config_dir_option
@click.pass_obj
def chat(
    cli: Cli,
    config_dir: Path | None,
    alias: str,
    args: tuple[str, ...],
    directory: str | None,
    resume: str | None,
    as_json: bool,
) -> None:
    body: dict[str, object] = {"profile_alias": alias, "args": list(args)}
    if directory is not None:
        body["working_dir"] = str(Path(directory).absolute())
    if resume is not None:
        body["resume"] = resume
    client = DaemonClient(cli.config_dir(config_dir))
    made = client.ask("POST", ROOT, body=body, timeout=START).data
    talk = ChatTalk(client, f"{ROOT}/{made['id']}", _JsonPrinter() if as_json else _TextPrinter())
    try:
        talk.run()
    finally:
        named = talk.end()
    if named and not as_json:
        echo_remark(f"`jackfield chat {alias} --resume {named}` goes on.")


class _TextPrinter:
    """Messages for people. Typed text stands there already."""

    def show(self, message: Mapping[str, Any]) -> None:
        line = _line(message)
        if line:
            click.echo(harmless(line))


class _JsonPrinter:
    """One message a line, for programs."""

    def show(self, message: Mapping[str, Any]) -> None:
        click.echo(json.dumps(message, ensure_ascii=False))


class ChatTalk:
    """Says what is typed, and shows what comes. While the agent asks for a permission a line chooses an option."""

    def __init__(self, client: DaemonClient, path: str, printer: _TextPrinter | _JsonPrinter) -> None:
        self._client = client
        self._path = path
        self._printer = printer
        self._revision = 0
        self._shown: set[int] = set()
        self._asked: Mapping[str, Any] | None = None

    def run(self) -> None:
        """Until the input or the session ends. Raises `JackfieldError`."""
        for line in _lines():
            if self._asked is None:
                self._client.ask("POST", f"{self._path}/messages", body={"text": line})
            else:
                body = {"option": _chosen(self._asked, line)}
                self._client.ask("POST", f"{self._path}/permissions/{self._asked['id']}", body=body)
            if self._follow() == "ended":
                return

    def end(self) -> str | None:
        """End the session; the agent's own name of it."""
        self._client.ask("DELETE", self._path)
        found = self._client.ask("GET", self._path).data["agent_session"]
        return None if found is None else str(found)

    def _follow(self) -> str:
        """Show what comes until somebody is to type something. Ctrl-C breaks the agent off, not the chat."""
        while True:
            try:
                state = self._look()
            except KeyboardInterrupt:
                self._client.ask("POST", f"{self._path}/interrupt")
                continue
            if state != "working":
                return state

    def _look(self) -> str:
        query = {"since": str(self._revision), "wait": str(WAIT)}
        found = self._client.ask("GET", f"{self._path}/messages", query=query).data
        self._revision = found["revision"]
        for one in found["messages"]:
            message = one["message"]
            if message["type"] == "permission":
                self._asked = message if message["state"] == "open" else None
            if one["complete"] and one["id"] not in self._shown:
                self._shown.add(one["id"])
                self._printer.show(message)
        return str(found["state"])


def _lines() -> Iterator[str]:
    """The lines that somebody types; empty ones are left out. Ctrl-C and Ctrl-D end it."""
    while True:
        try:
            line = input("> " if sys.stdin.isatty() else "")
        except (EOFError, KeyboardInterrupt):
            return
        if line.strip():
            yield line


def _line(message: Mapping[str, Any]) -> str:
    kind = message["type"]
    if kind in ("text", "thinking", "error", "end"):
        prefix = {"thinking": "(thinks) ", "error": "Error: ", "end": "The agent has ended. "}.get(kind, "")
        return f"{prefix}{message['text']}" if message["text"] or kind == "end" else ""
    if kind == "tool_call":
        return f"[{message['tool']}] {message['title']}".rstrip()
    if kind == "tool_result" and message["failed"]:
        return f"[failed] {message['output']}".rstrip()
    if kind == "permission":
        options = "\n".join(f"  {number}  {one['name']}" for number, one in enumerate(message["options"], 1))
        cut = "\n  (The request is too long to be shown whole: you can only reject it.)" if message["cut"] else ""
        return f"May it use {message['tool']}? {message['title']}{cut}\n{options}"
    if kind == "turn_end" and message["reason"] != "completed":
        return f"({message['reason']})"
    return ""


def _chosen(asked: Mapping[str, Any], line: str) -> str:
    """The id of an option, by its number or its id; the daemon names those that there are."""
    options, typed = asked["options"], line.strip()
    if typed.isdecimal() and 1 <= int(typed) <= len(options):
        return str(options[int(typed) - 1]["id"])
    return typed
