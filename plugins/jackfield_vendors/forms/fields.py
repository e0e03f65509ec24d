"""One parameter of a description as fields of a form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.jsontext import Json
from jackfield.api.nodes.forms import Control, FieldChoice, FieldGroup, LoadedList, NodeField, When
from jackfield_vendors.described.description import DescribedList, DocumentShape, Parameter
from jackfield_vendors.forms.reads import TemplateRead
from jackfield_vendors.forms.words import FormWords

CONTROLS: Mapping[str, Control] = {
    "text": "text",
    "number": "number",
    "boolean": "switch",
    "json": "json",
    "list": "text",
    "object": "json",
    "locator": "locator",
    "any": "text",
}
"""Per type of a parameter of which nothing else is known."""
_MODES: Mapping[str, tuple[str, str]] = {
    "list": ("From the list", ""),
    "id": ("By ID", ""),
    "url": ("By address", "https://"),
    "name": ("By name", ""),
}
_TEXTS = ("text", "textarea", "json", "number", "date", "code", "secret")


class FieldMaker:
    """Makes fields with the words of one node. lists: what the node can load."""

    def __init__(self, words: FormWords, lists: Mapping[str, DescribedList]) -> None:
        self._words = words
        self._lists = lists

    def plain(self, row: Parameter, read: TemplateRead) -> NodeField:
        """A parameter of which the description says nothing else. read: which parts of it are read."""
        label = row.title or (self._words.picked if row.type == "locator" else self._words.label)(row.name)
        if row.type == "object" and read.depth and row.control is None:
            field = self._derived(row.name, read)
            return field.model_copy(update={"label": label, "help": self._help(row), "required": bool(row.required)})
        return NodeField(
            name=row.name,
            control=row.control or self._control(row),
            label=label,
            help=self._help(row),
            placeholder=row.placeholder or self._words.placeholders.get(row.name, ""),
            default=row.default,
            required=bool(row.required),
            choices=self._choices([one for one in row.options if one is not None], row.words),
            options=self._modes(["list", "id"] if row.name in self._lists else ["id"]) if row.type == "locator" else {},
            load=self._load(row.name) if row.type == "locator" else None,
        )

    def shaped(self, row: Parameter, shape: DocumentShape) -> NodeField:
        """A parameter whose shape in documents is known."""
        field = self._of_shape(row.name, shape)
        values = [one for one in row.options if one is not None]
        changes: dict[str, object] = {"required": bool(row.required), "help": field.help or self._help(row)}
        if row.title:
            changes["label"] = row.title
        if row.help:
            changes["help"] = row.help
        if row.placeholder:
            changes["placeholder"] = row.placeholder
        if _overrides(row, field):
            changes["default"] = row.default
        if row.control:
            changes["control"] = row.control
        if values and field.control not in ("multiselect", "hidden"):
            changes |= {"control": "select", "choices": self._choices(values, {**shape.words, **row.words})}
        return field.model_copy(update=changes)

    def _help(self, row: Parameter) -> str:
        return row.help or self._words.help.get(row.name, "")

    def _control(self, row: Parameter) -> Control:
        if row.options:
            return "select"
        known = self._words.controls.get(row.name)
        return known if known and row.type in ("text", "any") else CONTROLS[row.type]  # type: ignore[return-value]  # the test of the words holds them to controls

    def _choices(self, values: Sequence[str | bool | int | float], words: Mapping[str, str]) -> list[FieldChoice]:
        listed = dict.fromkeys((type(value), value) for value in values)
        return [
            FieldChoice(value=value, label=words.get(str(value)) or self._words.value(value)) for _, value in listed
        ]

    def _load(self, name: str) -> LoadedList | None:
        found = self._lists.get(name)
        if found is None:
            return None
        return LoadedList(name=name, depends_on=found.needs, searchable=found.searchable or found.paging is not None)

    def _modes(self, modes: Sequence[str]) -> dict[str, Json]:
        listed: list[Json] = []
        for name in modes:
            label, placeholder = _MODES.get(name, (f"By {self._words.spoken(name)}", ""))
            listed.append({"name": name, "label": label, "placeholder": placeholder})
        return {"modes": listed}

    def _of_shape(self, name: str, shape: DocumentShape) -> NodeField:
        control: Control = shape.control or "text"
        options: dict[str, Json] = dict(shape.options)
        load = self._load(shape.load) if shape.load else None
        if control == "mapper":
            options["matching"] = options.get("mode") in ("update", "upsert")
        if control == "locator":
            options |= self._modes(shape.modes)
        if control in ("select", "multiselect") and not shape.choices and load is None:
            control = "text"
        known = self._words.controls.get(name)
        if control == "text" and known == "textarea":
            control = "textarea"
        return NodeField(
            name=name,
            control=control,
            label=shape.title or (self._words.picked if load or control == "locator" else self._words.label)(name),
            help=shape.help or self._words.notes.get(name, ""),
            placeholder=shape.placeholder or self._words.placeholders.get(name, "") if control in _TEXTS else "",
            default=False if control == "switch" and shape.default is None else shape.default,
            choices=self._choices(shape.choices, shape.words),
            load=load,
            fields=self._children(shape.fields),
            groups=[
                FieldGroup(name=group, label=self._words.label(group), fields=self._children(children))
                for group, children in shape.groups.items()
            ],
            multiple=shape.multiple or (shape.control == "multiselect" and control == "text"),
            options=options,
            when=condition(shape),
        )

    def _children(self, shapes: Mapping[str, Sequence[DocumentShape]]) -> list[NodeField]:
        return [self._of_shape(name, shape) for name, listed in shapes.items() for shape in _needed(listed)]

    def _derived(self, name: str, read: TemplateRead) -> NodeField:
        """The children that templates read: of `a.b` fields, of `a.group.b` groups, of `a.b.group.c` fields with
        groups."""
        label = self._words.label(name)
        inner = read.parts
        if not inner and read.element is None:
            return NodeField(name=name, control="text", label=label)
        if read.element is not None and not inner:
            fields = [self._derived(child, part) for child, part in read.element.parts.items()]
            control: Control = "collection" if fields else "text"
            return NodeField(name=name, control=control, label=label, fields=fields, multiple=True)
        if all(part.depth == 1 for part in inner.values()):
            groups = [
                FieldGroup(
                    name=child,
                    label=self._words.label(child),
                    fields=[self._derived(leaf, below) for leaf, below in (part.element or part).parts.items()],
                )
                for child, part in inner.items()
            ]
            several = any(part.element is not None for part in inner.values())
            return NodeField(name=name, control="fixedCollection", label=label, groups=groups, multiple=several)
        fields = [self._derived(child, part) for child, part in inner.items()]
        return NodeField(name=name, control="collection", label=label, fields=fields)


def _overrides(row: Parameter, field: NodeField) -> bool:
    """Whether the row's default counts: one that the control can show."""
    if row.default is None or field.control == "locator":
        return False
    return not field.choices or any(row.default == one.value for one in field.choices)


def _needed(shapes: Sequence[DocumentShape]) -> Sequence[DocumentShape]:
    """Those behind one that is always shown never count."""
    always = next((place for place, shape in enumerate(shapes) if condition(shape) is None), len(shapes))
    return shapes[: always + 1]


def condition(shape: DocumentShape) -> When | None:
    """When the shape is the one that counts, by other values."""
    return When(show=shape.show, hide=shape.hide) if shape.show or shape.hide else None
