"""The form of a node in the hands of an agent: that of its type, with the model's description in front.

The names and the rule for the description are n8n's, which makes such a type of each that it marks as usable.
"""

from __future__ import annotations

from .fields import forms_of
from .forms import FieldChoice, NodeField, NodeForm, When
from .types import TOOL_FORM, NodeType

_KIND, _TEXT = "descriptionType", "toolDescription"
_SPOKEN_OF = frozenset(("resource", "operation"))
"""Parameters of which a description can be made."""


def forms_for(node_type: NodeType, kind: str) -> list[NodeForm]:
    """The forms under this kind: those of the type, or of its `TOOL_FORM`."""
    forms = forms_of(node_type)
    if kind != node_type.kind + TOOL_FORM:
        return forms
    summary = node_type.description.summary
    return [form.model_copy(update={"fields": [*_added(form, summary), *form.fields]}) for form in forms]


def _added(form: NodeForm, summary: str) -> list[NodeField]:
    names = {field.name for field in form.fields}
    if _TEXT in names:
        return []
    text = NodeField(
        name=_TEXT,
        control="textarea",
        label="Description",
        help="Tells the model what the tool does and when to use it.",
        placeholder=summary,
        default="",
        options={"rows": 2},
    )
    if not names & _SPOKEN_OF:
        return [text]
    choices = [
        FieldChoice(value="auto", label="Automatic", help="Made of the resource and the operation."),
        FieldChoice(value="manual", label="Written here"),
    ]
    kind = NodeField(
        name=_KIND,
        control="select",
        label="Description of the tool",
        help="Where the description comes from that the model reads.",
        default="auto",
        expression=False,
        choices=choices,
    )
    return [kind, text.model_copy(update={"when": When(show={_KIND: ["manual"]})})]
