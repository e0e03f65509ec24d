"""The keys that a description file may have for nodes and operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from jackfield.api.jsontext import Json
from jackfield.api.nodes.forms import Control

Kind = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9]{0,99}$")]
NodeKind = Annotated[str, StringConstraints(max_length=250, pattern=r"^(@[a-z0-9._~-]+/)?[A-Za-z][A-Za-z0-9._-]*$")]
"""With the package for nodes of other packages than n8n's own: `@acme/n8n-nodes-acme.acme`."""
Scalar: TypeAlias = str | bool | int | float | None
JsonShape: TypeAlias = Any  # any JSON; `shapes.shape_of` checks it


class DescribedPart(BaseModel):
    """Unknown keys are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Parameter(DescribedPart):
    """`type`: `any` is not checked; `locator` is n8n's {__rl, value, mode} or a text. `required`: `reached` where an
    empty one fails its node alone: n8n starts such a workflow. `title`, `help`, `control`, `placeholder`: how the form
    shows it, instead of the words that all nodes share. `words`: an option's value -> its label.
    """

    name: str = Field(min_length=1)
    type: Literal["text", "number", "boolean", "json", "list", "object", "locator", "any"] = "text"
    required: bool | Literal["reached"] = False
    default: Any = None  # of the parameter's type
    options: list[Scalar] = []
    title: str = ""
    help: str = ""
    control: Control | None = None
    placeholder: str = ""
    words: dict[str, str] = {}


class TextPart(DescribedPart):
    """A text that a form has as a file. text, name: templates."""

    text: str
    name: str
    type: str = "text/plain"


class DescribedRequest(DescribedPart):
    """One request.

    `path`: below `base_url`. `url`: instead of both. `body`: a shape. `form`: the same, sent as a form. `files`:
    template of a form field -> template of the name of the item's file. `texts`: form field -> a text that is its file.
    `file`: template of the name of the item's file that is the body. `raw`: template of a text that is the body.
    `encoded`: template of the body in base64. `media_type`: of these, instead of the file's own.
    """

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "COPY", "MOVE", "MKCOL", "PROPFIND"] = "GET"
    path: str = ""
    url: str | None = None
    query: dict[str, JsonShape] = {}
    headers: dict[str, str] = {}
    body: JsonShape = None
    form: JsonShape = None
    files: dict[str, str] = {}
    texts: dict[str, TextPart] = {}
    file: str | None = None
    raw: str | None = None
    encoded: str | None = None
    media_type: str | None = None

    @model_validator(mode="after")
    def _one_body(self) -> DescribedRequest:
        alone = sum(one is not None for one in (self.file, self.raw, self.encoded))
        if alone + (self.body is not None or bool(self.files or self.texts)) > 1:
            raise ValueError("give one of body, files, file, raw and encoded")
        if self.body is not None and (self.texts or (self.form is not None and not self.files)):
            raise ValueError("give body, or form and texts, not both; beside files, body goes without any file")
        return self


class DescribedPaging(DescribedPart):
    """`kind`: one of these. `cursor`: read from the answer at `read`, sent as `send`. `page`: numbers, sent as `send`.
    `offset`: how many rows came, plus `first`, sent as `send`. `span`: `send` gets the first row's number and `size`
    that behind the last one of a page of `most`, until a page is empty. `last`: the value that the last row has at
    `read`, sent as `send`. `link`: RFC 8288 `Link: rel=next`. `url`: the answer's key `read`, which may have dots, is
    the next address. `place`: where they are sent, a path in a body. `size`: parameter for the page's size, at least
    `least`, at most `most`; a page with fewer rows is the last of page, offset and last. `first`: the first page's
    number. `also`: further values of the answer that go with a cursor, where they are sent -> path. `total`: path of
    the number of all rows, which are enough. `all`: every page is read, whatever `returnAll` and `limit` say.
    """

    kind: Literal["cursor", "page", "offset", "span", "last", "link", "url"]
    send: str = ""
    read: str = ""
    place: Literal["query", "body"] = "query"
    size: str | None = None
    most: int = Field(100, ge=1)
    least: int = Field(1, ge=1)
    first: int | None = None
    also: dict[str, str] = {}
    total: str = ""
    all: bool = False

    @model_validator(mode="after")
    def _complete(self) -> DescribedPaging:
        if self.kind in ("cursor", "last") and not (self.send and self.read):
            raise ValueError(f"{self.kind} needs send and read")
        if self.kind in ("page", "offset") and not self.send:
            raise ValueError(f"{self.kind} needs send")
        if self.kind == "span" and not (self.send and self.size):
            raise ValueError("span needs send and size")
        if self.kind == "url" and not self.read:
            raise ValueError("url needs read")
        return self


class DescribedStep(DescribedRequest):
    """A step before an operation's own request; its result is `{$name}` from then on.

    `needs`: template; the step is left out while it is missing or false. `each`: a list; one request per element, which
    templates see as in `$each`. `value`: a shape instead of a request. `read`: comma-separated names of the item's
    files instead: a list of `name`, `type`, `size` and, unless content is false, `content` in base64. `answer`:
    `headers` for those of the answer (lower-case names), `content` for its body as such a file. Also `events` for the
    first server-sent event with which `until` holds, or its JSON. `rows`: path of the rows of a list that `paging`
    follows. `credential`: whether the request carries it. `until`: template that sees the step's result, or paths in it
    with the values, or one of several, that they must have. The request is sent again, `pause` seconds after its
    answer, until that holds. `within`: template of the seconds after which the node fails.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    needs: str | None = None
    each: str | None = None
    value: JsonShape = None
    read: str | None = None
    content: bool = True
    answer: Literal["json", "headers", "content", "events"] = "json"
    rows: str = ""
    paging: DescribedPaging | None = None
    credential: bool = True
    until: str | dict[str, str | list[str]] | None = None
    pause: float = Field(1, gt=0, le=60)
    within: str = "300"

    @model_validator(mode="after")
    def _waited_for(self) -> DescribedStep:
        if self.answer == "events" and self.until is None:
            raise ValueError("events needs until")
        return self


