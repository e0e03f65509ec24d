"""MCP tools of this daemon for the agents of profiles: what one run of an agent reaches, and its token.

Source: docs/mcp.md, 'Tools for profiles'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from .json_values import Json
from .records import record
from .tool_scopes import ToolScope as ToolScope

if TYPE_CHECKING:
    from .auth import Principal
    from .profiles import Profile, RunKind

TOOLS_SERVER = "jackfield_tools"
"""The name of the server in agents' configurations. A server of the user's own with this name comes before it; a launch
that asks for tools of the daemon is refused then."""
TOOLS_VARIABLE = "JACKFIELD_TOOLS_TOKEN"
"""The variable of an agent's environment that has the token of its run."""
TOOLS_HEADER = f"Bearer ${{{TOOLS_VARIABLE}}}"
"""The value of the header `Authorization` in what scripts see; each writes it as its agent reads variables. The file is
the same for all runs of a profile, and has no token."""


@record
class ToolReach:
    """The `ToolScope` of a caller, as `Principal.claims[REACH]` has it.

    `alias`: of the profile. `run`: the id of its run. `depth`: how many executions stand above that.
    """

    alias: str
    run: str
    scope: ToolScope
    depth: int = 0

    def names(self, tool: str) -> bool:
        return tool in self.scope.tools


REACH = "reach"
"""The claim of a caller who has come with the token of a profile's run; nobody else has it."""


@record
class ToolToken:
    """A token that counts.

    Its text is nowhere. `id`: by which it is listed and revoked. `host`: of the daemon that runs the agent. `scopes`:
    all rights that it has in the management API, through its tools alone; times: Unix ms. `outlives`: the run is a
    command's, and goes on when the daemon ends. `depth`: how many executions stand above the run. `project`: the only
    one that it reaches; empty: its profile's.
    """

    id: str
    run: str
    alias: str
    kind: RunKind
    host: str
    scope: ToolScope
    scopes: Sequence[str]
    created_at: int
    until: int
    outlives: bool = False
    depth: int = 0
    project: str = ""


class ProfileTools(Protocol):
    """The port; a plugin names it in `provides`. Tokens are kept in the store, as digests, so that they count at every
    daemon of it, at the daemon's own MCP endpoint alone."""

    async def own_tools(self) -> Sequence[str]:
        """Names of the daemon's own MCP tools, of which a profile may be given some."""

    async def server(self, scope: ToolScope) -> Mapping[str, Json] | None:
        """The MCP server as a profile's `mcp_servers` has them, with `TOOLS_HEADER`; None: such a run reaches nothing
        now, or this daemon serves no MCP. Raises `StoreUnavailable`."""

    async def issue(self, profile: Profile, run: str, kind: RunKind, scope: ToolScope, depth: int = 0) -> str:
        """A token for this run, which ends with it, or after `mcp.profile_token_lifetime`. It goes into the environment
        of the agent alone. depth: how many executions stand above the run. Raises `StoreUnavailable`, and
        `InvalidInput` for a scope that is too large."""

    async def end(self, run: str) -> None:
        """The token of this run counts no more; without one nothing happens. Raises `StoreUnavailable`."""

    async def end_all(self, alias: str) -> None:
        """The same for all runs of a profile of this host."""

    async def tokens(self) -> Sequence[ToolToken]:
        """Those that count, of all hosts, the oldest first."""

    async def revoke(self, token_id: str) -> bool:
        """False: there is no such token."""


def tool_scope_of(profile: Profile) -> ToolScope:
    """The scope that a person has chosen for the profile: its field `daemon_tools`.

    By default the offered workflows alone.
    """
    found = profile.metadata.get("daemon_tools")
    given = found if isinstance(found, dict) else {}
    return ToolScope(_names(given.get("tools")), given.get("offered") is not False, _names(given.get("without")))


def _names(value: Json) -> tuple[str, ...]:
    return tuple(str(name) for name in value) if isinstance(value, list) else ()


def reach_of(caller: Principal) -> ToolReach | None:
    """None: the caller has not come with a token of a profile's run."""
    found = caller.claims.get(REACH)
    return found if isinstance(found, ToolReach) else None
