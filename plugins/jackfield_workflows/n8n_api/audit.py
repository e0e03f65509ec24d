"""n8n's `/audit`: what of the stored workflows and credentials is worth a look."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import DataDamaged
from jackfield.api.http import json_response, operation, parse_model
from jackfield.api.storage import ExecutionFilter, StoredWorkflow, WorkflowFilter
from jackfield_workflows.n8n_api.findings import CATEGORIES, AuditFindings
from jackfield_workflows.n8n_api.forms import n8n_model, n8n_schema
from jackfield_workflows.routes.groups import Route
from jackfield_workflows.routes.requests import read_optional_json

if TYPE_CHECKING:
    from jackfield_workflows.n8n_api.schemas import AuditBody

PAGE = 100
DAYS = 90
"""Without an execution for so long, a workflow is abandoned."""
DAY_MS = 86_400_000


class N8nAudit:
    """Looks at one workflow after the other; nothing of them is kept but what is found."""

    name = "n8n_audit"

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def routes(self) -> Sequence[Route]:
        return (("POST", "/audit", self.audit),)

    @operation(
        "Report unused credentials, risky nodes and open webhooks",
        operation_id="generateAudit",
        scope="admin",
        request=n8n_schema("AuditBody"),
        response=n8n_schema("AuditShown"),
        tags=("n8n audit",),
        body_optional=True,
        act="daemon.audit",
    )
    async def audit(self) -> Response:
        body: AuditBody = parse_model(n8n_model("AuditBody"), await read_optional_json())
        options = body.additional_options
        days = (options and options.days_abandoned_workflow) or DAYS
        since = self._context.clock.now_ms() - days * DAY_MS
        findings = AuditFindings(days)
        store, offset = self._context.store, 0
        while True:
            found = await store.workflows(WorkflowFilter(), offset=offset, limit=PAGE)
            for row in found.rows:
                await self._look(row.id, findings, since)
            offset += len(found.rows)
            if not found.rows or offset >= found.total:
                break
        offset = 0
        while True:
            credentials = await store.credentials(offset, PAGE)
            findings.add_credentials(credentials.rows)
            offset += len(credentials.rows)
            if not credentials.rows or offset >= credentials.total:
                break
        return json_response(findings.report((options and options.categories) or CATEGORIES))

    async def _look(self, workflow_id: str, findings: AuditFindings, since: int) -> None:
        try:
            stored: StoredWorkflow | None = await self._context.store.workflow(workflow_id)
        except DataDamaged:
            return
        if stored is None:
            return
        ran = await self._context.store.executions(ExecutionFilter(workflow_id, since=since), offset=0, limit=1)
        await asyncio.to_thread(findings.add_workflow, stored, ran=ran.total > 0)