class ContentFile(DescribedPart):
    """A file inside a JSON answer, in base64. content and name: paths."""

    content: str
    name: str | None = None


class DescribedResponse(DescribedPart):
    """`path`: of the value that becomes items, a list one item each. `as_`: `file` makes a file of the body. `output`:
    shape of an item. `simple`: its shape while the parameter `simple` is not false. `property`: parameter with the
    file's property (a path). `name`: template of the file's name. `attachments`: key of an item's list of files
    (`field`, `name`, `type`, `content` in base64), which become its binary fields.
    """

    path: str = ""
    format: Literal["json", "file", "none"] = "json"
    file: ContentFile | None = None
    property: str = ""
    name: str | None = None
    attachments: str = ""
    output: JsonShape = None
    simple: JsonShape = None


class DescribedQuestion(DescribedPart):
    """`approve`, `decline`: labels of the buttons where the parameters say none. `styles`: whether its form offers
    styles of buttons. `options`: further children of its options there, as `DocumentShape.fields`.
    """

    approve: str = "Approve"
    decline: str = "Decline"
    styles: bool = False
    options: dict[str, DocumentShapes] = {}


class DescribedOperation(DescribedRequest):
    """`resource` and `operation`: the values of these parameters. `also`: further operations that are like it. `when`:
    further parameters that choose between operations of the same name. `before` and `then`: requests whose answers are
    `$before` and `$response`. `steps`: any number of them before. `value`: a shape instead of the last request.
    `lastly`: steps after all of these, also when one of them failed, which is `$failed` then. `together`: items that
    agree in these parameters are sent at once; `$items` are their JSON then, `$all` their parameters. `question`: the
    node sends one message for all items, with the links of `$question`, and waits for the answer. The parameters that
    all questions share come by themselves. `unavailable`: why it cannot run; it validates only.
    """

    resource: str = ""
    operation: str = ""
    also: list[str] = []
    title: str = ""
    when: dict[str, Scalar | list[Scalar]] = {}
    min_version: float | None = None
    max_version: float | None = None
    parameters: list[Parameter] = []
    response: DescribedResponse = DescribedResponse()
    paging: DescribedPaging | None = None
    before: DescribedRequest | None = None
    then: DescribedRequest | None = None
    steps: list[DescribedStep] = []
    lastly: list[DescribedStep] = []
    value: JsonShape = None
    together: list[str] | None = None
    question: DescribedQuestion | None = None
    unavailable: str = ""
    auth: str | None = None
    """The kind of credentials, instead of the node's; empty: none."""

    @model_validator(mode="before")
    @classmethod
    def _asking(cls, raw: object) -> object:
        if not isinstance(raw, dict) or raw.get("question") is None:
            return raw
        rows = list(raw.get("parameters") or ())
        own = {row.get("name") for row in rows if isinstance(row, dict)}
        return {**raw, "parameters": [*rows, *(row for row in _QUESTION if row["name"] not in own)]}


_QUESTION: Sequence[Mapping[str, JsonShape]] = [
    {"name": "message", "required": True},
    {"name": "responseType", "options": ["approval", "freeText", "customForm"], "default": "approval"},
    {"name": "defineForm", "options": ["fields", "json"], "default": "fields"},
    {"name": "formFields", "type": "object"},
    {"name": "jsonOutput", "type": "json"},
    {"name": "approvalOptions", "type": "object"},
    {"name": "options", "type": "object"},
]
"""The fields that all questions have; see `jackfield.api.questions`."""
QUESTION_PARAMETERS = [row["name"] for row in _QUESTION]


class DescribedAuth(DescribedPart):
    """The credential.

    `parameter`: whose value chooses the kind among `choices`; without a value the one that the node has; else
    `default`. `versions`: of the node, with another kind than that.
    """

    default: Kind
    versions: dict[str, Kind] = {}
    parameter: str | None = None
    choices: dict[str, Kind] = {}


