"""A test's questions to a server of Temporal, with Temporal's library, which may not be installed: `temporal` loads
this.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from google.protobuf.duration_pb2 import Duration
from temporalio.api.workflowservice.v1 import ListOpenWorkflowExecutionsRequest, RegisterNamespaceRequest
from temporalio.client import Client, TLSConfig
from temporalio.service import RPCError, RPCStatusCode


def tls(authority: bytes, cert: bytes, key: bytes, domain: str) -> TLSConfig:
    """authority, cert, key: in PEM; domain: in the server's certificate."""
    return TLSConfig(server_root_ca_cert=authority, client_cert=cert, client_private_key=key, domain=domain)


async def connect(address: str, namespace: str, options: Mapping[str, Any]) -> Client:
    """options: of `Client.connect`."""
    return await Client.connect(address, namespace=namespace, **options)


async def has_namespace(address: str, namespace: str, options: Mapping[str, Any]) -> bool:
    """Whether the server serves this namespace, which is made if it is not there."""
    try:
        async with asyncio.timeout(5):
            service = (await connect(address, namespace, options)).workflow_service
            retention = Duration(seconds=24 * 3600)
            try:
                await service.register_namespace(
                    RegisterNamespaceRequest(namespace=namespace, workflow_execution_retention_period=retention)
                )
            except RPCError as exc:
                if exc.status is not RPCStatusCode.ALREADY_EXISTS:
                    return False
            await service.list_open_workflow_executions(ListOpenWorkflowExecutionsRequest(namespace=namespace))
    except (RPCError, RuntimeError, TimeoutError):
        return False
    return True
