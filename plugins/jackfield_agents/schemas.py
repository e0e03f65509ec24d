"""Answers of the API of agents, for OpenAPI."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class _Shown(BaseModel):
    model_config = ConfigDict(defer_build=True)


class _Agent(_Shown):
    id: str
    name: str
    installed: bool
    version: str | None
    binary_path: str | None


class AgentItem(_Agent):
    """profile_count: profiles that use the agent."""

    profile_count: int


class InstallShown(_Shown):
    """command: for a shell. homepage: an address of the web."""

    command: str | None
    homepage: str | None


class AgentDetail(_Agent):
    """dialect: of the providers that it can use by itself, None: any. headless: whether it can run without a
    terminal."""

    binary: str
    profile_strategy: str
    supports_hooks: bool
    supports_approvals: bool
    default_model: str | None
    supported_models: list[str]
    dialect: str | None
    headless: bool
    install: InstallShown | None


class AgentList(_Shown):
    """warnings: manifests that cannot be used, by file."""

    success: bool
    data: list[AgentItem]
    warnings: list[str] = []


class AgentAnswer(_Shown):
    success: bool
    data: AgentDetail
