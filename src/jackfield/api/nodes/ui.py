"""How a model says the way its parameters are shown, where its types do not say it all.

Three places, of which the later one wins. They are `Annotated[..., Ui(...)]` on a type that several fields share, and
`ui` of a model that is the type of a field. The last is `ui_fields` of the model that has the field, by the names of
documents. A model has the `ui_fields` of its bases, too. Fields come as the model has them, those of its `ui_order`
first and collections of options last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TypeAlias

from pydantic import BaseModel, JsonValue

from .forms import Control, FieldChoice, FieldGroup, LoadedList, NodeField, When

Scalar: TypeAlias = str | int | float | bool
Words: TypeAlias = str | tuple[str, str]
"""A label, or a label and its help."""
Case: TypeAlias = Mapping[str, JsonValue]
"""Names -> a value, or a list of values of which one must be there; see `When.show`."""


@dataclass(frozen=True, slots=True)
class Ui:
    """How a parameter is shown; what is left out is derived from its type, its name and its description.

    `when`: it is shown where these values are. `hide`: it is not shown where one of these is. `choices`: all that may
    be chosen, in this order. A field of another type than Literal becomes a select by it. `fields`: what is inside,
    when the type does not tell: of a collection. `groups`: the same for a fixedCollection. `options`: see
    `NodeField.options`.
    """

    control: Control | None = None
    label: str = ""
    help: str | None = None
    """None: the description."""
    placeholder: str = ""
    when: Case = field(default_factory=dict)
    hide: Case = field(default_factory=dict)
    choices: Mapping[Scalar, Words] = field(default_factory=dict)
    default: JsonValue = None
    """None: the model's."""
    required: bool | None = None
    expression: bool | None = None
    multiple: bool | None = None
    load: LoadedList | None = None
    fields: Sequence[NodeField] | type[BaseModel] = ()
    groups: Sequence[FieldGroup] = ()
    options: Mapping[str, JsonValue] = field(default_factory=dict)

    def over(self, other: Ui) -> Ui:
        """The other one with all that this one says. `options` are those of both."""
        said = {one.name: getattr(self, one.name) for one in fields(self)}
        kept = {name: value for name, value in said.items() if value is not None and value not in ((), {})}
        if not self.label:
            del kept["label"]
        if not self.placeholder:
            del kept["placeholder"]
        merged = {one.name: getattr(other, one.name) for one in fields(other)} | kept
        return Ui(**(merged | {"options": {**other.options, **self.options}}))

    def shown_when(self) -> When | None:
        if not self.when and not self.hide:
            return None
        return When.model_validate({"show": dict(self.when), "hide": dict(self.hide)})


UiFields: TypeAlias = Mapping[str, Ui | Sequence[Ui]]
"""By the name that a document has. Several for one name: as many fields, of which the first that is shown counts."""


def worded(choices: Mapping[Scalar, Words]) -> list[FieldChoice]:
    """The choices with their labels."""
    return [
        FieldChoice(value=value, label=words)
        if isinstance(words, str)
        else FieldChoice(value=value, label=words[0], help=words[1])
        for value, words in choices.items()
    ]
