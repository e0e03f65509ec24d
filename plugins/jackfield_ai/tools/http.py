"""HTTP Request Tool of old versions: `{placeholders}` in address, query, headers and body, which the model fills."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Protocol, cast
from urllib.parse import quote

from pydantic import Field, JsonValue

from jackfield.api.ai import TOOL, Tool, ToolSpec
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import Authorization, HttpBody, HttpCall, HttpClient, HttpReply, Pairs
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import (
    CREDENTIAL_JSON,
    CREDENTIAL_ROWS,
    AttachedNode,
    NodeCredential,
    NodeDescription,
    NodeError,
    Parameters,
)
from jackfield.api.nodes.ui import UiFields
from jackfield.api.object_references import load
from jackfield_ai.nodes import ServingNode
from jackfield_ai.parameters import Text
from jackfield_ai.tools.form import HTTP_TOOL, HTTP_TOOL_FIELD, PLACEHOLDER
from jackfield_ai.tools.toolbox import as_text

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][\w-]{0,63})\}")
_TYPES = {"string": "string", "number": "number", "boolean": "boolean"}
_EXCERPT = 500
_HTML = "jackfield_ai.tools.html:shown"
"""By object reference: few tools read pages, and the parser is large."""


class _Shown(Protocol):
    """`jackfield_ai.tools.html.shown`."""

    def __call__(self, text: str, selector: str, omitted: str, *, only_content: bool) -> str: ...


class HttpToolField(Parameters):
    ui_fields: ClassVar[UiFields] = HTTP_TOOL_FIELD

    name: str = ""
    value_provider: Literal["modelRequired", "modelOptional", "fieldValue"] = "modelRequired"
    value: Text = ""


class HttpToolFields(Parameters):
    values: list[HttpToolField] = Field(default_factory=list, json_schema_extra=CREDENTIAL_ROWS)


class Placeholder(Parameters):
    ui_fields: ClassVar[UiFields] = PLACEHOLDER

    name: str = ""
    description: str = ""
    type: str = "not specified"


class Placeholders(Parameters):
    values: list[Placeholder] = Field(default_factory=list)


class HttpTool(Parameters):
    ui_fields: ClassVar[UiFields] = HTTP_TOOL

    name: str = ""
    tool_description: Text = ""
    method: str = "GET"
    url: Text = ""
    authentication: Literal["none", "predefinedCredentialType", "genericCredentialType"] = "none"
    node_credential_type: str = ""
    generic_auth_type: str = ""
    send_query: bool = False
    specify_query: Literal["keypair", "json", "model"] = "keypair"
    parameters_query: HttpToolFields = Field(default_factory=HttpToolFields)
    json_query: Text = Field("", json_schema_extra=CREDENTIAL_JSON)
    send_headers: bool = False
    specify_headers: Literal["keypair", "json", "model"] = "keypair"
    parameters_headers: HttpToolFields = Field(default_factory=HttpToolFields)
    json_headers: Text = Field("", json_schema_extra=CREDENTIAL_JSON)
    send_body: bool = False
    specify_body: Literal["keypair", "json", "model"] = "keypair"
    parameters_body: HttpToolFields = Field(default_factory=HttpToolFields)
    json_body: Text = ""
    placeholder_definitions: Placeholders = Field(default_factory=Placeholders)
    optimize_response: bool = False
    response_type: Literal["json", "html", "text"] = "json"
    data_field: str = ""
    fields_to_include: Literal["all", "selected", "except"] = "all"
    fields: Text = ""
    css_selector: str = "body"
    only_content: bool = False
    elements_to_omit: str = ""
    truncate_response: bool = False
    max_length: int = 1000
    options: dict[str, JsonValue] = Field(default_factory=dict)

    def credential_kind(self) -> str:
        return {"predefinedCredentialType": self.node_credential_type, "none": ""}.get(
            self.authentication, self.generic_auth_type
        )

    def groups(self) -> list[tuple[str, bool, str, HttpToolFields, str]]:
        """Name, whether it is sent, how it is given, its rows, its JSON."""
        return [
            ("query", self.send_query, self.specify_query, self.parameters_query, self.json_query),
            ("headers", self.send_headers, self.specify_headers, self.parameters_headers, self.json_headers),
            ("body", self.send_body, self.specify_body, self.parameters_body, self.json_body),
        ]


def schema_of(parameters: HttpTool) -> dict[str, Json]:
    """The values that the model has to give."""
    described = {row.name: row for row in parameters.placeholder_definitions.values if row.name}
    names: dict[str, bool] = dict.fromkeys(_PLACEHOLDER.findall(parameters.url), True)
    fields: dict[str, Json] = {}
    for group, sent, how, rows, text in parameters.groups():
        if not sent:
            continue
        if how == "json":
            names |= dict.fromkeys(_PLACEHOLDER.findall(text), True)
        elif how == "model":
            fields[group] = {"type": "object", "description": f"The {group} of the request."}
        for row in rows.values if how == "keypair" else ():
            if row.value_provider == "fieldValue":
                names |= dict.fromkeys(_PLACEHOLDER.findall(row.value), True)
            elif row.name:
                names.setdefault(row.name, row.value_provider == "modelRequired")
    for name in names:
        known = described.get(name)
        kind = _TYPES.get(known.type) if known is not None else None
        fields[name] = {
            **({"type": kind} if kind else {}),
            **({"description": known.description} if known is not None and known.description else {}),
        }
    needed: list[Json] = [name for name, required in names.items() if required]
    return {"type": "object", "properties": fields, **({"required": needed} if needed else {})}


class HttpCaller:
    """`Tool` that sends one request."""

    def __init__(self, context: PluginContext, node: AttachedNode, parameters: HttpTool) -> None:
        self._context = context
        self._node = node
        self._parameters = parameters
        self._authorization: Authorization | None = None
        about = parameters.tool_description or f"Sends a {parameters.method} request."
        self.spec = ToolSpec(parameters.name or node.node.name, about, schema_of(parameters))

    async def call(self, arguments: Mapping[str, Json]) -> Json:
        kind = self._parameters.credential_kind()
        if kind and self._authorization is None:
            self._authorization = await self._node.authorization(kind)
        if self._authorization and not self._authorization.allowed_hosts and _host_is_open(self._parameters.url):
            raise NodeError(
                "The model chooses the host, and the credential may go to any; name its hosts in allowedHosts, or "
                "write the host into the tool's url."
            )
        reply = await self._context.port(HttpClient).send(self._request(arguments), self._authorization)
        if not 200 <= reply.status < 300:
            raise NodeError(f"The server answered {reply.status}: {_text(reply)[:_EXCERPT]}")
        return _optimized(self._parameters, _answer(reply))

    def _request(self, arguments: Mapping[str, Json]) -> HttpCall:
        parameters = self._parameters
        given = {group: self._group(group, arguments) for group, sent, *_ in parameters.groups() if sent}
        body = given.get("body")
        return HttpCall(
            parameters.method,
            _address(parameters.url, arguments),
            query=_pairs(given.get("query")),
            headers=_pairs(given.get("headers")),
            body=HttpBody(dumps(body), "application/json") if body is not None else None,
        )

    def _group(self, wanted: str, arguments: Mapping[str, Json]) -> Json:
        for group, _, how, rows, text in self._parameters.groups():
            if group != wanted:
                continue
            if how == "model":
                return arguments.get(group, {})
            if how == "json":
                return _json(text, arguments, group)
            made: dict[str, Json] = {}
            for row in rows.values:
                if row.value_provider == "fieldValue":
                    made[row.name] = _PLACEHOLDER.sub(lambda m: as_text(arguments.get(m[1], m[0])), row.value)
                elif row.name in arguments:
                    made[row.name] = arguments[row.name]
            return made
        return None


def _address(template: str, arguments: Mapping[str, Json]) -> str:
    """A value of the model cannot leave its place in the address, unless it is the whole address."""
    if match := _PLACEHOLDER.fullmatch(template.strip()):
        return as_text(arguments.get(match[1], ""))
    made = _PLACEHOLDER.sub(lambda m: quote(as_text(arguments.get(m[1], "")), safe="", errors="replace"), template)
    if _climbs(made) and not _climbs(template):
        raise NodeError("An argument of dots alone would lead to another address; give a name.")
    return made


def _climbs(address: str) -> bool:
    path = address.partition("?")[0].partition("#")[0]
    return any(step in (".", "..") for step in path.split("/"))


def _host_is_open(template: str) -> bool:
    """Whether a placeholder is, or is part of, the host."""
    _, found, rest = template.strip().partition("://")
    host = re.split(r"[/?#]", rest if found else template.strip(), maxsplit=1)[0]
    return _PLACEHOLDER.search(host) is not None


def _json(template: str, arguments: Mapping[str, Json], name: str) -> Json:
    """The JSON with its placeholders filled: within a text escaped, elsewhere as JSON. Raises `NodeError`."""
    made: list[str] = []
    place, inside = 0, False
    while place < len(template):
        match = _PLACEHOLDER.match(template, place)
        if match and match[1] in arguments:
            value = arguments[match[1]]
            made.append(dumps(as_text(value)).decode()[1:-1] if inside else dumps(value).decode())
            place = match.end()
            continue
        char = template[place]
        step = 2 if inside and char == "\\" else 1
        inside = inside != (char == '"')
        made.append(template[place : place + step])
        place += step
    try:
        return loads("".join(made))
    except InvalidInput as exc:
        reason = (exc.details or {}).get("body", exc.message)
        raise NodeError(f"The {name} of the request is not JSON: {reason}.") from None


def _pairs(value: Json) -> Pairs:
    return [(name, as_text(one)) for name, one in value.items()] if isinstance(value, dict) else []


def _text(reply: HttpReply) -> str:
    text = reply.body.decode("utf-8", "replace")
    for secret in reply.secrets:
        text = text.replace(secret, "***") if secret else text
    return text


def _answer(reply: HttpReply) -> Json:
    text = _text(reply)
    try:
        return loads(text)
    except InvalidInput:
        return text


def _optimized(parameters: HttpTool, answer: Json) -> Json:
    """Less of it, as the parameters say."""
    if not parameters.optimize_response:
        return answer
    if parameters.response_type == "json":
        return _selected(parameters, answer)
    text = as_text(answer)
    if parameters.response_type == "html":
        shown = cast("_Shown", load(_HTML))
        text = shown(text, parameters.css_selector, parameters.elements_to_omit, only_content=parameters.only_content)
    return text[: max(parameters.max_length, 1)] if parameters.truncate_response else text


def _selected(parameters: HttpTool, answer: Json) -> Json:
    if parameters.data_field and isinstance(answer, dict):
        answer = answer.get(parameters.data_field)
    names = {name.strip() for name in parameters.fields.split(",") if name.strip()}
    if parameters.fields_to_include == "all" or not names:
        return answer
    wanted = parameters.fields_to_include == "selected"

    def row(value: Json) -> Json:
        if not isinstance(value, dict):
            return value
        return {name: one for name, one in value.items() if (name in names) == wanted}

    return [row(one) for one in answer] if isinstance(answer, list) else row(answer)


class HttpToolNode(ServingNode):
    kind = "langchain.toolHttpRequest"
    versions: Sequence[float] = (1, 1.1)
    model = HttpTool
    effect = True
    description = NodeDescription(
        "HTTP Request Tool",
        "Lets an agent send requests of one form.",
        "ai",
        inputs=0,
        provides=TOOL,
        credentials=(
            NodeCredential(parameter="genericAuthType", when={"authentication": ("genericCredentialType",)}),
            NodeCredential(parameter="nodeCredentialType", when={"authentication": ("predefinedCredentialType",)}),
        ),
    )

    async def supply(self, node: AttachedNode, item: int) -> Tool:
        parameters: HttpTool = await node.parameters(item, {})
        return HttpCaller(self._context, node, parameters)


def http(context: PluginContext, kind: str) -> HttpToolNode:
    return HttpToolNode(context)
