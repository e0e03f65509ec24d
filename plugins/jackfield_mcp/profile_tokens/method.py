"""The authentication method `mcp_profile`: `Authorization: Bearer jf_pt_...`, at /mcp alone."""

from __future__ import annotations

from jackfield.api.auth import OWNER, PROFILE_TOKEN, AuthRequest, Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import TokenExpired, TokenInvalid
from jackfield.api.profile_tools import REACH, ToolReach
from jackfield_mcp.paths import ENDPOINT
from jackfield_mcp.profile_tokens.book import ProfileTokens
from jackfield_mcp.profile_tokens.projects import projects_of_token


class ProfileTokenMethod:
    """A token acts as the daemon's user, to whom profiles belong, within the scopes of the tools that it reaches. Where
    projects are used, it is limited to one. The claim `REACH` has what it reaches."""

    name = "mcp_profile"

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def authenticate(self, request: AuthRequest) -> Principal | None:
        scheme, _, given = (request.header("authorization") or b"").strip().partition(b" ")
        text = given.strip()
        if scheme.lower() != b"bearer" or not text.startswith(PROFILE_TOKEN):
            return None
        # A passive look is about a request that has passed here.
        if not request.passive and request.path.rstrip("/") != ENDPOINT:
            raise TokenInvalid(f"The token of a profile's run is for {ENDPOINT} alone.")
        found = await self._context.port(ProfileTokens).by_text(text.decode("latin-1"))
        if found is None:
            raise TokenInvalid("The token is not valid, or its run is over; start the profile's agent again.")
        if found.until <= self._context.clock.now_ms():
            raise TokenExpired("The token of this run has expired; start the profile's agent again.")
        reach = ToolReach(found.alias, found.run, found.scope, found.depth)
        claims = {"key": found.id, REACH: reach}
        projects = await projects_of_token(self._context, found)
        scopes = frozenset(found.scopes)
        return Principal(OWNER.user_id, OWNER.username, OWNER.role, self.name, scopes, claims, projects)
