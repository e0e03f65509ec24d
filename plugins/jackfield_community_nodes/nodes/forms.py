"""The form of a node, of the properties in its description. n8n documents them under "node UI elements"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from jackfield.api.jsontext import Json
from jackfield.api.nodes.forms import Control, FieldChoice, FieldGroup, LoadedList, NodeField, When

_TAG = re.compile(r"<[^<>]{0,400}>")
_CONTROLS: Mapping[str, Control] = {
    "number": "number", "boolean": "switch", "collection": "collection", "fixedCollection": "fixedCollection",
    "json": "json", "color": "color", "dateTime": "date", "notice": "notice", "callout": "notice", "button": "notice",
    "curlImport": "hidden", "hidden": "hidden", "resourceLocator": "locator", "resourceMapper": "json",
    "filter": "filter", "assignmentCollection": "assignments", "credentialsSelect": "credential",
    "workflowSelector": "workflow", "multiOptions": "multiselect", "options": "select",
}  # fmt: skip
SEARCH, OPTIONS = "search.", "options."
"""How names of lists begin: methods of `listSearch`, and of `loadOptions`."""


def fields_of(properties: Json) -> list[NodeField]:
    return [_field(one) for one in _objects(properties) if isinstance(one.get("name"), str)]


def _objects(given: Json) -> list[Mapping[str, Json]]:
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


def _field(given: Mapping[str, Json]) -> NodeField:
    more = given.get("typeOptions")
    options: Mapping[str, Json] = more if isinstance(more, dict) else {}
    type_ = str(given.get("type", "string"))
    control = _control(type_, options)
    return NodeField(
        name=str(given["name"]),
        control=control,
        label=_plain(given.get("displayName")) or str(given["name"]),
        help=_plain(given.get("description")),
        placeholder=_plain(given.get("placeholder")),
        default=_default(given),
        required=given.get("required") is True,
        expression=given.get("noDataExpression") is not True and control not in ("notice", "hidden"),
        choices=_choices(given) if control in ("select", "multiselect") else [],
        load=_load(given, options, control),
        when=_when(given.get("displayOptions")),
        fields=fields_of(given.get("options")) if control == "collection" else [],
        groups=_groups(given) if control == "fixedCollection" else [],
        multiple=options.get("multipleValues") is True,
        options=_more(given, options, control),
    )


def _control(type_: str, options: Mapping[str, Json]) -> Control:
    if type_ != "string":
        return _CONTROLS.get(type_, "text")
    if options.get("password") is True:
        return "secret"
    if options.get("editor"):
        return "code"
    rows = options.get("rows")
    return "textarea" if isinstance(rows, int) and rows > 1 else "text"


def _plain(text: Json) -> str:
    return _TAG.sub("", text).strip() if isinstance(text, str) else ""


def _default(given: Mapping[str, Json]) -> Any:  # Any: pydantic's JsonValue
    return given.get("default")


def _choices(given: Mapping[str, Json]) -> list[FieldChoice]:
    return [
        FieldChoice(
            value=one["value"], label=_plain(one.get("name")) or str(one["value"]), help=_plain(one.get("description"))
        )
        for one in _objects(given.get("options"))
        if isinstance(one.get("value"), str | int | float | bool)
    ]


def _load(given: Mapping[str, Json], options: Mapping[str, Json], control: Control) -> LoadedList | None:
    depends = options.get("loadOptionsDependsOn")
    fields = [str(one) for one in depends] if isinstance(depends, list) else []
    method = options.get("loadOptionsMethod")
    if control in ("select", "multiselect") and isinstance(method, str):
        return LoadedList(name=OPTIONS + method, depends_on=fields)
    if control != "locator":
        return None
    for mode in _objects(given.get("modes")):
        said = mode.get("typeOptions")
        search = said.get("searchListMethod") if isinstance(said, dict) else None
        if isinstance(search, str):
            searchable = isinstance(said, dict) and said.get("searchable") is True
            return LoadedList(name=SEARCH + search, depends_on=fields, searchable=searchable)
    return None


def _when(given: Json) -> When | None:
    if not isinstance(given, dict):
        return None
    show, hide = (
        {str(name): wanted for name, wanted in part.items()} if isinstance(part := given.get(key), dict) else {}
        for key in ("show", "hide")
    )
    return When(show=cast("Any", show), hide=cast("Any", hide)) if show or hide else None


def _groups(given: Mapping[str, Json]) -> list[FieldGroup]:
    return [
        FieldGroup(
            name=str(one["name"]),
            label=_plain(one.get("displayName")) or str(one["name"]),
            fields=fields_of(one.get("values")),
        )
        for one in _objects(given.get("options"))
        if isinstance(one.get("name"), str)
    ]


def _more(given: Mapping[str, Json], options: Mapping[str, Json], control: Control) -> dict[str, Any]:
    if control == "number":
        bounds = (("min", "minValue"), ("max", "maxValue"), ("step", "numberStepSize"))
        return {own: options[theirs] for own, theirs in bounds if isinstance(options.get(theirs), int | float)}
    if control == "textarea":
        return {"rows": options["rows"]}
    if control == "code":
        return {
            "language": {"htmlEditor": "html", "sqlEditor": "sql", "cssEditor": "css"}.get(
                str(options["editor"]), "javaScript"
            )
        }
    if control == "locator":
        modes: Sequence[Mapping[str, Json]] = _objects(given.get("modes"))
        return {"modes": [_mode(one) for one in modes if isinstance(one.get("name"), str)]}
    text = options.get("multipleValueButtonText")
    return {"add": text} if isinstance(text, str) and control == "fixedCollection" else {}


def _mode(given: Mapping[str, Json]) -> dict[str, Any]:
    label, placeholder = _plain(given.get("displayName")) or str(given["name"]), _plain(given.get("placeholder"))
    return {"name": given["name"], "label": label, **({"placeholder": placeholder} if placeholder else {})}
