"""The findings of `jackfield doctor` about providers: whether they answer and take the callback, and whether the
projects of their rows exist.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from urllib.parse import urlsplit

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield.api.errors import JackfieldError
from jackfield.api.login_groups import missing_projects
from jackfield.api.logins import RedirectStart
from jackfield_oidc.login import OidcLogin, authorization_url, client_secret
from jackfield_oidc.requests import ProviderRequests
from jackfield_oidc.settings import OidcProvider, OidcSettings

CALLBACK = "/auth/callback"


async def findings(context: PluginContext) -> Sequence[Finding]:
    """Asks every provider."""
    settings = context.settings(OidcSettings)
    found: list[Finding] = []
    for provider in settings.providers:
        found += await _of(context, provider, ProviderRequests(provider.name, settings))
    return found


async def _of(context: PluginContext, provider: OidcProvider, requests: ProviderRequests) -> list[Finding]:
    subject = f"login {provider.name}"
    login = OidcLogin(context, provider)
    try:
        await asyncio.to_thread(client_secret(context, provider).read)
        keys = await login.metadata.keys()
        callback = f"{context.service.public_url}{CALLBACK}/{provider.name}"
        found = [await _callback(subject, login, requests, callback)]
    except JackfieldError as exc:
        return [Finding(subject, False, exc.message)]
    if not keys:
        found.append(Finding(subject, False, "the provider publishes no key: no login can be verified"))
    if not any(row.role for row in provider.groups):
        found.append(Finding(subject, False, "no row of groups gives a role, so that nobody comes in: add one"))
    found += await _scope_of_groups(subject, login)
    return [*found, *await missing_projects(context.store, subject, provider.groups)]


async def _scope_of_groups(subject: str, login: OidcLogin) -> list[Finding]:
    """A hint, since many a provider tells groups without a scope for them."""
    provider = login.provider
    offered = (await login.metadata.addresses()).get("scopes_supported")
    name = provider.groups_claim
    if not provider.groups or name in provider.scopes or not isinstance(offered, list) or name not in offered:
        return []
    return [Finding(subject, True, f"the provider offers the scope {name}; if it tells no groups, add it to `scopes`")]


async def _callback(subject: str, login: OidcLogin, requests: ProviderRequests, callback: str) -> Finding:
    """With `prompt=none` a provider that takes the callback sends the browser straight back there."""
    start = RedirectStart(*(secrets.token_urlsafe(24), callback), *(secrets.token_urlsafe(32) for _ in range(2)))
    url = await authorization_url(login.metadata, login.provider, start, "none")
    place = await requests.redirect(url)
    if place.location and urlsplit(place.location)._replace(query="", fragment="").geturl() == callback:
        return Finding(subject, True, f"{login.provider.issuer} answers and takes {callback}")
    if 400 <= place.status < 500:
        return Finding(
            subject,
            False,
            f"{login.provider.issuer} refuses the callback {callback} (status {place.status}): register exactly this "
            "address there, or set server.public_url to the one that is registered",
        )
    return Finding(
        subject, True, f"{login.provider.issuer} answers; whether it takes {callback} cannot be seen without a login"
    )
