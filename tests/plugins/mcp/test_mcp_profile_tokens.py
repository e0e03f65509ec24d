"""Which tokens a daemon that starts anew ends."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

pytest.importorskip("mcp")

from jackfield.api.context import PluginContext
from jackfield.api.hosts import Hosts
from jackfield.api.profile_tools import ToolScope
from jackfield.api.profiles import Profile, RunKind
from jackfield.api.storage.entries import Entry
from jackfield.api.terminals import Terminals
from jackfield_mcp.app import McpApp
from jackfield_mcp.profile_tokens.book import ProfileTokens
from jackfield_mcp.profile_tokens.place import TokenPlace
from jackfield_mcp.settings import McpSettings


class Entries:
    """What of a store the book asks."""

    def __init__(self) -> None:
        self.rows: dict[str, Entry] = {}

    async def entry_count(self, kind: str, parent: str) -> int:
        return len(self.rows)

    async def put_entry(self, entry: Entry, expected: int | None) -> None:
        self.rows[entry.id] = entry

    async def entries(self, kind: str, parent: str, **_: object) -> list[Entry]:
        return list(self.rows.values())

    async def delete_entry(self, kind: str, ident: str) -> bool:
        return self.rows.pop(ident, None) is not None


class Serving:
    """The MCP server of this process."""

    def __init__(self) -> None:
        self.loaded = 0

    async def ready(self) -> None:
        self.loaded += 1


def book(store: Entries, serving: Serving, *, is_daemon: bool) -> ProfileTokens:
    place = SimpleNamespace(is_daemon=is_daemon)
    hosts = SimpleNamespace(here=SimpleNamespace(name="here"))
    ports: dict[object, Any] = {TokenPlace: place, McpApp: serving, Hosts: hosts}
    clock = SimpleNamespace(now_ms=lambda: 1000)
    terminals = SimpleNamespace(live=lambda alias: ["a session"] if alias == "persists" else [])
    context = SimpleNamespace(
        store=store,
        clock=clock,
        port=ports.__getitem__,
        find_port=lambda port: terminals if port is Terminals else None,
        settings=lambda _: McpSettings(),
    )
    return ProfileTokens(cast("PluginContext", context))


async def test_runs_that_go_on_keep_their_tokens_when_the_daemon_starts_anew() -> None:
    """Those of commands, and terminal sessions that have persisted."""
    store, serving = Entries(), Serving()
    daemon, command = (book(store, serving, is_daemon=here) for here in (True, False))
    kinds: dict[str, tuple[ProfileTokens, RunKind]] = {
        "over": (daemon, "profile_run"),
        "also over": (daemon, "workflow"),
        "persists": (daemon, "terminal_session"),
        "hung up": (daemon, "terminal_session"),
        "command": (command, "profile_run"),
    }
    for run, (made, kind) in kinds.items():
        await made.issue(cast("Profile", SimpleNamespace(alias=run)), run, kind, ToolScope())
    assert serving.loaded == 4, "a command serves nothing"
    await daemon.sweep(1001)
    assert [token.run for token in await daemon.tokens()] == ["persists", "command"]
