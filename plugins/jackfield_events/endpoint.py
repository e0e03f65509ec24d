"""`daemon-endpoint`: where programs of the same user find the daemon."""

from __future__ import annotations

import asyncio

from jackfield.api.context import PluginContext, Service
from jackfield.api.files import read_private, write_private

NAME = "daemon-endpoint"


async def start(context: PluginContext) -> None:
    await announce(context.service)


async def stop(context: PluginContext) -> None:
    await withdraw(context.service)


async def announce(service: Service) -> None:
    """Write the file; one that a crash has left is replaced. Raises `ConfigurationError`."""
    await asyncio.to_thread(write_private, service.config_dir / NAME, f"{service.local_url}\n".encode())


async def withdraw(service: Service) -> None:
    """Delete the file, unless it names another daemon by now."""
    await asyncio.to_thread(_withdraw, service)


def _withdraw(service: Service) -> None:
    path = service.config_dir / NAME
    if read_private(path) == f"{service.local_url}\n".encode():
        path.unlink(missing_ok=True)
