"""The work of `jackfield registry build`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield.api.jsontext import Json
from jackfield.api.manifests import MANIFEST_KINDS
from jackfield_registry import building
from jackfield_registry.settings import RegistrySettings
from jackfield_registry.synced.signing import signer


async def build(
    context: PluginContext, source: Path, output: Path, channel: str, sequence: int | None, key: Path | None
) -> dict[str, Json]:
    """new: whether it was not there already. Raises `ConfigurationError`, `InvalidInput` that names the file."""
    with_key = signer(key) if key else None
    order = building.BuildOrder(source, output, channel, sequence, with_key)
    large = context.settings(RegistrySettings).artifact_limit
    try:
        built = await asyncio.to_thread(building.build, order, context.extensions(MANIFEST_KINDS), large)
    except OSError as exc:
        raise ConfigurationError(f"{exc.filename} cannot be used: {exc.strerror}.") from None
    return {
        "commit": built.commit,
        "new": built.new,
        "output": str(output),
        "files": built.files,
        "sequence": built.sequence,
        "public_key": str(with_key.public_key) if with_key else None,
    }
