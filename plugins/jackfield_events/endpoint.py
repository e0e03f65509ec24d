"""`daemon-endpoint`: where programs of the same user find the daemon."""

from __future__ import annotations

import asyncio

from jackfield.api.context import PluginContext, Service
from jackfield.api.files import read_private, write_private

NAME = "daemon-endpoint"
EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - read, not listened on
"""An address to listen on is not always one to connect to."""


def endpoint(service: Service) -> str:
    """Scheme, host and port that a program on this machine connects to."""
    host = EVERY_ADDRESS.get(service.host, service.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{service.port}"


async def start(context: PluginContext) -> None:
    await announce(context.service)


async def stop(context: PluginContext) -> None:
    await withdraw(context.service)


async def announce(service: Service) -> None:
    """Write the file; one that a crash has left is replaced. Raises `ConfigurationError`."""
    await asyncio.to_thread(write_private, service.config_dir / NAME, f"{endpoint(service)}\n".encode())


async def withdraw(service: Service) -> None:
    """Delete the file, unless it names another daemon by now."""
    await asyncio.to_thread(_withdraw, service)


def _withdraw(service: Service) -> None:
    path = service.config_dir / NAME
    if read_private(path) == f"{endpoint(service)}\n".encode():
        path.unlink(missing_ok=True)
