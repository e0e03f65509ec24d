"""Respond to Webhook: answers the waiting call; the run goes on.

Parameters are evaluated for the first item only. Headers are made safe: a value from a request can neither add a header
nor run in the daemon's origin.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Literal, cast

from pydantic import Field

from jackfield.api.binary import Content
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import (
    NodeAnswer,
    NodeCredential,
    NodeDescription,
    NodeError,
    NodeParameters,
    NodeResult,
    NodeRun,
    Parameters,
    needed,
)
from jackfield.api.nodes.files import file_of, sendable
from jackfield.api.nodes.items import new_item, pass_all
from jackfield.api.nodes.running import made_at_once
from jackfield.api.nodes.ui import UiFields
from jackfield.api.object_references import load
from jackfield.api.workflows import Item, Node, Outputs
from jackfield_nodes.flow.form import RESPOND, RESPOND_OPTIONS
from jackfield_nodes.values.conversions import text_of, to_object
from jackfield_nodes.values.fixed import mistake, to_address
from jackfield_nodes.values.parameters import NameValue
from jackfield_nodes.values.paths import set_path

SIGNED_ANSWER = "jackfield_nodes.flow.answer_tokens:signed_token"
"""Its library is loaded with the first token."""
JSON_TYPE = "application/json; charset=utf-8"
EXAMPLE: Mapping[str, Json] = {"myField": "value"}
"""The body of `json` when the document has none."""
TEXT_TYPE = "text/html; charset=utf-8"
_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]+")
_SERVERS_OWN = frozenset(
    {"connection", "content-length", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "x-request-id"}
)
STREAMS_FROM = 1.5
"""The node's first version with the option enableStreaming."""
_ACTIVE_TYPES = ("html", "xml", "svg")
SANDBOX = "sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts"
"""Pages of a workflow may run, but in their own origin."""


FIXED: Mapping[str, tuple[str, Callable[[object], object], str]] = {
    "jwt": ("payload", to_object, "one JSON object"),
    "redirect": ("redirectURL", to_address, "an address such as https://example.com/"),
}
"""respondWith -> the parameter that must fit before the workflow starts."""


class Entries(Parameters):
    entries: list[NameValue] = Field(default_factory=list)


class RespondOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = RESPOND_OPTIONS

    response_code: int | None = Field(
        None, ge=100, le=599, description="200 to 599; 200, or 307 for a redirect, unless given."
    )
    response_headers: Entries = Field(default_factory=Entries)
    response_key: str = Field("", description="Put the items into this field of the answer.")
    enable_streaming: bool = Field(
        True, description="From version 1.5 on: send the answer in chunks to a caller in the mode streaming."
    )


class Respond(Parameters):
    ui_fields: ClassVar[UiFields] = RESPOND

    respond_with: Literal[
        "firstIncomingItem", "allIncomingItems", "json", "text", "noData", "binary", "redirect", "jwt"
    ] = Field("firstIncomingItem", description="The answer to the caller.")
    response_body: object = Field(None, description="json: a value or its JSON text; text: the text.")
    redirect_url: str | None = Field(
        "",
        alias="redirectURL",
        description="Where a redirect leads.",
        json_schema_extra=needed({"respondWith": ["redirect"]}),
    )
    response_data_source: Literal["automatically", "set"] = Field(
        "automatically", description="binary: the first file of the item, or the one that inputFieldName names."
    )
    input_field_name: str = Field(
        "data",
        description="binary: the field that has the file.",
        json_schema_extra=needed({"respondWith": ["binary"], "responseDataSource": ["set"]}),
    )
    payload: object = Field('{"myField": "value"}', description="jwt: the claims, an object or its JSON text.")
    enable_response_output: bool = Field(False, description="A second output with the answer (from version 1.4 on).")
    options: RespondOptions = Field(default_factory=RespondOptions)

    @classmethod
    def obstacles(cls, parameters: Mapping[str, Json]) -> Mapping[str, str]:
        found = dict(super().obstacles(parameters))
        chosen = FIXED.get(str(parameters.get("respondWith")))
        if chosen and (told := mistake(parameters.get(chosen[0]), *chosen[1:])):
            found.setdefault(chosen[0], told)
        return found


