"""Whether an agent, a provider, an endpoint, a model and a key go together.

Source: docs/decisions.md, 'Agents, providers and profiles'.
"""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.agents import Agent, Agents
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.profile_tools import ProfileTools
from jackfield.api.providers import Provider


def require_fit(agent: Agent, provider: Provider, *, proxied: bool) -> None:
    """proxied: the profile's proxy stands between them, and translates. Raises `InvalidInput` when they speak different
    dialects, there is nothing for a proxy to ask, or the provider wants what only a proxy can do."""
    if proxied and provider.dialect is None:
        raise InvalidInput(
            f"The provider {provider.id} is the agent's own login, which a proxy cannot use.",
            code="PROXY_WITHOUT_PROVIDER",
            details={"proxy_config": "leave it out, or choose a provider with an address"},
        )
    if (part := provider.needs_proxy) and not proxied:
        raise InvalidInput(
            f"The provider {provider.id} is reached through the profile's proxy alone: agents know nothing of the "
            f"{part} in its manifest.",
            code="PROXY_NEEDED",
            details={"proxy_config": "enable the profile's proxy, such as with {}"},
        )
    if proxied or agent.dialect is None or provider.dialect is None or agent.dialect == provider.dialect:
        return
    raise InvalidInput(
        f"The agent {agent.id} speaks the {agent.dialect} dialect and the provider {provider.id} the "
        f"{provider.dialect} one.",
        code="DIALECT_MISMATCH",
        details={
            "provider_id": f"choose a provider of the {agent.dialect} family, or enable the profile's proxy, which "
            "translates"
        },
    )


def require_servers(agent: Agent | None, servers: Mapping[str, Json]) -> None:
    """agent: None when it is not known (any more). Raises `InvalidInput` for servers that the agent cannot have."""
    if agent is None or not (names := agent.untaken_servers(servers)):
        return
    taken = f"it takes {' and '.join(agent.mcp)}" if agent.mcp else "it takes none"
    raise InvalidInput(
        f"The agent {agent.id} does not take the MCP servers {', '.join(names)}.",
        code="MCP_UNSUPPORTED",
        details={f"mcp_servers.{name}": f"leave it out, or choose an agent that takes it; {taken}" for name in names},
    )


async def require_tools(context: PluginContext, chosen: Mapping[str, Json] | None) -> None:
    """chosen: the field `daemon_tools`. Raises `InvalidInput` for tools that the daemon does not have; where nobody
    knows them, nothing is said."""
    names, port = (chosen or {}).get("tools"), context.find_port(ProfileTools)
    if not isinstance(names, list) or not names or port is None:
        return
    if unknown := sorted({str(name) for name in names} - set(await port.own_tools())):
        raise InvalidInput(
            f"The daemon has no MCP tools of these names: {', '.join(unknown)}.",
            details={"daemon_tools.tools": "name tools that docs/mcp.md lists"},
        )


def require_approvals(agent: Agent | None, approvals: str | None) -> None:
    """agent: None when it is not known (any more). Raises `InvalidInput` for an agent that cannot ask elsewhere."""
    if approvals is None or agent is None or agent.supports_approvals:
        return
    raise InvalidInput(
        f"The agent {agent.id} cannot ask in the inbox of approvals.",
        code="APPROVALS_UNSUPPORTED",
        details={"approvals": "leave it out, or choose an agent whose manifest has supports_approvals"},
    )


async def require_installed(context: PluginContext, agent: Agent) -> None:
    """Raises `InvalidInput`."""
    if not (await context.port(Agents).located(agent)).installed:
        raise InvalidInput(
            f"The agent {agent.id} is not installed: {agent.binary} was not found.",
            code="AGENT_NOT_INSTALLED",
            details={"agent_id": f"install {agent.title}, or send allow_missing: true"},
        )


def key_missing(provider: Provider) -> InvalidInput:
    return InvalidInput(
        f"The provider {provider.id} needs a key.",
        code="KEY_REQUIRED",
        details={"api_key": f"give one, or set {provider.auth.env_key} in the daemon's environment"},
    )


def model_for(asked: str | None, provider: Provider, agent: Agent) -> str:
    """As asked, else the provider's, else the agent's default. Raises `InvalidInput` when nobody names one."""
    model = asked or provider.models.default or agent.models.default
    if model is None:
        raise InvalidInput(
            f"Neither the provider {provider.id} nor the agent {agent.id} has a default model.",
            details={"model": "name one"},
        )
    return model


def model_warning(model: str, provider: Provider) -> str | None:
    """The warning about a model that the provider does not list."""
    listed = provider.models.available
    if not listed or model in listed:
        return None
    return f"The provider {provider.id} does not list the model {model}; it lists: {', '.join(listed)}."
