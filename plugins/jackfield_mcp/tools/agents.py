"""Profiles and their headless runs, usage, proxies."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from jackfield.api.auth import AGENTS_READ, AGENTS_WRITE
from jackfield.api.json_values import Json
from jackfield_mcp.caller import segment
from jackfield_mcp.tool import AnyTool, McpTool, ToolArguments, ToolRun
from jackfield_mcp.tools.paging import Ident, Nothing

_PROFILE = ("alias", "agent_id", "agent", "provider_id", "provider", "model", "host", "running", "proxy_enabled")
"""The members of a profile that a tool gives: no environment, no servers, no key."""


class RunProfileArguments(ToolArguments):
    profile: Ident = Field(description="Its alias.")
    prompt: Annotated[str, Field(min_length=1, max_length=262_144)]
    working_dir: Annotated[str, Field(max_length=4096)] | None = None
    timeout: Annotated[float, Field(gt=0, le=86_400)] | None = Field(None, description="Seconds.")


class GetUsageArguments(ToolArguments):
    period: Literal["today", "week", "month", "all"] = "today"
    profile: Ident | None = None
    model: Ident | None = None


class MatchRuleArguments(ToolArguments):
    profile: Ident = Field(description="Its alias.")
    model: Annotated[str, Field(min_length=1, max_length=512)]
    tokens: Annotated[int, Field(ge=0, le=1_000_000_000)] = 1
    tools: Annotated[int, Field(ge=0, le=100_000)] = 0
    thinking: bool = False
    image: bool = False
    web_search: bool = False


async def _profiles(run: ToolRun, given: Nothing) -> Json:
    rows = await run.api.ask("GET", "/api/profiles")
    kept = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return {"profiles": [{name: row[name] for name in _PROFILE if name in row} for row in kept]}


async def _run(run: ToolRun, given: RunProfileArguments) -> Json:
    body: dict[str, Json] = {"prompt": given.prompt}
    if given.working_dir is not None:
        body["working_dir"] = given.working_dir
    if given.timeout is not None:
        body["timeout"] = given.timeout
    return await run.api.mapping("POST", f"/api/profiles/{segment(given.profile)}/run", body=body)


async def _usage(run: ToolRun, given: GetUsageArguments) -> Json:
    query = {"period": given.period, "profile": given.profile, "model": given.model}
    return await run.api.mapping("GET", "/api/usage", query=query)


async def _proxies(run: ToolRun, given: Nothing) -> Json:
    return await run.api.ask("GET", "/api/proxy/status")


async def _rule(run: ToolRun, given: MatchRuleArguments) -> Json:
    body: Json = given.model_dump(exclude={"profile"})
    return await run.api.mapping("POST", f"/api/proxy/{segment(given.profile)}/test", body=body)


_LOOK, _CHANGE = (AGENTS_READ,), (AGENTS_WRITE,)
AGENT_TOOLS: tuple[AnyTool, ...] = (
    McpTool(
        "list_profiles",
        "List profiles",
        "List profiles: agent, provider, model.",
        _LOOK,
        Nothing,
        _profiles,
        reads=True,
    ),
    McpTool(
        "run_profile",
        "Run a profile's agent",
        "Run a profile's agent without a terminal, and tell what it said. The agent works with the rights of the "
        "daemon's user.",
        _CHANGE,
        RunProfileArguments,
        _run,
        destroys=True,
        outward=True,
    ),
    McpTool(
        "get_usage", "Tell usage", "Tell tokens and cost of a period.", _LOOK, GetUsageArguments, _usage, reads=True
    ),
    McpTool("list_proxies", "List proxies", "List the proxies of profiles.", _LOOK, Nothing, _proxies, reads=True),
    McpTool(
        "which_rule_matches",
        "Tell which rule matches",
        "Tell which rule of a profile's proxy would take a request, and why. Nothing is sent.",
        _CHANGE,
        MatchRuleArguments,
        _rule,
        reads=True,
    ),
)
