"""The node types formTrigger and form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field, JsonValue

from jackfield.api.context import PluginContext
from jackfield.api.form_rows import FormRows
from jackfield.api.jsontext import Json
from jackfield.api.nodes import (
    NodeCredential,
    NodeDescription,
    NodeError,
    NodeResult,
    NodeRun,
    NodeType,
    Parameters,
    Suspend,
    needed,
)
from jackfield.api.nodes.items import pass_all
from jackfield.api.nodes.running import ModelNode, PassingNode
from jackfield.api.nodes.ui import UiFields
from jackfield_forms.form import FORM, TRIGGER, WITH_FIELDS
from jackfield_forms.pages import read_page
from jackfield_forms.settings import FormSettings

VERSIONS = (1, 2, 2.1, 2.2, 2.3, 2.4, 2.5)


class _WithFields(Parameters):
    ui_fields: ClassVar[UiFields] = WITH_FIELDS

    form_title: str = Field("", description="Heading of the page.")
    form_description: str = Field("", description="Text below the heading.")
    define_form: str = Field("fields", description="fields, or json: the list of fields is in jsonOutput.")
    form_fields: FormRows = Field(default_factory=FormRows, description="The fields, from top to bottom.")
    json_output: JsonValue = Field(None, description="The fields as JSON.")
    options: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="path, buttonLabel, customCss, respondWithOptions, ipWhitelist, ignoreBots, formTitle, "
        "formDescription, formSubmittedText.",
    )


class FormTriggerParameters(_WithFields):
    ui_fields: ClassVar[UiFields] = TRIGGER
    ui_order: ClassVar[Sequence[str]] = (
        "authentication",
        "formTitle",
        "formDescription",
        "defineForm",
        "formFields",
        "jsonOutput",
    )

    path: str = Field("", description="Path below /form; empty: the node's webhookId.")
    authentication: str = Field("none", description="none or basicAuth (a credential httpBasicAuth).")
    response_mode: str = Field(
        "onReceived", description="When the last page is shown: onReceived, lastNode, responseNode."
    )


class FormParameters(_WithFields):
    ui_fields: ClassVar[UiFields] = FORM
    ui_order: ClassVar[Sequence[str]] = ("operation",)

    operation: str = Field("page", description="page: the next page; completion: the last one.")
    respond_with: str = Field("text", description="Of the last page: text, redirect or showText.")
    completion_title: str = Field(
        "",
        description="Heading of the last page.",
        json_schema_extra=needed({"operation": ["completion"], "respondWith": ["text", "returnBinary"]}),
    )
    completion_message: str = Field("", description="Text of the last page.")
    response_text: str = Field("", description="Text of the last page with showText.")
    redirect_url: str = Field(
        "",
        description="Address (http or https) that the browser is sent to.",
        json_schema_extra=needed({"operation": ["completion"], "respondWith": ["redirect"]}),
    )
    limit_wait_time: bool = Field(False, description="Whether the workflow goes on without a submission.")
    limit_type: str = Field("afterTimeInterval", description="Of the limit; only afterTimeInterval.")
    resume_amount: float = Field(1, ge=0, le=1e6, description="The limit, in units.")
    resume_unit: str = Field("hours", description="seconds, minutes, hours or days.")


def form_trigger() -> PassingNode:
    """Where a workflow starts that a submitted form runs."""
    description = NodeDescription(
        "Form Trigger",
        "Starts when its web form is sent.",
        "trigger",
        inputs=0,
        trigger=True,
        help="forms#forms",
        credentials=(NodeCredential("httpBasicAuth", when={"authentication": ("basicAuth",)}),),
    )
    return PassingNode("formTrigger", VERSIONS, description, FormTriggerParameters)


_UNITS_MS = {"seconds": 1000, "minutes": 60_000, "hours": 3_600_000, "days": 86_400_000}
_TOLD = (
    *("operation", "formTitle", "formDescription", "defineForm", "formFields", "jsonOutput", "options", "respondWith"),
    *("completionTitle", "completionMessage", "responseText", "redirectUrl"),
)


class FormNode(ModelNode):
    """A further page of a form: the execution waits until it is sent, or until the last page was looked at."""

    kind = "form"
    versions: Sequence[float] = VERSIONS
    description = NodeDescription("Form", "Shows the next or the last page of a form.", "flow", help="forms#forms")
    model = FormParameters

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def execute(self, run: NodeRun) -> NodeResult:
        parameters: FormParameters = await run.resolve_first()
        told = _told(parameters)
        last = parameters.operation == "completion"
        if not last:
            try:
                read_page(told)
            except ValueError as exc:
                raise NodeError(f"The parameter formFields is not valid: {exc}") from None
        call: dict[str, Json] = {"kind": "form", "page": "completion" if last else "page", "parameters": told}
        return Suspend(self._until(parameters, last), pass_all(run.items), call)

    def _until(self, parameters: FormParameters, last: bool) -> int | None:
        now = self._context.clock.now_ms()
        if last:
            return now + round(self._context.settings(FormSettings).completion_wait * 1000)
        if not parameters.limit_wait_time:
            return None
        return now + round(parameters.resume_amount * _UNITS_MS.get(parameters.resume_unit, 3_600_000))


def _told(parameters: FormParameters) -> dict[str, Json]:
    values: dict[str, Json] = parameters.model_dump(mode="json", by_alias=True)
    return {name: values[name] for name in _TOLD if name in values}


def node_types(context: PluginContext) -> Sequence[NodeType]:
    return [form_trigger(), FormNode(context)]


def node(context: PluginContext, kind: str) -> NodeType:
    """The node of this kind."""
    return next(node for node in node_types(context) if node.kind == kind)
