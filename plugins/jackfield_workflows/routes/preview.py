"""`/expressions`: what expressions may be made of, and what they give on the data of an execution."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

from quart import Response

from jackfield.api.audit import UNRECORDED
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.engine import PreviewRequest
from jackfield.api.errors import InvalidInput, NotFound
from jackfield.api.expressions import ExpressionMember, ExpressionVocabulary
from jackfield.api.http import json_response, operation, parse_model, principal, read_json
from jackfield.api.jsontext import Json
from jackfield.api.large_json import off_loop
from jackfield.api.object_references import load
from jackfield.api.workflows import Workflow
from jackfield_workflows.documents.secret_parameters import SecretParameters
from jackfield_workflows.routes.groups import Route, payload, schema

if TYPE_CHECKING:
    from jackfield_workflows.history.previews import Previews
    from jackfield_workflows.routes.schemas_preview import PreviewBody


TAGS = ("workflows",)
PREVIEWS = "jackfield_workflows.history.previews:Previews"
"""Most daemons have no editor that asks."""


def _shown(members: Sequence[ExpressionMember]) -> list[Json]:
    return [
        {
            "name": member.name,
            "arguments": member.arguments,
            "returns": member.returns,
            "help": member.help,
            "example": member.example,
            "result": member.result,
        }
        for member in members
    ]


class PreviewRoutes:
    """Views for editors."""

    name = "expression_preview"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._secrets = SecretParameters(context)

    @cached_property
    def _previews(self) -> Previews:
        return cast("type[Previews]", load(PREVIEWS))(self._context)

    def routes(self) -> Sequence[Route]:
        return (
            ("GET", "/expressions/vocabulary", self.get_expression_vocabulary),
            ("POST", "/expressions/preview", self.preview),
        )

    @operation(
        "List what values of expressions offer, by type: methods and properties, with a sentence and an example",
        scope="workflows:read",
        response=schema("VocabularyShown", "schemas_preview"),
        tags=TAGS,
        errors=(NotFound,),
    )
    async def get_expression_vocabulary(self) -> Response:
        found = self._context.find_port(ExpressionVocabulary)
        if found is None:
            raise NotFound("No plugin that is loaded tells what expressions offer; jackfield_javascript does.")
        return json_response({"types": {kind: _shown(members) for kind, members in (await found.members()).items()}})

    @operation(
        "Evaluate expressions of a node on the data of an execution; nothing runs and nothing is stored",
        operation_id="previewExpression",
        scope="workflows:execute",
        request=schema("PreviewBody", "schemas_preview"),
        response=schema("PreviewShown", "schemas_preview"),
        tags=TAGS,
        errors=(NotFound,),
        act=UNRECORDED,
    )
    async def preview(self) -> Response:
        body: PreviewBody = parse_model(payload("PreviewBody", "schemas_preview"), await read_json())
        if body.executionId is not None:
            principal().require("executions:read")
        workflow = await self._workflow(body)
        wanted = PreviewRequest(workflow, body.node, body.item, body.templates)
        return json_response(await self._previews.evaluate(wanted, body.executionId))

    async def _workflow(self, body: PreviewBody) -> Workflow:
        document = body.workflow
        if document is not None:
            return await off_loop(
                document, lambda: self._context.port(WorkflowReader).parse(document, id=body.workflowId)
            )
        if body.workflowId is not None:
            return self._secrets.hidden(await self._context.port(WorkflowReader).load(body.workflowId))
        details = {"workflow": "give a document here, or the id of a saved one as workflowId"}
        raise InvalidInput("The body names no workflow.", details=details)
