"""The node type `webhook`: a trigger. The run loop executes it only in a run by hand, where it passes its input on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, JsonValue, WithJsonSchema

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeParameters, NodeResult, NodeRun
from jackfield.api.nodes.fields import fields_of
from jackfield.api.nodes.forms import NodeField
from jackfield.api.nodes.items import pass_all
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Node
from jackfield_webhooks.auth_form import auth_fields, described
from jackfield_webhooks.authentication.presets import PresetCatalog
from jackfield_webhooks.form import EXPORTED, WEBHOOK
from jackfield_webhooks.parameters import KINDS, SECRET_PATHS, read


def _upper(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


def _kind(value: object) -> object:
    if value in (None, ""):
        return "none"
    if isinstance(value, str) and value in KINDS:
        return value
    raise ValueError(f"authentication must be one of {', '.join(dict.fromkeys(KINDS.values()))}")


Method = Annotated[Literal["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"], BeforeValidator(_upper)]
Authentication = Annotated[
    str, BeforeValidator(_kind), WithJsonSchema({"type": "string", "enum": list(dict.fromkeys(KINDS.values()))})
]


class WebhookParameters(NodeParameters):
    """Without typeVersion: the specification's defaults."""

    ui_fields: ClassVar[UiFields] = WEBHOOK
    ui_order: ClassVar[Sequence[str]] = (
        "httpMethod",
        "path",
        "authentication",
        "authConfig",
        "responseMode",
        "responseData",
    )

    path: str = Field(description="Path below /webhook; a segment `:name` takes any one segment.", min_length=1)
    httpMethod: Method | list[Method] = Field("POST", description="Method or methods that start the workflow.")  # noqa: N815 - the document's own name
    multipleMethods: bool = Field(False, description="One output per method.")  # noqa: N815
    authentication: Authentication = Field("none", description="How a caller proves that it may call.")
    authConfig: dict[str, JsonValue] = Field(  # noqa: N815
        default_factory=dict,
        description="headerName and headerValue; username and password; secret, preset or header, algorithm, encoding.",
    )
    responseMode: Literal["onReceived", "lastNode", "responseNode", "streaming"] = Field(  # noqa: N815
        "onReceived",
        description="When the call is answered: at once, at the end, by a Respond to Webhook node, or in chunks while "
        "nodes run.",
    )
    responseData: Literal["allEntries", "firstEntryJson", "firstEntryBinary", "noData"] = Field(  # noqa: N815
        "allEntries", description="The data with which lastNode answers."
    )
    responseCode: int | str = Field(200, description="Status of the answer, 200 to 599.")  # noqa: N815
    responseBinaryPropertyName: str = Field("data", description="The file that firstEntryBinary answers with.")  # noqa: N815
    options: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="allowedOrigins, binaryPropertyName, ignoreBots, ipWhitelist, noResponseBody, rawBody, "
        "responseCode, responseContentType, responseData, responseHeaders, responsePropertyName.",
    )

    @classmethod
    def secret_paths(cls) -> Collection[str]:
        return SECRET_PATHS


class ExportedWebhookParameters(WebhookParameters):
    """With typeVersion: n8n's defaults."""

    ui_fields: ClassVar[UiFields] = EXPORTED

    path: str = Field("", description="Path below /webhook; empty: the node's webhookId.")
    httpMethod: Method | list[Method] = Field("GET", description="Method or methods that start the workflow.")  # noqa: N815
    responseData: Literal["allEntries", "firstEntryJson", "firstEntryBinary", "noData"] = Field(  # noqa: N815
        "firstEntryJson", description="The data with which lastNode answers."
    )


class WebhookNode:
    """A call of `/webhook/{path}` starts the workflow here."""

    kind = "webhook"
    versions: Sequence[float] = (1, 1.1, 2, 2.1)
    effect = False
    description = NodeDescription(
        "Webhook",
        "Starts the workflow when its address is called.",
        "trigger",
        inputs=0,
        trigger=True,
        help="webhooks#the-node",
        credentials=(
            NodeCredential("httpHeaderAuth", required=False, when={"authentication": ("headerAuth",)}),
            NodeCredential("httpBasicAuth", required=False, when={"authentication": ("basicAuth",)}),
            NodeCredential("hmacAuth", required=False, when={"authentication": ("hmac",)}),
            NodeCredential("jwtAuth", required=False, when={"authentication": ("jwtAuth", "jwt")}),
        ),
    )

    def __init__(self, context: PluginContext) -> None:
        presets = context.port(PresetCatalog)
        self._presets = presets
        self._plain = described(WebhookParameters, presets)
        self._exported = described(ExportedWebhookParameters, presets)

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return self._plain if version is None else self._exported

    def form(self, version: float | None) -> Sequence[NodeField]:
        found = fields_of(self.parameters(version))
        details = auth_fields(list(self._presets.all()))
        return [
            field.model_copy(update={"fields": details}) if field.name == "authConfig" else field for field in found
        ]

    def outputs(self, node: Node) -> int:
        return max(1, len(read(node).methods))

    async def execute(self, run: NodeRun) -> NodeResult:
        return [*pass_all(run.items), *([] for _ in range(self.outputs(run.node) - 1))]