class Errors(DescribedPart):
    """How the service says that a request failed.

    `ok`: path that must be true. `bad`: path that must not be there, or be empty. `message`: paths of the text, the
    first that is there counts. `fine`: paths whose values make an answer a good one whatever its status.
    """

    ok: str = ""
    bad: str = ""
    fine: dict[str, list[str]] = {}
    message: list[str] = ["message", "error.message", "error"]


class DescribedOutputs(DescribedPart):
    """Names of a trigger's outputs. versions: by the node's version; parameter: whose list has the names in versions
    that are not among these."""

    versions: dict[str, list[str]] = {}
    parameter: str = ""

    def names(self, version: float, given: Mapping[str, Json]) -> list[str]:
        """given: the node's parameters."""
        found = self.versions.get(f"{version:g}")
        if found is None:
            listed = given.get(self.parameter)
            found = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
        return found


class DescribedNode(DescribedPart):
    """`trigger`: it starts executions; without a table `trigger` such a node is only known, and its operations are all
    unavailable. `aws`: the service of AWS as addresses have it, such as `sqs`. Requests are signed for it, and
    `{$endpoint}` is its address for the credential.
    """

    kind: NodeKind
    title: str
    summary: str = ""
    versions: list[float] = [1]
    base_url: str = ""
    aws: str = ""
    resource: str = ""
    """The resource of a node that names none."""
    resources: dict[str, str] = {}
    """The same for some versions."""
    defaults: dict[str, str] = {}
    """Resource -> its operation when none is named."""
    version_defaults: dict[str, dict[str, str]] = {}
    """The same for some versions, beside those of all."""
    headers: dict[str, str] = {}
    auth: DescribedAuth | None = None
    errors: Errors = Errors()
    parameters: list[Parameter] = []
    """Of every operation."""
    trigger: bool = False
    outputs: DescribedOutputs | None = None

    def first_operations(self, version: float) -> dict[str, str]:
        """Resource -> its operation in this version when none is named."""
        return {**self.defaults, **self.version_defaults.get(f"{version:g}", {})}


def _listed(value: object) -> object:
    return value if isinstance(value, list) else [value]


class DocumentShape(DescribedPart):
    """The shape of a parameter in documents, as a form shows it.

    `versions`, `only`: of the node, and the resources or `resource.operation` for which it is so; empty: all. `show`,
    `hide`: as `jackfield.api.nodes.forms.When`. `choices`: values. `load`: a list of the table `lists`; of a mapper,
    the one of its columns. `modes`: of a locator. `fields`: children of a collection. `groups`: those of a
    fixedCollection. `options`: as `NodeField.options`. `words`: value of a choice -> label.
    """

    versions: list[float] = []
    only: list[str] = []
    control: Control | None = None
    show: dict[str, list[JsonShape]] = {}
    hide: dict[str, list[JsonShape]] = {}
    choices: list[str | bool | int | float] = []
    load: str = ""
    modes: list[str] = []
    default: JsonShape = None
    fields: dict[str, DocumentShapes] = {}
    groups: dict[str, dict[str, DocumentShapes]] = {}
    multiple: bool = False
    options: dict[str, JsonShape] = {}
    title: str = ""
    help: str = ""
    placeholder: str = ""
    words: dict[str, str] = {}


DocumentShapes: TypeAlias = Annotated[list[DocumentShape], BeforeValidator(_listed)]
"""Several where the shape depends on other values; the first that is shown counts."""


class DescribedList(DescribedRequest):
    """The choices of a field, by name in the table `lists`. Templates see the node's parameters, those of steps and
    `{$search}`, the text that is looked for.

    `rows`: path of the list, or of an object, whose keys are `{$key}`, in the answer. `found`: template of the list,
    instead of a request. `inside`: path in each of them, where the real rows are. `pick`: template of the id, name or
    key of the one row that counts there. `value`, `label`, `address`, `type`: templates over a row. `address`: of the
    thing's page. `type`: of a column, by `types` the name that n8n's mapper has for it. `where`: rows that count: path
    -> a value, or several. `needs`: parameters without which there is nothing to ask for. `searchable`: whether the
    service searches; else names are looked through here. `fixed`: rows that come first. `steps`, `lastly`: as of
    operations.
    """

    rows: str = ""
    found: str | None = None
    inside: str = ""
    pick: str | None = None
    value: str = "{id}"
    label: str = "{name}"
    address: str = ""
    type: str = ""
    types: dict[str, str] = {}
    where: dict[str, Scalar | list[Scalar]] = {}
    needs: list[str] = []
    searchable: bool = False
    fixed: list[dict[str, str]] = []
    paging: DescribedPaging | None = None
    steps: list[DescribedStep] = []
    lastly: list[DescribedStep] = []

    @model_validator(mode="after")
    def _paged(self) -> DescribedList:
        if self.paging is not None and self.paging.kind not in ("cursor", "page", "offset", "url"):
            raise ValueError("the paging of a list is cursor, page, offset or url")
        return self


class DescribedWords(DescribedPart):
    """Words of one node's form, instead of those that all share: by a parameter's name; `values`: by a choice's."""

    labels: dict[str, str] = {}
    help: dict[str, str] = {}
    placeholders: dict[str, str] = {}
    values: dict[str, str] = {}
