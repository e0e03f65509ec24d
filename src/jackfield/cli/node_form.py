"""`jackfield plugins form KIND`: the form of a node type, for the author of its plugin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jackfield.api.errors import NotFound
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCatalog
from jackfield.api.nodes.forms import FieldGroup, NodeField, NodeForm, When
from jackfield.api.nodes.tool_form import forms_for
from jackfield.api.similar_names import did_you_mean
from jackfield.api.workflows import local_type
from jackfield.core.kernel import Kernel

COLUMNS = ("NAME", "CONTROL", "LABEL", "SHOWN WHEN", "CHOICES")
MOST_CHOICES = 8


def form_for(kernel: Kernel, named: str, version: float | None) -> NodeForm:
    """version: None is the newest. Raises `NotFound` with similar kinds, or with the versions that there are."""
    catalog = kernel.context("plugins").port(NodeCatalog)
    kind = local_type(named)
    found = catalog.find(kind)
    if found is None:
        kinds = [node_type.kind for node_type in catalog.all() if not node_type.description.missing]
        raise NotFound(f"There is no node type {kind}{did_you_mean(kind, kinds)}")
    wanted = max(found.versions, default=None) if version is None else version
    for form in forms_for(found, kind):
        if wanted in form.versions or (wanted is None and form.default):
            return form
    known = ", ".join(f"{one:g}" for one in sorted(found.versions))
    raise NotFound(f"The node type {found.kind} has no version {wanted:g}; it has {known}.")


def as_json(form: NodeForm) -> Mapping[str, Json]:
    """As `GET /api/v1/node-types/{kind}` gives it."""
    return {"default": form.default, **form.model_dump(mode="json", by_alias=True, exclude_defaults=True)}


def rows(fields: Sequence[NodeField], indent: str = "") -> Iterator[tuple[str, ...]]:
    """A row of `COLUMNS` for each field, those inside of others below them."""
    for field in fields:
        many = " (several)" if field.multiple else ""
        needed = " *" if field.required else ""
        yield f"{indent}{field.name}{needed}", f"{field.control}{many}", field.label, _told(field.when), _choices(field)
        yield from rows(field.fields, f"{indent}  ")
        for group in field.groups:
            yield _group(group, f"{indent}  ")
            yield from rows(group.fields, f"{indent}    ")


def _group(group: FieldGroup, indent: str) -> tuple[str, ...]:
    return f"{indent}{group.name}", "group", group.label, "", ""


def _told(when: When | None) -> str:
    if when is None:
        return ""
    shown = [f"{name} = {_values(wanted)}" for name, wanted in when.show.items()]
    return ", ".join([*shown, *(f"{name} is not {_values(wanted)}" for name, wanted in when.hide.items())])


def _values(wanted: Sequence[Json]) -> str:
    return " or ".join(_value(one) for one in wanted)


def _value(wanted: Json) -> str:
    condition = wanted.get("_cnd") if isinstance(wanted, dict) else None
    if isinstance(condition, dict):
        return ", ".join(f"{name} {bound}" for name, bound in condition.items())
    if isinstance(wanted, bool):
        return str(wanted).lower()
    return '""' if wanted == "" else str(wanted)


def _choices(field: NodeField) -> str:
    if field.load is not None:
        return f"list {field.load.name}"
    offered = [choice for choice in field.choices if not choice.unavailable]
    told = [f"{_value(choice.value)} ({choice.label})" for choice in offered[:MOST_CHOICES]]
    more = len(offered) - MOST_CHOICES
    return ", ".join([*told, *([f"{more} more"] if more > 0 else [])])
