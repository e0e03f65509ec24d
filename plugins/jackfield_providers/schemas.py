"""Answers of the API of providers, for OpenAPI."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class _Shown(BaseModel):
    model_config = ConfigDict(defer_build=True)


class ProviderItem(_Shown):
    """type: as the manifest says."""

    id: str
    name: str
    type: str
    default_model: str | None


class ProviderAuth(_Shown):
    """required: whether a profile needs a key. env_key: the variable of the daemon's environment that may hold it."""

    required: bool
    env_key: str | None
    prompt: str


class ProviderDetail(ProviderItem):
    """endpoints: name -> URL. dialect: what they speak, None: the agent keeps its own login. custom: it was added in
    `providers.d`, and can be removed."""

    endpoints: dict[str, str]
    default_endpoint: str
    models: list[str]
    dialect: str | None
    custom: bool
    auth: ProviderAuth


class ProviderList(_Shown):
    """warnings: manifests that cannot be used, by file."""

    success: bool
    data: list[ProviderItem]
    warnings: list[str] = []


class ProviderAnswer(_Shown):
    success: bool
    data: ProviderDetail
    warnings: list[str] = []


class ProviderRemoved(_Shown):
    success: bool
