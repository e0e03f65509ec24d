"""Providers of models: who serves them, where, in which dialect, and where the key comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .errors import InvalidInput
from .manifests import Manifest

DialectName: TypeAlias = Literal["anthropic", "openai"]
ProviderType: TypeAlias = Literal[
    "anthropic", "anthropic-compatible", "openai", "openai-compatible", "self",
    "alpha", "alpha-compatible", "beta", "beta-compatible",
]  # fmt: skip
_FAMILIES: Mapping[str, DialectName] = {
    "anthropic": "anthropic", "alpha": "anthropic", "openai": "openai", "beta": "openai",
}  # fmt: skip


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True, defer_build=True)


class Auth(_Part):
    """env_key: the environment variable that holds the key; prompt: what a person is asked."""

    env_key: str | None = Field(None, pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")
    prompt: str = ""
    required: bool = True


class ModelList(_Part):
    available: tuple[str, ...] = ()
    default: str | None = None


class Provider(Manifest):
    """One provider. endpoints: name -> URL, and `default` names one of them (or is a URL itself). An endpoint of the
    `openai` family includes `/v1`, one of the `anthropic` family does not."""

    type: ProviderType
    endpoints: Mapping[str, str] = Field(min_length=1)
    auth: Auth = Auth()
    models: ModelList = ModelList()

    @model_validator(mode="after")
    def _default_is_an_endpoint(self) -> Provider:
        named = self.endpoints.get("default")
        if named is not None and named not in self.endpoints and "://" not in named:
            raise ValueError(f"endpoints.default names {named!r}, which is no endpoint and no URL")
        return self

    @property
    def dialect(self) -> DialectName | None:
        """What its endpoints speak; None for `self`: the agent keeps its own login."""
        return _FAMILIES.get(self.type.removesuffix("-compatible"))

    @property
    def named_endpoints(self) -> Mapping[str, str]:
        """The endpoints without the entry that only names the default one."""
        own = {name: url for name, url in self.endpoints.items() if name != "default"}
        return own if "default" not in self.endpoints or self.endpoints["default"] in own else dict(self.endpoints)

    @property
    def default_endpoint(self) -> str:
        """The name of the endpoint that counts where none is asked for; the first when the manifest names none."""
        named = self.endpoints.get("default")
        if named is not None and named in self.endpoints:
            return named
        return "default" if named is not None else next(iter(self.endpoints))

    def endpoint(self, name: str | None = None) -> tuple[str, str]:
        """Name and URL. Raises `InvalidInput` for one that is not there."""
        chosen = self.default_endpoint if name in (None, "default") else str(name)
        if chosen not in self.endpoints:
            known = ", ".join(sorted(self.named_endpoints))
            raise InvalidInput(
                f"Provider {self.id} has no endpoint {chosen}; it has: {known}.",
                code="ENDPOINT_UNKNOWN",
                details={"endpoint_id": f"give one of: {known}"},
            )
        return chosen, self.endpoints[chosen]

    @property
    def needs_key(self) -> bool:
        """Whether a profile must have a key of its own or the daemon's environment has to hold one."""
        return self.type != "self" and self.auth.required and self.auth.env_key is not None


class Dialect(_Part):
    """The environment variables that agents of a family read: `base_url` and `token` for a gateway, `api_key` for the
    vendor's own API. native_url: of that API; agents go there by themselves."""

    base_url: str
    token: str
    api_key: str
    model: str
    native_url: str = ""


class Providers(Protocol):
    """The port; a plugin names it in `provides`."""

    async def all(self) -> Mapping[str, Provider]: ...

    async def find(self, id: str) -> Provider:
        """Raises `NotFound` (code `PROVIDER_NOT_FOUND`)."""

    def dialect(self, name: DialectName) -> Dialect: ...

    def warnings(self) -> Sequence[str]:
        """Broken files, as `Manifests.warnings`."""
