"""GraphQL: sends queries over HTTP, through the guarded client. Source: the GraphQL over HTTP specification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import Authorization, HttpBody, HttpCall, HttpClient, HttpReply, Pairs
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import (
    CREDENTIAL_ROWS,
    NodeCredential,
    NodeDescription,
    NodeError,
    NodeParameters,
    NodeResult,
    NodeRun,
    Parameters,
    needed,
)
from jackfield.api.nodes.items import new_items
from jackfield.api.nodes.running import made_per_item
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Items
from jackfield_integrations.form import GRAPHQL
from jackfield_integrations.node import IntegrationNode
from jackfield_integrations.parameters import Text

KINDS: Mapping[str, str] = {
    "basicAuth": "httpBasicAuth",
    "bearerAuth": "httpBearerAuth",
    "customAuth": "httpCustomAuth",
    "digestAuth": "httpDigestAuth",
    "headerAuth": "httpHeaderAuth",
    "oAuth1": "oAuth1Api",
    "oAuth2": "oAuth2Api",
    "queryAuth": "httpQueryAuth",
}
"""The parameter authentication -> kind of credential."""


class HeaderRow(Parameters):
    name: Text = ""
    value: Text = ""


class HeaderRows(Parameters):
    parameter: list[HeaderRow] = Field(default_factory=list, json_schema_extra=CREDENTIAL_ROWS)


class GraphQl(Parameters):
    """Version 1.1."""

    ui_fields: ClassVar[UiFields] = GRAPHQL

    authentication: str = "none"
    request_method: Literal["GET", "POST"] = "POST"
    endpoint: Text = Field("", json_schema_extra=needed())
    allow_unauthorized_certs: bool = Field(False, description="Accept any certificate; insecure.")
    request_format: Literal["graphql", "json"] = "json"
    query: Text = Field("", json_schema_extra=needed())
    variables: object = Field("", description="An object, or its JSON.")
    operation_name: Text = ""
    response_format: Literal["json", "string"] = "json"
    data_property_name: Text = Field("data", description="The field that gets the answer as text.")
    header_parameters_ui: HeaderRows = Field(default_factory=HeaderRows)

    @classmethod
    def json_templates(cls, parameters: Mapping[str, Json]) -> tuple[str, ...]:
        return ("variables",)

    def call(self) -> HttpCall:
        """The request without its credential. Raises `NodeError`."""
        if not self.query.strip():
            raise NodeError("The parameter query is empty.")
        headers: Pairs = [("accept", "application/json")]
        headers += [(row.name, row.value) for row in self.header_parameters_ui.parameter if row.name]
        query: Pairs = []
        body: HttpBody | None = None
        if self.request_method == "GET":
            query = [(name, value if isinstance(value, str) else dumps(value).decode()) for name, value in self._sent()]
        elif self.request_format == "graphql":
            body = HttpBody(self.query.encode("utf-8", "replace"), "application/graphql")
        else:
            body = HttpBody(dumps(dict(self._sent())), "application/json")
        verify = not self.allow_unauthorized_certs
        return HttpCall(self.request_method, self.endpoint, query=query, headers=headers, body=body, verify=verify)

    def _sent(self) -> list[tuple[str, Json]]:
        made: list[tuple[str, Json]] = [("query", self.query)]
        if variables := self._variables():
            made.append(("variables", variables))
        if self.operation_name:
            made.append(("operationName", self.operation_name))
        return made

    def _variables(self) -> dict[str, Json]:
        given = self.variables
        if isinstance(given, str):
            try:
                given = loads(given) if given.strip() else {}
            except InvalidInput:
                raise NodeError("The parameter variables is not valid JSON.") from None
        if not isinstance(given, dict):
            raise NodeError("The parameter variables must be an object.")
        return given


class GraphQl1(GraphQl):
    """Version 1."""

    request_format: Literal["graphql", "json"] = "graphql"


class GraphQlNode(IntegrationNode):
    """An answer with errors fails its item, whatever data it has."""

    kind = "graphql"
    versions: Sequence[float] = (1, 1.1)
    description = NodeDescription(
        "GraphQL",
        "Sends GraphQL queries.",
        "network",
        credentials=tuple(NodeCredential(kind, when={"authentication": (how,)}) for how, kind in KINDS.items()),
    )

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return GraphQl1 if version == 1 else GraphQl

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[GraphQl] = await run.resolve()
        known: dict[str, Authorization | None] = {"none": None}

        async def one(index: int, wanted: GraphQl) -> Items:
            how = wanted.authentication
            if how not in known:
                if how not in KINDS:
                    raise NodeError(f"The authentication {how!r} is unknown; use one of none, {', '.join(KINDS)}.")
                known[how] = await run.authorization(KINDS[how])
            reply = await self._context.port(HttpClient).send(wanted.call(), known[how])
            return new_items(answered(wanted, reply), index)

        return [await made_per_item(run, resolved, one)]


def answered(wanted: GraphQl, reply: HttpReply) -> list[dict[str, Json]]:
    """The answer's items. Raises `NodeError` for failures, of HTTP and of GraphQL."""
    text = reply.body.decode("utf-8", "replace")
    try:
        found = loads(reply.body)
    except InvalidInput:
        found = None
    if isinstance(found, dict) and found.get("errors"):
        raise NodeError(_masked(f"The server answers with errors: {_messages(found['errors'])}", reply))
    if not 200 <= reply.status < 300:
        raise NodeError(f"The server answers with status {reply.status} {reply.reason}.".replace(" .", "."))
    if wanted.response_format == "string":
        return [{wanted.data_property_name or "data": text}]
    if not isinstance(found, dict | list):
        raise NodeError("The server's answer is not a JSON object.")
    rows = found if isinstance(found, list) else [found]
    return [row if isinstance(row, dict) else {"data": row} for row in rows]


def _messages(errors: Json) -> str:
    listed = errors if isinstance(errors, list) else [errors]
    told = [str(error.get("message") or "no message") if isinstance(error, dict) else str(error) for error in listed]
    return "; ".join(told[:5])[:500]


def _masked(text: str, reply: HttpReply) -> str:
    for secret in reply.secrets:
        text = text.replace(secret, "***") if secret else text
    return text


def node(context: PluginContext) -> GraphQlNode:
    return GraphQlNode(context)
