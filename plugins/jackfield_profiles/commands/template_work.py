"""The work of `jackfield templates`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.manifest_checks.checking import check_manifest
from jackfield_profiles.template_manifests import ProfileTemplate
from jackfield_profiles.templates import TemplateCatalog, shown


async def listed(context: PluginContext) -> tuple[list[dict[str, Json]], Sequence[str]]:
    """Rows, and what is wrong with files."""
    catalog = TemplateCatalog(context)
    return [shown(template) for template in (await catalog.all()).values()], catalog.warnings()


async def validated(_: PluginContext, files: Sequence[Path]) -> list[dict[str, Json]]:
    """One view for each file, in their order."""
    return [(await asyncio.to_thread(check_manifest, file, ProfileTemplate)).view() for file in files]


async def read(_: PluginContext, file: Path) -> dict[str, Json]:
    """Raises `InvalidInput` with the file's first mistake."""
    check = await asyncio.to_thread(check_manifest, file, ProfileTemplate)
    errors = sorted((one for one in check.problems if one.severity == "error"), key=lambda one: one.line)
    if check.manifest is None or errors:
        first = f"line {errors[0].line}: {errors[0].key}: {errors[0].message}" if errors else "it is no template"
        raise InvalidInput(
            f"{file}: {first}", details={"template": f"see all of it with `jackfield templates validate {file}`"}
        )
    return shown(check.manifest)
