"""For `jackfield doctor`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield.api.errors import JackfieldError
from jackfield.api.projects import whole_store
from jackfield_audit.anchor import Anchor
from jackfield_audit.keeping import has


async def findings(context: PluginContext) -> Sequence[Finding]:
    """Whether the end of the chain is where this daemon has left it; the whole is looked at by `audit verify`."""
    head = await whole_store(context.store).audit_head()
    try:
        seen = await asyncio.to_thread(Anchor(context).read)
    except JackfieldError as exc:
        return [Finding("audit", False, exc.message)]
    if seen is not None and not await has(context, seen):
        message = f"the audit log lacks record {seen.number}, which was written here: run `jackfield audit verify`"
        return [Finding("audit", False, message)]
    return [Finding("audit", True, f"the audit log has {head.number} records in its chain")]
