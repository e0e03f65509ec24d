"""`POST /credentials/{id}/test`: a real request for a token, a real request with the credential, or both."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from jackfield.api.context import PluginContext
from jackfield.api.credentials import CredentialKind, OAuth2, Probe, ServiceAccount
from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import HttpCall, HttpClient, HttpReply
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeError
from jackfield.api.records import record, replace
from jackfield.api.urls import joined
from jackfield_credentials.accounts import account_of
from jackfield_credentials.checks import problems
from jackfield_credentials.placing import text
from jackfield_credentials.service import CredentialService
from jackfield_credentials.settings import CredentialSettings


@record
class CredentialTestResult:
    """tested: whether anything was sent."""

    valid: bool
    message: str
    tested: bool = True


async def tried(
    context: PluginContext, service: CredentialService, credential_id: str, kind_name: str, asked: Probe | None
) -> CredentialTestResult:
    """asked: a request to make instead of the kind's own."""
    kind = service.vault.kind(kind_name)
    if kind is None:
        return CredentialTestResult(
            False, f"No plugin and no description in nodes.d describes the kind {kind_name}.", False
        )
    try:
        values = await service.values(credential_id, kind_name)
        if wrong := problems(kind, values):
            told = "; ".join(f"{path.removeprefix('values.')} {what}" for path, what in wrong.items())
            return CredentialTestResult(False, f"The values do not fit the kind: {told}.", False)
        if kind.connection_test is not None and asked is None:
            return CredentialTestResult(True, await kind.connection_test(values))
        token = await _token(service, credential_id, kind, values)
        probe = asked or kind.probe
        if probe is None:
            return token or CredentialTestResult(True, _NOWHERE, False)
        reply = await _asked(context, service, credential_id, kind, probe, values)
    except NodeError as exc:
        return CredentialTestResult(False, exc.message)
    return _result_of(reply, probe)


async def _token(
    service: CredentialService, credential_id: str, kind: CredentialKind, values: Mapping[str, str]
) -> CredentialTestResult | None:
    """A new token, where one can be had without a user."""
    if isinstance(kind.scheme, ServiceAccount):
        return await _account_token(service, kind.name, kind.scheme, values)
    if not isinstance(kind.scheme, OAuth2):
        return None
    client, tokens = await service.keeper.client(credential_id)
    renewable = client.grant == "clientCredentials" or (tokens is not None and tokens.refresh)
    await service.keeper.token(credential_id, tokens.access if tokens and renewable else None)
    if not renewable:
        return CredentialTestResult(True, "There is an access token; nothing was asked with it.", False)
    return CredentialTestResult(True, "The token server gave a token.")


async def _account_token(
    service: CredentialService, kind: str, scheme: ServiceAccount, values: Mapping[str, str]
) -> CredentialTestResult:
    """A scope grants what it may do for a user: without one, only the account itself can be tried."""
    account = account_of(kind, scheme, values)
    if account.scope:
        await service.accounts.exchanged(account, account.scope)
        return CredentialTestResult(True, "The token server gave a token.")
    await service.accounts.exchanged(replace(account, subject=""), scheme.scopes[-1][2])
    told = " Whether it may act for the user shows when it is used." if account.subject else ""
    return CredentialTestResult(True, f"The token server gave a token.{told}")


async def _asked(
    context: PluginContext,
    service: CredentialService,
    credential_id: str,
    kind: CredentialKind,
    probe: Probe,
    values: Mapping[str, str],
) -> HttpReply:
    url = text(probe.url, kind.name, values)
    if probe.path:
        url = joined(url, probe.path)
    timeout = context.settings(CredentialSettings).token_timeout
    headers = [("accept", "application/json"), *probe.headers.items()]
    call = HttpCall(probe.method, url, headers=headers, timeout=timeout, follow="none")
    return await context.port(HttpClient).send(call, await service.authorization(credential_id, kind.name))


def _result_of(reply: HttpReply, probe: Probe) -> CredentialTestResult:
    host = urlsplit(reply.url).hostname
    if reply.status in (401, 403):
        return CredentialTestResult(False, f"{host} refused the credential (status {reply.status}).")
    if not 200 <= reply.status < 400:
        return CredentialTestResult(
            False, f"{host} answered with status {reply.status}, which says nothing of the credential."
        )
    if probe.ok and not _at(reply, probe.ok):
        told = _at(reply, probe.error) if probe.error else None
        why = f": {_masked(told, reply)}" if isinstance(told, str) else ""
        return CredentialTestResult(False, f"{host} refused the credential{why}.")
    return CredentialTestResult(True, f"{host} accepted the credential (status {reply.status}).")


def _masked(told: str, reply: HttpReply) -> str:
    for secret in reply.secrets:
        told = told.replace(secret, "***") if secret else told
    return told[:200]


def _at(reply: HttpReply, path: str) -> Json:
    """The value at a dotted path of a JSON answer, else None."""
    try:
        found = loads(reply.body)
    except InvalidInput:
        return None
    for name in path.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return found


_NOWHERE = (
    'The values are complete. This kind does not have its own address; send {"url": ...} to try them against one.'
)
