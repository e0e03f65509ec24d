"""The form of a node: how its parameters are shown, apart from the model that checks them.

A form is one flat list of fields for each version of a node type. The browser has one renderer for all of them and no
rule about a single node. So a plugin's node looks and behaves as a built-in one does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, Protocol, TypeAlias, cast, runtime_checkable

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue
from pydantic.alias_generators import to_camel

from .types import NodeType

Control: TypeAlias = Literal[
    "text",
    "textarea",
    "code",
    "json",
    "secret",
    "number",
    "switch",
    "select",
    "multiselect",
    "date",
    "color",
    "notice",
    "hidden",
    "collection",
    "fixedCollection",
    "locator",
    "assignments",
    "filter",
    "mapper",
    "credential",
    "workflow",
]
"""The input that a field is shown with.

`collection`: `fields` that you add one by one, each at most once; with `multiple` a list of such objects.
`fixedCollection`: `groups`, of which each holds an object, or with `multiple` a list of objects, under its name.
`locator`: n8n's resource locator, `{"__rl": true, "mode": ..., "value": ...}`, or a plain text. `options` has its
modes. `text`: with `multiple` a list of texts. `select`: with `load`, or with `choices`. The form shows a value that is
none of them as it is. `mapper`: n8n's resource mapper. `credential`: the name of a kind of credential. `notice`: a text
without a value. `hidden`: a value that a document may have and no form shows.
"""


def _listed(value: object) -> object:
    return value if isinstance(value, list | tuple) else [value]


Wanted: TypeAlias = Annotated[list[JsonValue], BeforeValidator(_listed)]
"""Values of which one must be there. A condition is written as n8n's `{"_cnd": {"gte": 2}}`, with one of `eq`, `not`,
`gte`, `lte`, `gt`, `lt`, `between` (`{"from", "to"}`), `startsWith`, `endsWith`, `includes`, `regex`, `exists`."""


class FormPart(BaseModel):
    """Base of what forms are made of; JSON has only what differs from the defaults."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, defer_build=True, alias_generator=to_camel, populate_by_name=True
    )


class When(FormPart):
    """A field is shown where all of `show` hold and none of `hide` does, by n8n's rules for `displayOptions`.

    Keys are names of fields beside this one; with `/` in front, of fields at the top; `@version` is the node's version.
    An expression under a key of `show` shows the field, because its value is not known yet; see `showing.is_shown`.
    """

    show: dict[str, Wanted] = Field(default_factory=dict)
    hide: dict[str, Wanted] = Field(default_factory=dict)


class FieldChoice(FormPart):
    """One of the values that may be chosen."""

    value: str | int | float | bool
    label: str
    help: str = ""
    unavailable: str = ""
    """Why a node with this value cannot run, with the remedy. A form offers it only where it is chosen already."""


class LoadedList(FormPart):
    """A list that is asked for when the field is opened, through the node's credential: channels, sheets, models."""

    name: str
    """`GET /api/v1/node-types/{kind}/lists/{name}`."""
    depends_on: list[str] = Field(default_factory=list)
    """Fields whose values it needs. It is asked for again when one of them changes."""
    searchable: bool = False
    """Whether the service searches; otherwise the browser does."""


class FieldGroup(FormPart):
    """One of the objects of a `fixedCollection`."""

    name: str
    label: str
    fields: list[NodeField] = Field(default_factory=list)


class NodeField(FormPart):
    """One parameter as the form shows it.

    Several fields may have one name, for different operations; the first that is shown counts.
    """

    name: str
    control: Control
    label: str
    help: str = ""
    """One sentence or two, plain text."""
    placeholder: str = ""
    default: JsonValue = None
    required: bool = False
    """Whether it is marked as needed; the model says what really is."""
    expression: bool = True
    """Whether it may hold an expression."""
    choices: list[FieldChoice] = Field(default_factory=list)
    load: LoadedList | None = None
    when: When | None = None
    fields: list[NodeField] = Field(default_factory=list)
    groups: list[FieldGroup] = Field(default_factory=list)
    multiple: bool = False
    options: dict[str, JsonValue] = Field(default_factory=dict)
    """Further keys of the control: `rows` (lines of a textarea), `language` (of code), `min`, `max`, `step` (of a
    number). Also `modes` (of a locator: `[{"name", "label", "placeholder"}]`), `kind` (of a credential), `add` (the
    label of the button that adds a row)."""


class NodeForm(FormPart):
    """The fields of one or several versions of a node type."""

    versions: list[float]
    default: bool = False
    """Whether it is the form of a document without `typeVersion`."""
    fields: list[NodeField]


@runtime_checkable
class FormedNode(Protocol):
    """The methods of a node type beside `NodeType` when it gives its form itself.

    Others have the one of their model, by `jackfield.api.nodes.fields.fields_of`.
    """

    def form(self, version: float | None) -> Sequence[NodeField]:
        """The fields of this version. None: no typeVersion given."""


def formed_node(node_type: NodeType) -> FormedNode | None:
    """The same as a `FormedNode`, when it is one."""
    return cast("FormedNode", node_type) if hasattr(node_type, "form") else None
