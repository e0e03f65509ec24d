"""`[security.oidc]`."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from jackfield.api.host_names import is_loopback
from jackfield.api.login_groups import GroupRow

Algorithm = Literal["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
"""Those of public keys alone: with a symmetric one a public key, or the client's secret, would sign."""
USUAL: list[Algorithm] = ["RS256", "PS256", "ES256", "EdDSA"]


class OidcTable(BaseModel):
    """Base. An unknown key is an error, and no error quotes a value."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True)


class OidcProvider(OidcTable):
    """One of `[[security.oidc.providers]]`."""

    name: str = Field(
        pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$",
        description="Name of the login: the end of its callback's path and of its users' names. It never changes.",
    )
    title: str = Field("", max_length=80, description="Text of the button on the login page. Default: the name.")
    issuer: str = Field(description="The provider's issuer URL, letter by letter as its ID tokens have it.")
    client_id: str = Field(min_length=1, max_length=512, description="Id of Jackfield at the provider.")
    client_secret_file: str = Field(
        "", description="File with the client's secret, relative to the configuration directory."
    )
    client_secret_env: str = Field("", description="Variable of the environment with the client's secret.")
    client_auth: Literal["auto", "basic", "post", "none"] = Field(
        "auto",
        description="How the secret goes to the token endpoint; `auto` takes what the provider lists, first `basic`.",
    )
    scopes: list[str] = Field(
        default_factory=lambda: ["openid", "profile", "email"], description="Scopes that are asked for."
    )
    prompt: str = Field("", max_length=80, description="The parameter `prompt`, such as `select_account` or `login`.")
    algorithms: list[Algorithm] = Field(
        default_factory=USUAL.copy,
        min_length=1,
        description="Algorithms of ID tokens that count, of public keys alone.",
    )
    groups_claim: str = Field(
        "groups",
        min_length=1,
        max_length=256,
        description="Claim with a person's groups: a list, or one text. Dots lead into objects (`realm_access.roles`).",
    )
    groups: list[GroupRow] = Field(
        default_factory=list,
        max_length=1000,
        description="Rows of group, role and project. Nobody comes in without a row that gives a role.",
    )
    create_users: bool = Field(True, description="Whether a person's first login makes a user.")
    link_email_domains: list[str] = Field(
        default_factory=list,
        description="Domains whose addresses, where the provider has verified them, find a local user who is called "
        "so; that user is linked at the first login.",
    )

    logout: Literal["local", "provider"] = Field(
        "local", description="Whether a logout ends Jackfield's session alone, or goes on to the provider."
    )

    @field_validator("issuer")
    @classmethod
    def _is_issuer(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.query or parts.fragment or parts.username or not parts.hostname:
            raise ValueError("must be a URL without user, query and fragment, such as https://id.example.com/realms/a")
        if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname)):
            raise ValueError("must begin with https://; http:// is for this machine alone")
        return value

    @field_validator("scopes")
    @classmethod
    def _has_openid(cls, value: list[str]) -> list[str]:
        if "openid" not in value or any(not scope or " " in scope for scope in value):
            raise ValueError("must list `openid`, and each scope by itself")
        return value

    @model_validator(mode="after")
    def _has_one_secret(self) -> OidcProvider:
        if self.client_secret_file and self.client_secret_env:
            raise ValueError("give one of client_secret_file and client_secret_env")
        has_secret = bool(self.client_secret_file or self.client_secret_env)
        if self.client_auth in ("basic", "post") and not has_secret:
            raise ValueError(f"client_auth = {self.client_auth} needs client_secret_file or client_secret_env")
        return self

    @property
    def shown_title(self) -> str:
        return self.title or self.name


class OidcSettings(OidcTable):
    """`[security.oidc]`"""

    providers: list[OidcProvider] = Field(
        default_factory=list, max_length=32, description="Providers, each a table `[[security.oidc.providers]]`."
    )
    leeway: int = Field(30, ge=0, le=300, description="By how much the provider's clock may differ, in seconds.")
    timeout: float = Field(
        4.0, gt=0, le=60, description="How long a provider may be silent in one request, in seconds."
    )
    metadata_lifetime: int = Field(
        3600, ge=10, le=86400, description="How long a provider's addresses and keys are remembered, in seconds."
    )
    keys_pause: int = Field(
        10,
        ge=1,
        le=3600,
        description="Time between two requests for keys because a token names an unknown one, in seconds.",
    )
    answer_limit: int = Field(
        1_048_576, ge=16_384, le=16_777_216, description="Largest answer of a provider that is read, in bytes."
    )

    @field_validator("providers")
    @classmethod
    def _are_unique(cls, value: list[OidcProvider]) -> list[OidcProvider]:
        names = [provider.name for provider in value]
        if len(names) != len(set(names)):
            raise ValueError("two providers have one name")
        return value
