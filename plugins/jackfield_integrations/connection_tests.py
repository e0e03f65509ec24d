"""`POST /credentials/{id}/test` of databases: connect, sign in, leave; of AWS: ask whose key it is;
of Snowflake: run a statement."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import cast
from urllib.parse import urlsplit

from jackfield.api.aws_endpoints import endpoint_of
from jackfield.api.context import PluginContext
from jackfield.api.credentials import ALLOWED_HOSTS, CredentialKind, Sign
from jackfield.api.http_client import HttpCall, HttpClient, host_allowed
from jackfield.api.nodes import NodeError
from jackfield.api.object_references import load as object_at
from jackfield.api.records import replace
from jackfield_integrations.kinds import AWS, KINDS, SNOWFLAKE
from jackfield_integrations.libraries import SESSIONS, sessions_of
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets


def kinds(context: PluginContext) -> Sequence[CredentialKind]:
    """All kinds, with a connection test where there is one."""
    return [
        replace(kind, connection_test=_connection_test(context, kind)) if kind.name in _TRIED else kind
        for kind in KINDS
    ]


def _connection_test(context: PluginContext, kind: CredentialKind) -> Callable[[Mapping[str, str]], Awaitable[str]]:
    return partial(_OWN_TRIALS.get(kind.name, _tried), context, kind)


async def _asked_whose(context: PluginContext, kind: CredentialKind, values: Mapping[str, str]) -> str:
    """Source: AWS STS API Reference, GetCallerIdentity, which every key may ask for."""
    given = DriverCredential(kind, values)
    complete = kind.complete(values)
    try:
        endpoint = endpoint_of("sts", complete)
    except ValueError as exc:
        raise NodeError(str(exc)) from None
    host = urlsplit(endpoint).hostname or ""
    if not host_allowed(host, given.text(ALLOWED_HOSTS)):
        raise NodeError(f"The credential may not be sent to {host} (allowedHosts).")
    signed = cast("Sign", await asyncio.to_thread(object_at, "jackfield_integrations.aws.signing:signed"))
    url = f"{endpoint}/?Action=GetCallerIdentity&Version=2011-06-15"
    reply = await context.port(HttpClient).send(signed(HttpCall("POST", url, service="sts"), complete))
    if reply.status != 200:
        text = given.shown(reply.body.decode("utf-8", "replace"))
        raise NodeError(f"{host} answers with status {reply.status}: {text}.")
    return f"{host} accepted the credential."


async def _asked_snowflake(context: PluginContext, kind: CredentialKind, values: Mapping[str, str]) -> str:
    """Runs a statement that no warehouse is needed for."""
    sessions = await asyncio.to_thread(import_module, "jackfield_integrations.snowflake.session")
    session = await sessions.key_session(context, DriverCredential(kind, values))
    limit = context.settings(IntegrationSettings).timeout
    deadline = asyncio.timeout(limit)
    try:
        async with deadline:
            await session.run("SELECT 1", {})
    except TimeoutError:
        if not deadline.expired():
            raise
        raise NodeError(f"Snowflake took longer than {limit:g} seconds (integrations.timeout).") from None
    return "Snowflake accepted the credential."


async def _tried(context: PluginContext, kind: CredentialKind, values: Mapping[str, str]) -> str:
    settings = context.settings(IntegrationSettings)
    given = DriverCredential(kind, values)
    sessions = await sessions_of(kind)
    deadline = asyncio.timeout(settings.timeout)
    try:
        async with deadline, sessions.opened(Targets(settings), given, settings):
            return f"{_place(given)} accepted the credential."
    except TimeoutError:
        if not deadline.expired():
            raise
        limit = f"{settings.timeout:g}"
        raise NodeError(f"{_place(given)} took longer than {limit} seconds (integrations.timeout).") from None


_OWN_TRIALS = {AWS.name: _asked_whose, SNOWFLAKE.name: _asked_snowflake}
_TRIED = {*SESSIONS, *_OWN_TRIALS}


def _place(values: DriverCredential) -> str:
    """The server's name, where its own field has it."""
    if values.text("configurationType") == "connectionString":
        return "The server"
    return values.text("host") or values.text("hostname") or values.text("brokers")
