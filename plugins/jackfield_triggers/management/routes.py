"""`/workflows/{id}/triggers`: what a workflow's triggers did, when they ask next, and a test event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from quart import Blueprint, Response

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import Conflict, InvalidInput, NotFound, UpstreamFailed
from jackfield.api.http import json_response, operation, parse_model, principal, read_json
from jackfield.api.n8n_api import SERVICE_PREFIX
from jackfield.api.object_references import load
from jackfield.api.workflows import Node, Workflow
from jackfield_triggers.management.fetching import fetch_test_event
from jackfield_triggers.management.standings import standings

if TYPE_CHECKING:
    from jackfield_triggers.management.schemas import TestEventAsked

TAGS = ("workflows",)


def schema(name: str) -> str:
    """Where the model of this name is, which is loaded with the first request that needs it."""
    return f"jackfield_triggers.management.schemas:{name}"


class TriggerRoutes:
    """Views of one workflow's triggers."""

    name = "workflow_triggers"

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def blueprint(self) -> Blueprint:
        made = Blueprint(self.name, __name__, url_prefix=SERVICE_PREFIX)
        made.add_url_rule("/workflows/<workflow_id>/triggers", view_func=self.list_triggers, methods=["GET"])
        made.add_url_rule("/workflows/<workflow_id>/triggers/test", view_func=self.test_trigger, methods=["POST"])
        return made

    @operation(
        "List the triggers of a workflow that ask services, that services send events to, or that hold a connection, "
        "with their last event, their next poll or renewal, since when they are connected, and their last error",
        operation_id="listWorkflowTriggers",
        scope="workflows:read",
        response=schema("TriggersShown"),
        tags=TAGS,
        errors=(NotFound,),
    )
    async def list_triggers(self, workflow_id: str) -> Response:
        workflow = await self._context.port(WorkflowReader).load(workflow_id)
        return json_response({"data": await standings(self._context, workflow)})

    @operation(
        "Fetch a test event of a trigger: the newest item that it would ask for, or the next event that its service "
        "sends to a test address or over a connection; nothing starts",
        operation_id="fetchTestEvent",
        scope="workflows:execute",
        request=schema("TestEventAsked"),
        response=schema("TestEventShown"),
        tags=TAGS,
        errors=(NotFound, Conflict, UpstreamFailed),
    )
    async def test_trigger(self, workflow_id: str) -> Response:
        principal().require("credentials:write")
        asked = cast("TestEventAsked", parse_model(load(schema("TestEventAsked")), await read_json()))  # type: ignore[arg-type]  # a model
        workflow = await self._context.port(WorkflowReader).load(workflow_id)
        items = await fetch_test_event(self._context, workflow, _node(workflow, asked.node), asked.seconds)
        return json_response({"items": items})


def _node(workflow: Workflow, name: str) -> Node:
    found = workflow.nodes.get(name)
    if found is None:
        raise InvalidInput("There is no such node.", details={"node": "give the name of a trigger of the workflow"})
    return found


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    return [TriggerRoutes(context).blueprint()]
