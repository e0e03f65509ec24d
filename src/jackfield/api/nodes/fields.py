"""The form of a node whose parameters are a pydantic model: `fields_of(model)`.

The types of the fields give controls, their names give labels, their descriptions give help, and `Ui` says the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, cast, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel, JsonValue, SecretBytes, SecretStr
from pydantic.fields import FieldInfo

from .forms import FieldGroup, NodeField, NodeForm, When, formed_node
from .labels import label_of
from .parameters import is_secret
from .showing import is_shown
from .types import NodeType
from .ui import Case, Ui, UiFields, worded
from .wording import SHARED

_Above: TypeAlias = tuple[type[BaseModel], ...]
"""The models that a model stands in, so that one that holds itself comes to an end."""
_LAST = ("options", "additionalFields", "additionalOptions")
"""Collections that close a form."""
_VERSION = "@version"
_WHOLE = ("locator", "assignments", "filter", "mapper", "workflow")
"""Controls that know by themselves what is inside of their values."""
_OWN_CASE = re.compile(r"^(?!The |An? |It )[\w ,.-]{2,48}: (?=\S)")
"""How a description begins that says when its parameter counts: `hmac: the key.`"""


def fields_of(model: type[BaseModel]) -> list[NodeField]:
    """The form of the model. Nested models are collections; those that hold nothing but models are fixedCollections."""
    return _fields(model, ())


def _fields(model: type[BaseModel], above: _Above) -> list[NodeField]:
    if model in above:
        return []
    if not model.__pydantic_fields_complete__:
        model.model_rebuild()
    table = _table(model)
    infos = {info.alias or name: info for name, info in model.model_fields.items()}
    first: Sequence[str] = getattr(model, "ui_order", ())
    order = sorted(infos, key=lambda name: (name in _LAST, first.index(name) if name in first else len(first)))
    found: list[NodeField] = []
    for name in order:
        shape = _shape(infos[name].annotation, infos[name].metadata, (*above, model))
        said = table.get(name, Ui())
        variants = (said,) if isinstance(said, Ui) else said
        found.extend(_field(name, infos[name], ui.over(shape)) for ui in variants)
    return found


def _table(model: type[BaseModel]) -> dict[str, Ui | Sequence[Ui]]:
    merged: dict[str, Ui | Sequence[Ui]] = {}
    for base in reversed(model.__mro__):
        merged |= cast("UiFields", base.__dict__.get("ui_fields", {}))
    return merged


def _field(name: str, info: FieldInfo, ui: Ui) -> NodeField:
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    control = ui.control or ("select" if ui.choices else "text")
    if is_secret(info) and control != "hidden":
        control = "secret"
    elif ui.choices and control not in ("multiselect", "locator", "hidden"):
        control = "select"
    when, whole = ui.shown_when(), control in _WHOLE
    inside = ui if isinstance(ui.fields, Sequence) else _model(ui.fields, ())
    within = inside.fields if isinstance(inside.fields, Sequence) else ()
    words = _words(name)
    return NodeField(
        name=name,
        control=control,
        label=ui.label or info.title or words[0],
        help=_help(info.description or words[1], bool(when)) if ui.help is None else ui.help,
        placeholder=ui.placeholder,
        default=_default(info) if ui.default is None else ui.default,
        required=info.is_required() or "needed" in extra if ui.required is None else ui.required,
        expression=control not in ("notice", "hidden") if ui.expression is None else ui.expression,
        choices=worded(ui.choices),
        load=ui.load,
        when=when,
        fields=[] if whole else list(within),
        groups=[] if whole else list(inside.groups),
        multiple=bool(ui.multiple or inside.multiple) and not whole,
        options=dict(ui.options) | (_bounds(info) if control == "number" else {}),
    )


def _words(name: str) -> tuple[str, str]:
    """The label and the help of a name that says no more of itself."""
    words = SHARED.get(name, label_of(name))
    return (words, "") if isinstance(words, str) else words


def _help(description: str, conditional: bool) -> str:
    """The form shows by itself when a conditional parameter counts."""
    told = _OWN_CASE.sub("", description) if conditional else description
    first = told.partition(" ")[0].rstrip(",")
    return told if "://" in first or first.endswith(":") or first != first.lower() else told[:1].upper() + told[1:]


def _default(info: FieldInfo) -> JsonValue:
    """None for what JSON does not have, and for what the form makes of its parts."""
    if info.default_factory is not None:
        return _plain(info.get_default(call_default_factory=True, validated_data={}))
    return None if info.is_required() else _plain(info.default)


def _plain(value: object) -> JsonValue:
    if isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list | tuple | AbstractSet):
        return [_plain(one) for one in value] if value else None
    return None


def _bounds(info: FieldInfo) -> dict[str, JsonValue]:
    bounds: dict[str, JsonValue] = {}
    for one in info.metadata:
        if isinstance(one, Ge | Gt):
            bounds["min"] = cast("float", one.ge if isinstance(one, Ge) else one.gt)
        if isinstance(one, Le | Lt):
            bounds["max"] = cast("float", one.le if isinstance(one, Le) else one.lt)
    return bounds


def _shape(annotation: Any, metadata: Sequence[object], above: _Above) -> Ui:  # whatever can be annotated
    """The shape that a type gives: by itself, and by the `Ui` on it."""
    inner = list(metadata)
    while get_origin(annotation) is Annotated:
        annotation, *more = get_args(annotation)
        inner += more
    shape = _bare(annotation, above)
    for one in reversed([one for one in inner if isinstance(one, Ui)]):
        shape = one.over(shape)
    return shape


def _bare(annotation: Any, above: _Above) -> Ui:  # as above
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        return _union([one for one in get_args(annotation) if one is not NoneType], above)
    if origin is Literal:
        values = get_args(annotation)
        return Ui("select", choices={value: label_of(str(value)) for value in values if value != ""})
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _model(annotation, above)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Sequence | AbstractSet):
        return _list(get_args(annotation)[0], above)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return Ui("json")
    return Ui(_SIMPLE.get(annotation, "text")) if isinstance(annotation, type) else Ui("text")


_SIMPLE: Mapping[type, Literal["switch", "number", "json", "secret"]] = {
    bool: "switch",
    int: "number",
    float: "number",
    dict: "json",
    list: "json",
    SecretStr: "secret",
    SecretBytes: "secret",
}


def _union(kinds: Sequence[Any], above: _Above) -> Ui:  # as above
    """Where a text may stand beside something with more to it, that counts."""
    shapes = [_shape(kind, (), above) for kind in kinds]
    return next((shape for shape in shapes if shape.control != "text"), shapes[0] if shapes else Ui("text"))


def _list(kind: Any, above: _Above) -> Ui:  # as above
    inner = _shape(kind, (), above)
    if inner.choices:
        return Ui("multiselect", choices=inner.choices)
    if inner.control == "collection":
        return Ui("collection", fields=inner.fields, multiple=True)
    return Ui("json") if inner.control in ("json", "fixedCollection") else Ui("text", multiple=True)


def _model(model: type[BaseModel], above: _Above) -> Ui:
    fields = _fields(model, above)
    own = getattr(model, "ui", Ui())
    groups = list(_groups(model, fields))
    if fields and len(groups) == len(fields):
        many = all(field.multiple for field in fields)
        return own.over(Ui("fixedCollection", groups=groups, multiple=many))
    return own.over(Ui("collection", fields=fields))


def _groups(model: type[BaseModel], fields: Sequence[NodeField]) -> Iterator[FieldGroup]:
    for field in fields:
        if field.control == "collection" and field.when is None:
            yield FieldGroup(name=field.name, label=field.label, fields=field.fields)


def only_when(fields: Sequence[NodeField], case: Case) -> list[NodeField]:
    """The same fields, shown only where these values are, too: the form of one operation among others."""
    found: list[NodeField] = []
    for field in fields:
        when = field.when or When()
        both = When.model_validate({"show": {**case, **when.show}, "hide": when.hide})
        found.append(field.model_copy(update={"when": both}))
    return found


def form_of(node_type: NodeType, version: float | None) -> list[NodeField]:
    """The form of a version of a node type: its own, else the one of its model. None: no typeVersion given, which has
    the fields of the newest. Conditions on the version are decided."""
    formed = formed_node(node_type)
    fields = list(formed.form(version)) if formed else fields_of(node_type.parameters(version))
    return of_version(fields, version or max(node_type.versions, default=1))


def of_version(fields: Sequence[NodeField], version: float) -> list[NodeField]:
    """The fields that this version may show, at any depth, without the conditions that say so."""
    return [made for field in fields if (made := _of_version(field, version))]


def _of_version(field: NodeField, version: float) -> NodeField | None:
    changed: dict[str, object] = {}
    if field.when and _VERSION in {**field.when.show, **field.when.hide}:
        show, hide = dict(field.when.show), dict(field.when.hide)
        mine = When(
            show={key: show.pop(key) for key in (_VERSION,) if key in show},
            hide={key: hide.pop(key) for key in (_VERSION,) if key in hide},
        )
        if not is_shown(mine, {}, {}, version):
            return None
        changed["when"] = When(show=show, hide=hide) if show or hide else None
    if field.fields:
        changed["fields"] = of_version(field.fields, version)
    if field.groups:
        changed["groups"] = [
            group.model_copy(update={"fields": of_version(group.fields, version)}) for group in field.groups
        ]
    return field.model_copy(update=changed) if changed else field


def forms_of(node_type: NodeType) -> list[NodeForm]:
    """The forms of all versions, each once. One without versions is that of documents without typeVersion alone."""
    grouped: list[tuple[type[BaseModel], list[NodeField], list[float | None]]] = []
    for version in (*sorted(node_type.versions), None):
        model, fields = node_type.parameters(version), form_of(node_type, version)
        known = next((one for one in grouped if one[0] is model and one[1] == fields), None)
        if known is None:
            grouped.append((model, fields, [version]))
        else:
            known[2].append(version)
    return [
        NodeForm(versions=[one for one in versions if one is not None], default=None in versions, fields=fields)
        for _, fields, versions in grouped
    ]
