"""The connection to Temporal's server."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client, TLSConfig
from temporalio.service import RPCError, RPCStatusCode

from jackfield_engine_temporal.settings import TemporalSettings

_REFUSED = {
    RPCStatusCode.NOT_FOUND: "has no namespace '{namespace}'; create it with `temporal operator namespace create "
    "--namespace {namespace}`, or set engine.temporal.namespace",
    RPCStatusCode.PERMISSION_DENIED: "does not let this daemon into the namespace '{namespace}'; see "
    "engine.temporal.api_key, cert_file and key_file",
    RPCStatusCode.UNAUTHENTICATED: "does not know this daemon; see engine.temporal.api_key, cert_file and key_file",
}


class NoTemporal(Exception):
    """The server cannot be used; the message says why, and the remedy."""


async def connect(settings: TemporalSettings) -> Client:
    """A client of a namespace that is there. Raises `NoTemporal`."""
    try:
        async with asyncio.timeout(settings.timeout):
            client = await Client.connect(
                settings.address,
                namespace=settings.namespace,
                api_key=settings.api_key or None,
                tls=await asyncio.to_thread(_tls, settings),
                connect_timeout=timedelta(seconds=settings.timeout),
            )
            await check(client, settings)
    except NoTemporal:
        raise
    except OSError as exc:
        if exc.filename is None:
            raise NoTemporal(_unanswered(settings)) from None
        raise NoTemporal(f"{exc.filename} cannot be read: {exc.strerror}; see engine.temporal") from None
    except (RuntimeError, TimeoutError):  # the library's errors of a connection
        raise NoTemporal(_unanswered(settings)) from None
    return client


async def check(client: Client, settings: TemporalSettings) -> None:
    """Raises `NoTemporal`."""
    try:
        await client.workflow_service.describe_namespace(
            DescribeNamespaceRequest(namespace=settings.namespace), timeout=timedelta(seconds=settings.timeout)
        )
    except RPCError as exc:
        raise NoTemporal(_refused(settings, exc)) from None


def _refused(settings: TemporalSettings, error: RPCError) -> str:
    known = _REFUSED.get(error.status)
    if known is None:
        return _unanswered(settings)
    return f"Temporal's server at {settings.address} {known.format(namespace=settings.namespace)}"


def _unanswered(settings: TemporalSettings) -> str:
    return (
        f"Temporal's server at {settings.address} does not answer; start it, or set engine.temporal.address and "
        "engine.temporal.tls to what it has"
    )


def _tls(settings: TemporalSettings) -> TLSConfig | bool:
    """Raises OSError."""
    files = (settings.ca_file, settings.cert_file, settings.key_file)
    if not (any(files) or settings.tls or settings.api_key):
        return False
    ca, cert, key = (Path(file).expanduser().read_bytes() if file else None for file in files)
    return TLSConfig(
        server_root_ca_cert=ca, client_cert=cert, client_private_key=key, domain=settings.server_name or None
    )
