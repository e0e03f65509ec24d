"""Where an agent's requests go, and with what: its provider's endpoint with the profile's key, or the profile's proxy
with the proxy's token. An agent behind a proxy never sees the key."""

from __future__ import annotations

import contextlib
from urllib.parse import urlsplit

from jackfield.api.agents import Agent
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.profiles import Profile
from jackfield.api.providers import Dialect, DialectName, Provider, keys_in
from jackfield.api.proxy import KEYED_PATH, Proxies
from jackfield.api.records import record

NO_KEY = "no-key-needed"
"""For tools that do not start without a token, in front of a provider that asks for none."""


@record
class ProviderAccess:
    """`url`: empty for `self`. `secret`: the key, or the proxy's token. `dialect`: that the agent speaks; None: the
    agent gets no address. `own_login`: it logs in by itself, and its login passes through the proxy, whose token is in
    `url`: `hidden`.
    """

    url: str
    secret: str | None
    proxied: bool
    dialect: DialectName | None
    own_login: bool = False
    hidden: str | None = None


def require_address(provider: Provider, url: str) -> None:
    """url: of its endpoint. Raises `InvalidInput` for one that no request can be sent to."""
    if provider.dialect is None:
        return
    with contextlib.suppress(ValueError):
        if urlsplit(url).scheme in ("http", "https") and urlsplit(url).hostname:
            return
    raise InvalidInput(
        f"The provider {provider.id} has the endpoint {url!r}, which is no address of the web.",
        code="ENDPOINT_INVALID",
        details={"endpoint_id": "write it with http:// or https:// in the provider's manifest, or choose another one"},
    )


def spoken(agent: Agent, provider: Provider) -> DialectName | None:
    """The dialect that an agent speaks to a proxy: its own, else its provider's.

    Gemini's is known to its own agent alone, which needs no names of variables: others speak OpenAI's.
    """
    return agent.dialect or ("openai" if provider.dialect == "gemini" else provider.dialect)


async def access_of(
    context: PluginContext, agent: Agent, provider: Provider, profile: Profile, key: str | None
) -> ProviderAccess:
    """The access that an agent would get; a proxy is not started for it. Raises `InvalidInput`, `JackfieldError`."""
    _, url = provider.endpoint(profile.endpoint_id)
    require_address(provider, url)
    own_login = provider.auth.kind == "agent"
    if not profile.proxy_enabled or (proxies := context.find_port(Proxies)) is None:
        first = None if own_login else next(iter(keys_in(key)), None)
        return ProviderAccess(url, first, False, provider.dialect, own_login)
    address = await proxies.reserve(profile.alias)
    dialect = spoken(agent, provider)
    base = address.base_url.rstrip("/") + (f"{KEYED_PATH}{address.token}" if own_login else "")
    if dialect == "openai" and not base.endswith("/v1"):
        base += "/v1"
    if own_login:
        return ProviderAccess(base, None, True, dialect, own_login, address.token)
    return ProviderAccess(base, address.token, True, dialect)


def require_key(provider: Provider, profile: Profile, access: ProviderAccess) -> None:
    """Raises `InvalidInput` when the provider wants a key and there is none."""
    if access.secret is None and provider.needs_key:
        raise InvalidInput(
            f"The profile {profile.alias} has no key for {provider.title}; give it one (PATCH with api_key, `jackfield "
            f"profiles edit`) or set {provider.auth.env_key} in the daemon's environment.",
            code="KEY_MISSING",
        )


def variables(access: ProviderAccess, provider: Provider, profile: Profile, dialect: Dialect | None) -> dict[str, str]:
    """The variables that the agent reads: base URL, token or key, model; and the provider's own key variable. dialect:
    the names of `access.dialect`.
    """
    if dialect is None:
        return {}
    made = {dialect.model: profile.model} if profile.model else {}
    if access.own_login:  # a key of any kind would come before it
        return made if access.url.rstrip("/") == dialect.native_url else {**made, dialect.base_url: access.url}
    native = not access.proxied and not provider.type.endswith("-compatible")
    if native:
        if access.secret is not None:
            made[dialect.api_key] = access.secret
        # A user's provider may be of the vendor's type and somewhere else: the key must not go to the vendor.
        if access.url.rstrip("/") != dialect.native_url:
            made[dialect.base_url] = access.url
    else:
        made[dialect.base_url] = access.url
        made[dialect.token] = access.secret or NO_KEY
    own = provider.auth.env_key
    # Tools warn when both the token and the key of one dialect are set.
    if own and access.secret is not None and (native or own != dialect.api_key):
        made[own] = access.secret
    return made
