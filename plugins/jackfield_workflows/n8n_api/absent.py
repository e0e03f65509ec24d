"""Parts of n8n's API that Jackfield does not have: each says so, and what to use."""

from __future__ import annotations

import re

from quart import Blueprint, Response

from jackfield.api.audit import UNRECORDED
from jackfield.api.errors import NotFound, NotSupported
from jackfield.api.http import operation
from jackfield.api.n8n_api import ABSENT_RULE, N8N_PREFIX

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
PARTS: tuple[tuple[str, str], ...] = (
    (
        r"source-control",
        "Jackfield has no source control in n8n's API; use jackfield git.",
    ),
    (r"n8n-packages", "Jackfield has no packages of workflows; use jackfield workflow export."),
    (r"community-packages", "Jackfield has no community packages in n8n's API; use jackfield community-nodes."),
    (r"settings", "Jackfield is set up in config.toml, not over this API."),
    (r"(node-type-policies|promotions)", "Jackfield has no policies and no promotions."),
    (r"(role-mapping-rules|roles)", "Jackfield has the roles viewer, member and admin, and no others."),
    (r"insights", "Of n8n's insights Jackfield has the summary alone; see GET /api/v1/insights for more."),
    (r"discover", "Jackfield describes its API at /openapi.json."),
    (r"workflows/[^/]+/(un)?archive", "Jackfield has no archive; deactivate the workflow, or delete it."),
    (r"workflows/[^/]+/test-runs", "Jackfield has its own evaluations: see /api/v1/evaluations."),
    (r"executions/[^/]+/tags", "Jackfield has no tags of executions."),
    (r"projects", "Jackfield has no folders in n8n's API: see /api/v1/folders."),
)
"""Path below the prefix, with all that is below it, and the answer. The first that fits counts."""


def absent_parts() -> Blueprint:
    """One operation for all of them, and one for an address that Jackfield has itself, for something else."""
    made = Blueprint("n8n_absent", __name__, url_prefix=N8N_PREFIX)

    @made.route(ABSENT_RULE, methods=METHODS)
    @operation(
        "Say what Jackfield does not have",
        operation_id="refuseAbsentPart",
        scope=None,
        query="jackfield.api.http:AnyQuery",
        tags=("not in Jackfield",),
        errors=(NotSupported,),
        act=UNRECORDED,
    )
    async def refuse(absent: str) -> Response:
        for pattern, text in PARTS:
            if re.fullmatch(rf"{pattern}(/.*)?", absent):
                raise NotSupported(text)
        raise NotFound("There is nothing at this address.")

    return made
