"""Loads the modules that need an optional library."""

from __future__ import annotations

import asyncio
from importlib import import_module
from types import ModuleType

from jackfield.api.nodes import NodeUnavailable
from jackfield.api.nodes.libraries import library_remedy


async def load(module: str, extra: str) -> ModuleType:
    """This module of the package, imported on a thread. Raises `NodeUnavailable` that names the extra to install."""
    try:
        return await asyncio.to_thread(import_module, f"jackfield_integrations.{module}")
    except ImportError as exc:
        name = (exc.name or "").partition(".")[0]
        if name == "jackfield_integrations":
            raise
        raise NodeUnavailable(library_remedy(name or extra, extra)) from None
