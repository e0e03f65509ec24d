"""How Claude Code is started so that it asks in the inbox. In a run without a terminal it asks by a tool, in a terminal
by a hook. In an agent session it asks anyway, in its own protocol."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api import jsontext
from jackfield.api.agents import AgentAdapter
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.profiles import INBOX, Launch, Profile
from jackfield.api.records import replace
from jackfield_approvals.asking.loading import LoadedPromptTool
from jackfield_approvals.asking.names import EVENT, SERVER, TOKEN, TOOL
from jackfield_approvals.asking.tokens import AskTokens, asker_of
from jackfield_approvals.paths import ASKING, HOOK, MCP
from jackfield_approvals.settings import ApprovalsSettings

_TOOL_OPTION, _SERVERS_OPTION, _SETTINGS_OPTION = "--permission-prompt-tool", "--mcp-config", "--settings"
_HEADLESS = frozenset({"--print", "-p"})
_PATIENCE = 30
"""Seconds that the agent waits for us beyond the time that people have."""
_ANY = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}  # noqa: S104 - nothing is listened on


class ClaudeAsksInbox:
    """`AgentAdapter`"""

    agent_id = "claude"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._tokens = AskTokens(context)

    async def adjust(self, launch: Launch, profile: Profile) -> Launch:
        if profile.approvals != INBOX or launch.kind in ("agent_session", "shell"):
            return launch
        is_headless = not _HEADLESS.isdisjoint(launch.argv)
        if is_headless:
            await self._context.port(LoadedPromptTool).get()
        args = self._tool_args(launch) if is_headless else self._hook_args(launch)
        token = self._tokens.make(asker_of(launch))
        return replace(
            launch,
            argv=(*launch.argv, *args),
            env={**launch.env, TOKEN: token},
            secrets=(*launch.secrets, token),
        )

    def _tool_args(self, launch: Launch) -> Sequence[str]:
        _require_free(launch, _TOOL_OPTION)
        server: Json = {
            "type": "http", "url": self._address(MCP), "headers": {"Authorization": f"Bearer ${{{TOKEN}}}"}
        }  # fmt: skip
        servers = jsontext.dumps({"mcpServers": {SERVER: server}}).decode()
        return (_TOOL_OPTION, f"mcp__{SERVER}__{TOOL}", f"{_SERVERS_OPTION}={servers}")

    def _hook_args(self, launch: Launch) -> Sequence[str]:
        _require_free(launch, _SETTINGS_OPTION)
        timeout = round(self._context.settings(ApprovalsSettings).request_timeout) + _PATIENCE
        hook: Json = {
            "type": "http",
            "url": self._address(HOOK),
            "timeout": timeout,
            "headers": {"Authorization": f"Bearer ${TOKEN}"},
            "allowedEnvVars": [TOKEN],
        }
        settings: Json = {"hooks": {EVENT: [{"matcher": "*", "hooks": [hook]}]}}
        return (_SETTINGS_OPTION, jsontext.dumps(settings).decode())

    def _address(self, way: str) -> str:
        service = self._context.service
        host = _ANY.get(service.host, service.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{service.port}/{ASKING}/{way}"


def _require_free(launch: Launch, option: str) -> None:
    """Raises `InvalidInput` for arguments that have it already: the later one would replace the other."""
    if any(one == option or one.startswith(f"{option}=") for one in launch.argv):
        raise InvalidInput(
            f"The profile {launch.profile.alias} asks in the inbox, and its arguments have {option}.",
            code="APPROVALS_UNSUPPORTED",
            details={"approvals": f"leave it out, or leave {option} out of the arguments"},
        )


def adapters(context: PluginContext) -> Sequence[AgentAdapter]:
    return [ClaudeAsksInbox(context)]
