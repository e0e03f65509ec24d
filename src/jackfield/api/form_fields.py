"""The fields of a form, read liberally from a node's parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api import jsontext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.records import record

KINDS = {
    "text": "text",
    "textarea": "textarea",
    "number": "number",
    "date": "date",
    "email": "email",
    "password": "password",
    "dropdown": "dropdown",
    "checkbox": "checkbox",
    "radio": "radio",
    "file": "file",
    "hiddenField": "hidden",
    "hidden": "hidden",
    "html": "html",
}
"""The document's name of a field's type, and our name of it."""
CHOICES = frozenset({"dropdown", "checkbox", "radio"})
MOST_FIELDS = 200
MOST_OPTIONS = 1_000


@record
class FormField:
    """One field. key: under which the item has its value, empty when it has none; name: of the input in the page. Least
    and most: how many options must and may be chosen."""

    key: str
    name: str
    kind: str
    label: str
    required: bool = False
    placeholder: str = ""
    default: str = ""
    options: Sequence[str] = ()
    several: bool = False
    least: int = 0
    most: int | None = None
    accept: str = ""
    html: str = ""
    date_format: str = ""


def plain(value: Json) -> str:
    """A text parameter without n8n's mark for a fixed text in expression mode."""
    if isinstance(value, str):
        return value.removeprefix("=")
    return "" if value is None or isinstance(value, dict | list) else str(value)


def rows_of(parameters: Mapping[str, Json]) -> list[Json]:
    """The raw fields: a list of rows, or JSON that is one. Raises ValueError with what is wrong."""
    if parameters.get("defineForm") == "json":
        given = parameters.get("jsonOutput")
        try:
            given = jsontext.loads(plain(given).encode()) if isinstance(given, str) else given
        except InvalidInput:
            raise ValueError("jsonOutput must be a JSON list of fields.") from None
        rows: Json = given
    else:
        written = parameters.get("formFields")
        rows = written.get("values", []) if isinstance(written, dict) else written or []
    if not isinstance(rows, list) or len(rows) > MOST_FIELDS:
        raise ValueError(f"The form's fields must be a list of at most {MOST_FIELDS}.")
    return rows


def read_fields(parameters: Mapping[str, Json]) -> list[FormField]:
    """Raises ValueError with what is wrong, naming the field."""
    return [_field(row if isinstance(row, dict) else {}, index) for index, row in enumerate(rows_of(parameters))]


def _field(row: Mapping[str, Json], index: int) -> FormField:
    written = plain(row.get("fieldType")) or "text"
    kind = KINDS.get(written)
    label = plain(row.get("fieldLabel"))
    key = plain(row.get("fieldName")) or plain(row.get("elementName")) or label
    if not key and kind != "html":
        key = f"field-{index}"
    if kind is None:
        raise ValueError(f"Field {index + 1} has the type {written[:40]}; known are {', '.join(KINDS)}.")
    options = _options(row.get("fieldOptions"))
    if kind in CHOICES and not options:
        if kind != "checkbox":
            raise ValueError(f"The field '{key[:80]}' needs options to choose from.")
        options = [label]
    several = kind == "checkbox" or (kind == "dropdown" and row.get("multiselect") is True)
    if kind == "file":
        several = row.get("multipleFiles", True) is not False
    least, most = _bounds(row) if several and kind != "file" else (0, None)
    return FormField(
        key=key,
        name=f"field-{index}",
        kind=kind,
        label=label or key,
        required=row.get("requiredField") is True,
        placeholder=plain(row.get("placeholder")),
        default=plain(row.get("fieldValue") or row.get("defaultValue")),
        options=options,
        several=several,
        least=least,
        most=most,
        accept=plain(row.get("acceptFileTypes")),
        html=plain(row.get("html")),
        date_format=plain(row.get("formatDate")),
    )


def _options(value: Json) -> list[str]:
    rows = value.get("values") if isinstance(value, dict) else value
    if not isinstance(rows, list):
        return []
    texts = [plain(row.get("option")) if isinstance(row, dict) else plain(row) for row in rows[:MOST_OPTIONS]]
    return list(dict.fromkeys(text for text in texts if text))


def _bounds(row: Mapping[str, Json]) -> tuple[int, int | None]:
    limit = row.get("limitSelection")
    if limit == "exact":
        number = _number(row.get("numberOfSelections"), 1)
        return number, number
    if limit == "range":
        return _number(row.get("minSelections"), 0), _number(row.get("maxSelections"), MOST_OPTIONS)
    return 0, None


def _number(value: Json, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else default
