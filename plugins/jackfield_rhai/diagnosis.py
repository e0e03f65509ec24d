"""The findings of `jackfield doctor` about Rhai."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield.api.object_references import load
from jackfield.api.scripts import RHAI_REMEDY

SUBJECT = "rhai"


async def findings(_context: PluginContext) -> Sequence[Finding]:
    """Whether the library can be loaded; without it agents' configuration cannot be made."""
    try:
        await asyncio.to_thread(load, "rhai:Engine")
    except ImportError as exc:
        broken = "" if isinstance(exc, ModuleNotFoundError) and exc.name == "rhai" else f" ({exc})"
        without = "agents cannot be configured, and Rhai conditions and Code nodes do not run"
        return [Finding(SUBJECT, False, f"rhai missing{broken}: {without}. {RHAI_REMEDY}")]
    return [Finding(SUBJECT, True, "scripts run")]