def json_body(value: object) -> Json:
    """The value of a JSON answer. Raises `NodeError`."""
    if not isinstance(value, str):
        return value  # type: ignore[return-value]  # resolved parameters are JSON
    if not value.strip():
        return None
    try:
        return loads(value)
    except InvalidInput as exc:
        reason = (exc.details or {}).get("body", exc.message)
        raise NodeError(f"The parameter responseBody is not valid JSON: {reason}.", item=0) from None


def keyed(value: Json, key: str) -> Json:
    """The value inside of a field, or as it is without a key. Raises `NodeError`."""
    if not key:
        return value
    wrapped: dict[str, Json] = {}
    try:
        set_path(wrapped, key, value)
    except ValueError as exc:
        raise NodeError(f"The option responseKey does not name a field: {exc}.") from None
    return wrapped


class AnswerDraft:
    """One answer while it is built."""

    def __init__(self, parameters: Respond) -> None:
        self.parameters = parameters
        self.headers = AnswerHeaders()
        for entry in parameters.options.response_headers.entries:
            self.headers.add(entry.name, text_of(entry.value))
        self.status = checked_status(parameters.options.response_code or 200)
        self.body: Content = b""
        self.shown: Json = None
        """The body as the response output shows it."""

    def set_json(self, value: Json) -> None:
        self.shown = value
        self.body = dumps(value)
        self.headers.default("content-type", JSON_TYPE)

    def set_text(self, text: str) -> None:
        self.shown = text
        self.body = text.encode("utf-8", "replace")
        self.headers.default("content-type", TEXT_TYPE)

    async def set_file(self, run: NodeRun) -> None:
        """The file of the first item. Raises `NodeError`."""
        item: Item = run.items[0] if run.items else {"json": {}}
        name = self.parameters.input_field_name
        if self.parameters.response_data_source == "automatically":
            name = next(iter(item.get("binary") or {}), name)
        file = file_of(item, name, 0)
        self.body = await sendable(run, item, name, 0)
        self.headers.default("content-type", file.get("mimeType") or "application/octet-stream")

    def set_redirect(self) -> None:
        target = (self.parameters.redirect_url or "").strip()
        if not target:
            raise NodeError("The parameter redirectURL is empty; say where the redirect leads.", item=0)
        self.status = checked_status(self.parameters.options.response_code or 307)
        self.headers.replace("location", target)

    def finished(self) -> NodeAnswer:
        return NodeAnswer(self.status, self.headers.listed(), self.body)


