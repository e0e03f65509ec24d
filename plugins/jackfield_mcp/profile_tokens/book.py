"""The port `ProfileTools`: which runs have a token, and what each reaches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from jackfield.api.auth import PROFILE_TOKEN, SCOPES
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.hosts import Hosts
from jackfield.api.ids import new_id
from jackfield.api.json_values import Json
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.object_references import load
from jackfield.api.profile_tools import TOOLS_HEADER, ToolScope, ToolToken
from jackfield.api.profiles import Profile, RunKind
from jackfield_mcp.app import McpApp
from jackfield_mcp.oauth.tokens import digest_of, new_token
from jackfield_mcp.paths import ENDPOINT
from jackfield_mcp.profile_tokens.records import KeptToken, token_records
from jackfield_mcp.settings import McpSettings
from jackfield_mcp.stored_records import TooMany

if TYPE_CHECKING:
    from jackfield_mcp.tool import AnyTool

_TOOLS = "jackfield_mcp.catalogue:TOOLS"
Found = tuple[KeptToken, ...]
MOST_NAMES = 100
"""Names of tools, and of those left out, in one scope."""
LONGEST_NAME = 100
"""Characters of a name or a value in a scope."""


class ProfileTokens:
    """`ProfileTools`. One per daemon."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(McpSettings)
        self._records = token_records(context)

    async def own_tools(self) -> Sequence[str]:
        return await asyncio.to_thread(lambda: [tool.name for tool in _tools()])

    async def server(self, scope: ToolScope) -> Mapping[str, Json] | None:
        if not self._settings.enabled or lacking_library("mcp", "mcp") or not scope.tools:
            return None
        url = self._context.service.local_url + ENDPOINT
        return {"url": url, "type": "http", "headers": {"Authorization": TOOLS_HEADER}}

    async def issue(self, profile: Profile, run: str, kind: RunKind, scope: ToolScope) -> str:
        _require_small(scope)
        await self._context.port(McpApp).ready()  # the agent gives it some seconds, as soon as it has the token
        text, now = new_token(PROFILE_TOKEN.decode()), self._context.clock.now_ms()
        until = now + self._settings.profile_token_lifetime * 1000
        host = self._context.port(Hosts).here.name
        scopes = await asyncio.to_thread(_scopes, scope)
        token = ToolToken(new_id(), run, profile.alias, kind, host, scope, scopes, now, until)
        made = KeptToken(digest_of(text), token)

        def work(rows: Found) -> tuple[Found, None]:
            kept = [one for one in rows if one.token.until > now and one.token.run != run]
            while kept and (len(kept) >= self._settings.profile_tokens or not self._records.fits((*kept, made))):
                kept.remove(min(kept, key=lambda one: one.token.created_at))
            return (*kept, made), None

        try:
            await self._records.change(work)
        except TooMany:
            raise InvalidInput("The scope of the token is too large; name fewer tools.") from None
        return text

    async def by_text(self, text: str) -> ToolToken | None:
        """It may be over: see `until`."""
        digest = digest_of(text)
        return next((one.token for one in await self._records.all() if one.digest == digest), None)

    async def end(self, run: str) -> None:
        if any(one.token.run == run for one in await self._records.all()):
            await self._without(lambda one: one.run == run)

    async def end_all(self, alias: str) -> None:
        host = self._context.port(Hosts).here.name
        await self._without(lambda one: one.alias == alias and one.host == host)

    async def tokens(self) -> Sequence[ToolToken]:
        now = self._context.clock.now_ms()
        return [one.token for one in await self._records.all() if one.token.until > now]

    async def revoke(self, token_id: str) -> bool:
        return await self._without(lambda one: one.id == token_id)

    async def sweep(self, begun: int) -> None:
        """begun: when this daemon began, Unix ms. Runs of the daemon before are over, but for terminal sessions, which
        may have persisted."""
        host = self._context.port(Hosts).here.name
        await self._without(lambda one: one.host == host and one.created_at < begun and one.kind != "terminal_session")

    async def _without(self, over: Callable[[ToolToken], bool]) -> bool:
        """Whether there was one."""

        def work(rows: Found) -> tuple[Found, bool]:
            kept = tuple(one for one in rows if not over(one.token))
            return kept, len(kept) < len(rows)

        return await self._records.change(work)


def profile_tools(context: PluginContext) -> ProfileTokens:
    return context.port(ProfileTokens)


def _tools() -> Sequence[AnyTool]:
    """Loads them. Blocks."""
    return cast("Sequence[AnyTool]", load(_TOOLS))


def _scopes(scope: ToolScope) -> tuple[str, ...]:
    """With those of the daemon's own tools. Blocks: the tools are loaded with the first one."""
    tools = _tools() if scope.tools else ()
    needed = {right for tool in tools if tool.name in scope.tools for right in tool.scopes}
    return tuple(sorted(needed.union(scope.scopes) & SCOPES))


def _require_small(scope: ToolScope) -> None:
    names = [*scope.tools, *scope.without, *scope.scopes, *scope.bound, *scope.bound.values()]
    if len(names) > MOST_NAMES or any(len(name) > LONGEST_NAME for name in names):
        raise InvalidInput(
            f"The scope of a token names at most {MOST_NAMES} tools, each of at most {LONGEST_NAME} characters."
        )
