"""The port `ProfileTools`: which runs have a token, and what each reaches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from jackfield.api.auth import PROFILE_TOKEN, SCOPES
from jackfield.api.context import PluginContext
from jackfield.api.daemon import daemon_runs
from jackfield.api.errors import InvalidInput
from jackfield.api.files import read_private
from jackfield.api.hosts import Hosts
from jackfield.api.ids import new_id
from jackfield.api.json_values import Json
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.object_references import load
from jackfield.api.profile_tools import TOOLS_HEADER, ToolScope, ToolToken
from jackfield.api.profiles import Profile, RunKind
from jackfield.api.random_texts import kept_digest
from jackfield.api.storage.entries import EntryStore
from jackfield.api.terminals import Terminals
from jackfield_mcp.app import McpApp
from jackfield_mcp.oauth.tokens import new_token
from jackfield_mcp.offers.book import OfferedWorkflows, reached
from jackfield_mcp.paths import ENDPOINT
from jackfield_mcp.profile_tokens.place import TokenPlace
from jackfield_mcp.profile_tokens.projects import project_of_run
from jackfield_mcp.profile_tokens.records import KIND, entry_of, token_of
from jackfield_mcp.settings import McpSettings

if TYPE_CHECKING:
    from jackfield_mcp.tool import AnyTool

_TOOLS = "jackfield_mcp.catalogue:TOOLS"
_LISTED = 2000
"""Tokens that are looked at; `mcp.profile_tokens` allows half as many."""
MOST_NAMES = 100
"""Names of tools in one scope, and as many of those left out."""
LONGEST_NAME = 100
"""Characters of a name or a value in a scope."""


class ProfileTokens:
    """`ProfileTools`. One per daemon."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(McpSettings)
        self._place = context.port(TokenPlace)

    async def own_tools(self) -> Sequence[str]:
        return await asyncio.to_thread(lambda: [tool.name for tool in _tools()])

    async def server(self, scope: ToolScope) -> Mapping[str, Json] | None:
        if not self._settings.enabled or lacking_library("mcp", "mcp"):
            return None
        if not scope.tools and not reached(await self._context.port(OfferedWorkflows).names(), scope):
            return None
        base = await asyncio.to_thread(_running_daemon, self._context.service.config_dir)
        if not base:
            return None
        return {"url": base + ENDPOINT, "type": "http", "headers": {"Authorization": TOOLS_HEADER}}

    async def issue(self, profile: Profile, run: str, kind: RunKind, scope: ToolScope, depth: int = 0) -> str:
        _require_small(scope)
        if self._place.is_daemon:
            await self._context.port(McpApp).ready()  # the agent gives it some seconds, as soon as it has the token
        text, now = new_token(PROFILE_TOKEN.decode()), self._context.clock.now_ms()
        until = now + self._settings.profile_token_lifetime * 1000
        host = self._context.port(Hosts).here.name
        scopes = await asyncio.to_thread(_scopes, scope)
        outlives = not self._place.is_daemon
        project = await project_of_run(self._context, profile.alias, scope)
        token = ToolToken(new_id(), run, profile.alias, kind, host, scope, scopes, now, until, outlives, depth, project)
        await self._make_room(now)
        await self._store.put_entry(entry_of(kept_digest(text), token), None)
        return text

    async def _make_room(self, now: int) -> None:
        """Those that are over go first, then the oldest."""
        most = self._settings.profile_tokens
        if await self._store.entry_count(KIND, "") < most:
            return
        kept = await self._kept()
        over = [digest for digest, token in kept if token is None or token.until <= now]
        living = [digest for digest, token in kept if token is not None and token.until > now]
        for digest in [*over, *living[: max(0, len(living) - most + 1)]]:
            await self._store.delete_entry(KIND, digest)

    async def by_text(self, text: str) -> ToolToken | None:
        """It may be over: see `until`."""
        found = await self._store.entry(KIND, kept_digest(text))
        return None if found is None else token_of(found)

    async def end(self, run: str) -> None:
        await self._without(lambda one: one.run == run)

    async def end_all(self, alias: str) -> None:
        host = self._context.port(Hosts).here.name
        await self._without(lambda one: one.alias == alias and one.host == host)

    async def tokens(self) -> Sequence[ToolToken]:
        now = self._context.clock.now_ms()
        return [token for _, token in await self._kept() if token is not None and token.until > now]

    async def revoke(self, token_id: str) -> bool:
        return await self._without(lambda one: one.id == token_id)

    async def sweep(self, begun: int) -> None:
        """begun: when this daemon began, Unix ms. Runs of the daemon before are over, but for those that outlive it,
        and terminal sessions that have persisted. They are found again before this is asked for."""
        host = self._context.port(Hosts).here.name

        def over(one: ToolToken) -> bool:
            return one.host == host and one.created_at < begun and not one.outlives and not self._persists(one)

        await self._without(over)

    def _persists(self, token: ToolToken) -> bool:
        if token.kind != "terminal_session":
            return False
        terminals = self._context.find_port(Terminals)
        return terminals is not None and bool(terminals.live(token.alias))

    async def _kept(self) -> Sequence[tuple[str, ToolToken | None]]:
        """By digest, the oldest first; None: it is damaged."""
        found = await self._store.entries(KIND, "", after=None, limit=_LISTED, newest_first=False)
        return [(entry.id, token_of(entry)) for entry in found]

    async def _without(self, over: Callable[[ToolToken], bool]) -> bool:
        """Whether there was one."""
        found = [digest for digest, token in await self._kept() if token is not None and over(token)]
        ended = [await self._store.delete_entry(KIND, digest) for digest in found]
        return any(ended)

    @property
    def _store(self) -> EntryStore:
        return self._context.store


def profile_tools(context: PluginContext) -> ProfileTokens:
    return context.port(ProfileTokens)


def _running_daemon(config_dir: Path) -> str:
    """Scheme, host and port of the daemon of this directory, which a command beside it may ask for; empty: none runs.
    Blocks."""
    if not daemon_runs(config_dir):
        return ""
    return (read_private(config_dir / "daemon-endpoint") or b"").decode("ascii", "replace").strip()


def _tools() -> Sequence[AnyTool]:
    """Loads them. Blocks."""
    return cast("Sequence[AnyTool]", load(_TOOLS))


def _scopes(scope: ToolScope) -> tuple[str, ...]:
    """With those of the daemon's own tools. Blocks: the tools are loaded with the first one."""
    tools = _tools() if scope.tools else ()
    needed = {right for tool in tools if tool.name in scope.tools for right in tool.scopes}
    return tuple(sorted(needed.union(scope.scopes) & SCOPES))


def _require_small(scope: ToolScope) -> None:
    parts = (scope.tools, scope.without, scope.scopes, tuple(scope.bound), tuple(scope.bound.values()))
    if any(len(names) > MOST_NAMES or any(len(name) > LONGEST_NAME for name in names) for names in parts):
        raise InvalidInput(
            f"The scope of a token names at most {MOST_NAMES} tools, and as many that it leaves out, each of at most "
            f"{LONGEST_NAME} characters."
        )