class RespondNode:
    """Answers once per execution; a later answer is ignored."""

    kind = "respondToWebhook"
    versions: Sequence[float] = (1, 1.1, 1.2, 1.3, 1.4, 1.5)
    description = NodeDescription(
        "Respond to Webhook",
        "Answers the call that started the run.",
        "output",
        help="webhooks#the-answer",
        credentials=(NodeCredential("jwtAuth", when={"respondWith": ("jwt",)}),),
    )
    effect = False

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return Respond

    def outputs(self, node: Node) -> int:
        version = node.version or 1.0
        return 2 if version == 1.3 or (version >= 1.4 and node.parameters.get("enableResponseOutput") is True) else 1

    def streams(self, node: Node) -> bool:
        """n8n sends all items in chunks in every version, and without a look at the option."""
        if node.parameters.get("respondWith") == "allIncomingItems":
            return True
        options = node.parameters.get("options")
        wanted = not isinstance(options, dict) or options.get("enableStreaming") is not False
        return wanted and (node.version or 1.0) >= STREAMS_FROM

    async def execute(self, run: NodeRun) -> NodeResult:
        async def work() -> Outputs:
            answer = await self._answer(run)
            if run.streaming and self.streams(run.node):
                await _stream(run, answer)
            shown = [[new_item(_shown(answer), 0)]] if self.outputs(run.node) == 2 else []
            run.answer(answer.finished())
            return [*pass_all(run.items), *shown]

        return await made_at_once(run, work)

    async def _answer(self, run: NodeRun) -> AnswerDraft:
        parameters: Respond = await run.resolve_first()
        answer = AnswerDraft(parameters)
        key = parameters.options.response_key
        match parameters.respond_with:
            case "firstIncomingItem":
                answer.set_json(keyed(run.items[0]["json"] if run.items else {}, key))
            case "allIncomingItems":
                answer.set_json(keyed([item["json"] for item in run.items], key))
            case "json":
                given = "response_body" in parameters.model_fields_set
                answer.set_json(json_body(parameters.response_body) if given else dict(EXAMPLE))
            case "text":
                answer.set_text(text_of(parameters.response_body))
            case "binary":
                await answer.set_file(run)
            case "redirect":
                answer.set_redirect()
            case "jwt":
                signed = cast("Callable[[object, dict[str, str]], str]", load(SIGNED_ANSWER))
                answer.set_json({"token": signed(parameters.payload, dict(await run.credential("jwtAuth")))})
        return answer


async def _stream(run: NodeRun, answer: AnswerDraft) -> None:
    """The answer in chunks, without the option responseKey, as n8n sends it; a file has none."""
    values: Sequence[Json]
    match answer.parameters.respond_with:
        case "firstIncomingItem":
            values = [item["json"] for item in run.items[:1]] or [{}]
        case "allIncomingItems":
            values = [item["json"] for item in run.items]
        case "json" | "text" | "jwt":
            values = [answer.shown]
        case _:
            return
    for index, value in enumerate(values):
        await run.send_chunk("begin", index)
        await run.send_chunk("item", index, value if isinstance(value, str) else dumps(value).decode())
        await run.send_chunk("end", index)


def _shown(answer: AnswerDraft) -> dict[str, Json]:
    headers: dict[str, Json] = dict(answer.headers.listed())
    return {"statusCode": answer.status, "headers": headers, "body": answer.shown}


def node(context: PluginContext) -> RespondNode:
    return RespondNode()


def checked_status(status: int) -> int:
    """Raises `NodeError` for a status that cannot end an answer."""
    if not 200 <= status <= 599:
        raise NodeError(f"The status {status} cannot be answered; use 200 to 599.")
    return status


class AnswerHeaders:
    """Names in lower case. Values are the bytes of their UTF-8 text, one character each."""

    def __init__(self) -> None:
        self._values: dict[str, list[str]] = {}

    def add(self, name: str, value: str) -> None:
        """Adds a header; a name may repeat.

        Control characters in a value become blanks. Headers that belong to the server are left out. Raises `NodeError`
        for a name that is none.
        """
        key = name.strip().lower()
        if not _NAME.fullmatch(key):
            raise NodeError("A response header has a name that is not valid; use letters, digits and '-'.")
        if key not in _SERVERS_OWN:
            self._values.setdefault(key, []).append(_safe(value))

    def replace(self, name: str, value: str) -> None:
        self._values[name] = [_safe(value)]

    def default(self, name: str, value: str) -> None:
        """Set it unless the author did."""
        self._values.setdefault(name, [_safe(value)])

    def listed(self) -> list[tuple[str, str]]:
        """In the order in which they were set, with a sandbox for active content."""
        kind = self._values.get("content-type", [""])[-1].lower()
        if any(active in kind for active in _ACTIVE_TYPES):
            self.default("content-security-policy", SANDBOX)
        return [(name, value) for name, values in self._values.items() for value in values]


def _safe(value: str) -> str:
    return _CONTROL.sub(" ", value).strip().encode("utf-8", "replace").decode("latin-1")
