"""The work of `jackfield audit` on the open store."""

from __future__ import annotations

from typing import BinaryIO

from jackfield.api.context import PluginContext
from jackfield.api.json_values import Json
from jackfield.api.projects import whole_store
from jackfield.api.storage.audit import AuditFilter
from jackfield_audit.settings import AuditSettings
from jackfield_audit.views import as_csv, as_jsonl, shown


def _where(act: str, actor: str, project: str, since: int | None, until: int | None) -> AuditFilter:
    return AuditFilter(act, actor, projects=[project] if project else None, since=since, until=until)


async def listed(
    context: PluginContext, act: str, actor: str, project: str, since: int | None, until: int | None, limit: int
) -> list[dict[str, Json]]:
    where = _where(act, actor, project, since, until)
    rows = await whole_store(context.store).audit_rows(where, after=None, limit=limit, newest_first=True)
    return [shown(row) for row in rows]


async def exported(
    context: PluginContext,
    act: str,
    actor: str,
    project: str,
    since: int | None,
    until: int | None,
    form: str,
    output: BinaryIO,
) -> dict[str, bool]:
    """cut: whether there may be more. Nothing else goes on in this process, so that writing may block."""
    limit, lines = context.settings(AuditSettings).export_limit, 0
    where = _where(act, actor, project, since, until)
    parts = (as_csv if form == "csv" else as_jsonl)(whole_store(context.store), where, limit)
    async for part in parts:
        output.write(part)
        lines += part.count(b"\n")
    output.flush()
    return {"cut": lines - (form == "csv") >= limit}
