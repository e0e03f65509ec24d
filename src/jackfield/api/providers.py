"""Providers of models: who serves them, where, in which dialect, and where the key comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Protocol, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator

from .errors import InvalidInput
from .manifests import Manifest

DialectName: TypeAlias = Literal["anthropic", "openai", "gemini"]
ProviderType: TypeAlias = Literal[
    "anthropic", "anthropic-compatible", "openai", "openai-compatible", "gemini", "gemini-compatible", "self",
    "alpha", "alpha-compatible", "beta", "beta-compatible",
]  # fmt: skip
_FAMILIES: Mapping[str, DialectName] = {
    "anthropic": "anthropic", "alpha": "anthropic", "openai": "openai", "beta": "openai",
    "gemini": "gemini",
}  # fmt: skip
AuthKind: TypeAlias = Literal["bearer", "api-key", "aws-sigv4", "google", "agent"]
Platform: TypeAlias = Literal["bedrock", "vertex"]
_ON_PLATFORM: Mapping[Platform, Sequence[str]] = {"bedrock": ("anthropic",), "vertex": ("anthropic", "gemini")}
HeaderName = Annotated[str, StringConstraints(pattern=r"^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$")]
HeaderValue = Annotated[str, StringConstraints(pattern=r"^[ -~]{0,4096}$")]
QueryValue = Annotated[str, StringConstraints(max_length=4096)]
_NOT_A_MANIFESTS = frozenset({
    "authorization", "connection", "content-encoding", "content-length", "content-type", "cookie", "expect", "host",
    "keep-alive", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade", "x-api-key",
})  # fmt: skip
"""Headers that belong to the connection, to the body, or to the credential."""
_BY_PROXY: frozenset[AuthKind | None] = frozenset({"api-key", "aws-sigv4", "google"})
"""How agents cannot log in by themselves."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True, defer_build=True)


class Auth(_Part):
    """env_key: the environment variable that holds the key; prompt: what a person is asked.

    kind: how a request proves who sends it. `bearer`: the key as `Authorization: Bearer`. `api-key`: the key in
    `header`. `aws-sigv4`: the request is signed for `service` in `region`. `google`: an access token of a service
    account or of the application default credentials. `agent`: the agent's own login passes through. None: as the
    vendor of the family has it.
    """

    env_key: str | None = Field(None, pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")
    prompt: str = ""
    required: bool = True
    kind: AuthKind | None = None
    header: HeaderName = "api-key"
    region: str = Field("", pattern=r"^[a-z0-9-]{0,64}$")
    service: str = Field("bedrock", pattern=r"^[a-z0-9-]{1,64}$")


class ModelList(_Part):
    """responses: globs of the models that take OpenAI's Responses alone."""

    available: tuple[str, ...] = ()
    default: str | None = None
    responses: tuple[str, ...] = ()


class Provider(Manifest):
    """One provider. `endpoints`: name -> URL, and `default` names one of them (or is a URL itself). An endpoint of the
    `openai` family includes `/v1`, one of the others no version; `{model}` in it stands for the model.

    `headers`, `query`: that every request has beside its own. `platform`: of a cloud that serves the family's models
    under its own paths. `cache_control`: marks for its cache are understood (those of the `anthropic` family always
    are).
    """

    type: ProviderType
    endpoints: Mapping[str, str] = Field(min_length=1)
    auth: Auth = Auth()
    models: ModelList = ModelList()
    headers: Mapping[HeaderName, HeaderValue] = Field(default_factory=dict, max_length=64)
    query: Mapping[str, QueryValue] = Field(default_factory=dict, max_length=64)
    platform: Platform | None = None
    cache_control: bool = False

    @field_validator("headers")
    @classmethod
    def _headers_are_free(cls, value: Mapping[str, str]) -> Mapping[str, str]:
        for name in value:
            if name.lower() in _NOT_A_MANIFESTS:
                raise ValueError(f"headers must not have {name}, which Jackfield sets; see auth.kind for credentials")
        return value

    @model_validator(mode="after")
    def _platform_fits(self) -> Provider:
        if self.platform is not None and self.dialect not in _ON_PLATFORM[self.platform]:
            types = " and ".join(_ON_PLATFORM[self.platform])
            raise ValueError(f"platform {self.platform} serves models of the type {types}; other models need none")
        if self.auth.kind == "aws-sigv4" and not self.auth.region:
            raise ValueError("auth.region is missing: a signature for AWS names the region, such as us-east-1")
        return self

    @model_validator(mode="after")
    def _default_is_an_endpoint(self) -> Provider:
        named = self.endpoints.get("default")
        own = sorted(self.endpoints.keys() - {"default"})
        if named is not None and named not in self.endpoints and "://" not in named:
            told = f"endpoints.default names {named!r}, which is no endpoint and no URL"
            raise ValueError(f"{told}; endpoints are: {', '.join(own)}" if own else told)
        return self

    @property
    def dialect(self) -> DialectName | None:
        """The dialect of its endpoints; None for `self`: the agent keeps its own login."""
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
        """Whether a profile must have its own key or the daemon's environment has to hold one."""
        return (
            self.type != "self"
            and self.auth.required
            and self.auth.env_key is not None
            and self.auth.kind not in ("agent", "aws-sigv4", "google")  # these have other places of their own
        )

    @property
    def needs_proxy(self) -> str:
        """The part of the manifest that an agent cannot do by itself, so that the profile's proxy has to; empty: there
        is none."""
        if self.platform is not None:
            return "platform"
        if self.auth.kind in _BY_PROXY:
            return "auth.kind"
        return "headers" if self.headers else "query" if self.query else ""


def keys_in(text: str | None) -> tuple[str, ...]:
    """The keys of a text that holds one or several, separated by white space. A JSON document is one key: that of a
    Google service account."""
    if not text:
        return ()
    return (text,) if text.lstrip().startswith("{") else tuple(text.split())


class Dialect(_Part):
    """The environment variables that agents of a family read: `base_url` and `token` for a gateway, `api_key` for the
    vendor's own API. native_url: of that API. Agents go there by themselves. headers: lines `name: value` that they
    send with each request; empty: there is no such variable."""

    base_url: str
    token: str
    api_key: str
    model: str
    native_url: str = ""
    headers: str = ""


class Providers(Protocol):
    """The port; a plugin names it in `provides`."""

    async def all(self) -> Mapping[str, Provider]: ...

    async def find(self, id: str) -> Provider:
        """Raises `NotFound` (code `PROVIDER_NOT_FOUND`)."""

    def dialect(self, name: DialectName) -> Dialect: ...

    def warnings(self) -> Sequence[str]:
        """Broken files, as `Manifests.warnings`."""
