"""The rows of some services that templates alone cannot describe; functions of shapes (`$call`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from jackfield.api.jsontext import Json
from jackfield_vendors.templates import at


def airtable_files(given: Mapping[str, Json]) -> Json:
    """fields: of a record; names: of fields with attachments. Each attachment, with `property` for its binary field."""
    fields, names = given.get("fields"), given.get("names")
    return [
        {**attachment, "property": f"{name}_{index}"}
        for name in (names if isinstance(names, list) else [])
        for index, attachment in enumerate(_listed(fields, str(name)))
        if isinstance(attachment, dict)
    ] or None


def notion_page(given: Mapping[str, Json]) -> Json:
    """page: of Notion. Its id and properties, as n8n's first version simplifies them."""
    page = given.get("page")
    properties = page.get("properties") if isinstance(page, dict) else None
    if not isinstance(page, dict) or not isinstance(properties, dict):
        return page
    return {"id": page.get("id")} | dict(_simplified(properties))


def _simplified(properties: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    """Without those of kinds that n8n leaves out."""
    for name, value in properties.items():
        kind = value.get("type") if isinstance(value, dict) else None
        simple = _PROPERTIES.get(kind) if isinstance(kind, str) else None
        if simple is not None and isinstance(value, dict):
            found = list(simple(value, value.get(str(kind))))
            if found:
                yield name, found[0]


def _same(_: Mapping[str, Json], value: Json) -> Sequence[Json]:
    return [value]


def _text(_: Mapping[str, Json], value: Json) -> Sequence[Json]:
    parts = value if isinstance(value, list) else []
    return ["".join(str(part.get("plain_text") or "") for part in parts if isinstance(part, dict))]


def _name(_: Mapping[str, Json], value: Json) -> Sequence[Json]:
    """Left out where there is one without a name."""
    if not isinstance(value, dict):
        return [None]
    return [value["name"]] if "name" in value else []


def _status(_: Mapping[str, Json], value: Json) -> Sequence[Json]:
    return [value["name"]] if isinstance(value, dict) and "name" in value else []


def _each(*path: str) -> Callable[[Mapping[str, Json], Json], Sequence[Json]]:
    """The value that stands there in each of a list; an empty object where nothing does."""

    def values(_: Mapping[str, Json], value: Json) -> Sequence[Json]:
        return [[at(one, path) or {} for one in value]] if isinstance(value, list) else [value]

    return values


def _formula(_: Mapping[str, Json], value: Json) -> Sequence[Json]:
    kind = value.get("type") if isinstance(value, dict) else None
    return [value[kind]] if isinstance(value, dict) and isinstance(kind, str) and kind in value else []


def _rollup(_: Mapping[str, Json], value: Json) -> Sequence[Json]:
    if not isinstance(value, dict):
        return []
    function, number = str(value.get("function") or ""), value.get("number")
    if function.startswith("count") or "empty" in function:
        percent = "percent" in function and isinstance(number, int | float)
        return [number * 100 if percent and isinstance(number, int | float) else number]
    if not function.startswith("show") or value.get("type") != "array":
        return []
    found = [one for element in _listed(value, "array") for one in _flat(element)]
    return [list({repr(one): one for one in found}.values()) if function == "show_unique" else found]


def _flat(element: Json) -> Iterator[Json]:
    for _, value in _simplified({"": element}):
        yield from value if isinstance(value, list) else [value]


def _files(_: Mapping[str, Json], value: Json) -> Sequence[Json]:
    rows = value if isinstance(value, list) else []
    return [[at(row, [str(row.get("type")), "url"]) for row in rows if isinstance(row, dict)]]


_PROPERTIES: Mapping[str, Callable[[Mapping[str, Json], Json], Sequence[Json]]] = {
    **dict.fromkeys(("url", "created_time", "checkbox", "number", "last_edited_time", "email"), _same),
    **dict.fromkeys(("phone_number", "date"), _same),
    **dict.fromkeys(("rich_text", "title"), _text),
    **dict.fromkeys(("created_by", "last_edited_by", "select"), _name),
    "people": _each("person", "email"),
    "multi_select": _each("name"),
    "relation": _each("id"),
    "formula": _formula,
    "rollup": _rollup,
    "files": _files,
    "status": _status,
}
"""Kind of a property -> its simple value from the property and what stands under its kind; nothing: it is left out."""


def outlook_plan(given: Mapping[str, Json]) -> Json:
    """filters, output, fields, files: parameters of the node; since, now, test: of the poll. `places` that are asked,
    and `select`, `filter`, `order` and `size` of each."""
    filters = given.get("filters")
    known = filters if isinstance(filters, dict) else {}
    folders = [str(one) for one in _listed(known, "foldersToInclude") if one]
    chosen, test = _outlook_filter(known), given.get("test") is True
    since, now = given.get("since"), given.get("now")
    if since is not None and not test:
        dates = f"receivedDateTime ge {since} and receivedDateTime lt {now}"
        chosen = f"{chosen} and {dates}" if chosen else dates
    elif chosen:  # what a list is sorted by has to come first
        chosen = f"receivedDateTime ge 1900-01-01T00:00:00Z and ({chosen})"
    return {
        "places": [{"filePath": f"mailFolders/{one}/messages"} for one in folders] or [{"filePath": "messages"}],
        "select": _outlook_select(given),
        "filter": chosen or None,
        "order": "receivedDateTime desc" if test else None,
        "size": 1 if test else 100,
    }


_SIMPLE = ("id", "conversationId", "subject", "bodyPreview", "from", "toRecipients", "categories", "hasAttachments")


def _outlook_select(given: Mapping[str, Json]) -> Json:
    """With the time, which tells what is new."""
    if given.get("output") == "fields":
        files = ["hasAttachments"] if given.get("files") is True else []
        return ",".join(map(str, dict.fromkeys([*_listed(given, "fields"), *files, "receivedDateTime"])))
    return None if given.get("output") == "raw" else ",".join([*_SIMPLE, "receivedDateTime"])


def _outlook_filter(known: Mapping[str, Json]) -> str:
    parts = [f"parentFolderId ne {_quoted(one)}" for one in _listed(known, "foldersToExclude")]
    if sender := known.get("sender"):
        parts.append(f"(from/emailAddress/address eq {_quoted(sender)} or from/emailAddress/name eq {_quoted(sender)})")
    if has := known.get("hasAttachments"):
        parts.append(f"hasAttachments eq {'false' if str(has).lower() == 'false' else 'true'}")
    status = known.get("readStatus") or "both"
    if status != "both":
        parts.append(f"isRead eq {'true' if status == 'read' else 'false'}")
    if custom := known.get("custom"):
        parts.append(str(custom))
    return " and ".join(parts)


def _quoted(value: Json) -> str:
    return "'" + str(value).replace("'", "''") + "'"


def outlook_message(given: Mapping[str, Json]) -> Json:
    """message: of Outlook; output: `simple`, `raw` or `fields`, which are its fields then."""
    message = given.get("message")
    if not isinstance(message, dict) or given.get("output") == "raw":
        return message
    if given.get("output") == "fields":
        wanted = _listed(given, "fields")
        return {name: one for name, one in message.items() if name != "receivedDateTime" or name in wanted}
    people = [at(one, ["emailAddress", "address"]) for one in _listed(message, "toRecipients")]
    named = {"from": at(message, ["from", "emailAddress", "address"]), "to": people}
    simple = {name: message[name] for name in _SIMPLE if name in message and name not in ("from", "toRecipients")}
    return simple | {name: one for name, one in named.items() if one is not None}


def _listed(value: Json | Mapping[str, Json], name: str) -> list[Json]:
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, list) else []
