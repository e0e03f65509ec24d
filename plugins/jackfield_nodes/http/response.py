"""Makes items of an answer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeError
from jackfield.api.nodes.files import with_file
from jackfield.api.nodes.items import new_item
from jackfield.api.workflows import BinaryData, Item, Items
from jackfield_nodes.http.call import Expect, Format, Reply

EXCERPT = 300
DEEPEST = 200
_FILE_TYPES = (
    "image/",
    "audio/",
    "video/",
    "font/",
    "application/octet-stream",
    "application/pdf",
    "application/zip",
    "application/gzip",
    "application/x-",
    "application/epub+zip",
    "application/msword",
    "application/vnd.",
)
_TEXT_TYPES = ("application/x-www-form-urlencoded", "application/x-ndjson", "application/x-yaml", "image/svg+xml")


def media_type(reply: Reply) -> str:
    """Lower case, without parameters."""
    return reply.header("content-type").partition(";")[0].strip().lower()


def detected(kind: str) -> Format:
    """How a body of this media type is read when the author leaves it open."""
    if kind in {"application/json", "text/json"} or kind.endswith("+json"):
        return "json"
    if kind not in _TEXT_TYPES and kind.startswith(_FILE_TYPES) and not kind.endswith("+xml"):
        return "file"
    return "text"


def as_text(reply: Reply) -> str:
    """The body in the encoding that it names, else UTF-8; what does not fit is replaced."""
    match = re.search(r"charset=[\"']?([\w.:-]+)", reply.header("content-type"), re.IGNORECASE)
    try:
        return reply.body.decode(match[1] if match else "utf-8", "replace").removeprefix("\ufeff")
    except LookupError:
        return reply.body.decode("utf-8", "replace")


def as_json(reply: Reply, *, lenient: bool) -> Json:
    """The parsed body; an empty one is an empty object. Raises `NodeError`, or with `lenient` gives the text."""
    text = as_text(reply)
    if not text.strip():
        return {}
    try:
        return loads(text, max_depth=DEEPEST)
    except (InvalidInput, ValueError):
        if lenient:
            return text
        raise NodeError(
            f"The answer (status {reply.status}) is not valid JSON; choose the response format text to get it as it is."
        ) from None


def masked(text: str, secrets: Iterable[str]) -> str:
    """The text with every secret replaced."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "***")
    return text


def raise_for_status(reply: Reply, expect: Expect, host: str) -> None:
    """Raises `NodeError` with status and the beginning of the body, unless the status is 2xx or no error."""
    if 200 <= reply.status < 300 or expect.never_error:
        return
    told = f"{host} answered with status {reply.status}{f' ({reply.reason})' if reply.reason else ''}"
    if detected(media_type(reply)) == "file" or not reply.body:
        raise NodeError(f"{told}.")
    excerpt = " ".join(masked(as_text(reply), reply.secrets).split())
    raise NodeError(f"{told}: {excerpt[:EXCERPT]}{'…' if len(excerpt) > EXCERPT else ''}")


def shown_headers(reply: Reply) -> dict[str, Json]:
    """Headers as an object; cookies as a list, other repeated ones joined."""
    shown: dict[str, Json] = {}
    for name, value in reply.headers:
        present = shown.get(name)
        if name == "set-cookie":
            shown[name] = [*(present if isinstance(present, list) else []), value]
        else:
            shown[name] = f"{present}, {value}" if present is not None else value
    return shown


def _frame(reply: Reply, name: str, body: Json) -> dict[str, Json]:
    return {
        name: body,
        "headers": shown_headers(reply),
        "statusCode": reply.status,
        "statusMessage": reply.reason,
    }


def file_name(reply: Reply) -> str | None:
    """From Content-Disposition, else the last part of the path; never with directories."""
    match = re.search(r"filename\*?=(?:UTF-8'')?\"?([^\";]+)", reply.header("content-disposition"), re.IGNORECASE)
    name = unquote(match[1] if match else urlsplit(reply.url).path).replace("\\", "/").rpartition("/")[2].strip()
    return name if name not in {"", ".", ".."} else None


def file_item(reply: Reply, expect: Expect, item: Item, index: int, file: BinaryData) -> Item:
    """The input item with the answer's body as a file."""
    json = item["json"]
    if expect.full:
        json = _frame(reply, "body", None)
        del json["body"]
    return new_item(json, index, {**with_file(item, expect.property_name, file)})


def _json_items(value: Json, expect: Expect, index: int) -> Items:
    rows = value if isinstance(value, list) and expect.split else [value]
    return [new_item(row if isinstance(row, dict) else {expect.property_name: row}, index) for row in rows]


def form_of(reply: Reply, expect: Expect) -> Format:
    """How the body is read."""
    return detected(media_type(reply)) if expect.format == "autodetect" else expect.format


def items_of(reply: Reply, expect: Expect, index: int) -> Items:
    """The node's output for one input item, unless it is a file. Raises `NodeError`."""
    if form_of(reply, expect) == "text":
        text = as_text(reply)
        json: dict[str, Json] = {expect.property_name: text}
        return [new_item(_frame(reply, expect.property_name, text) if expect.full else json, index)]
    value = as_json(reply, lenient=expect.never_error)
    if expect.full:
        return [new_item(_frame(reply, "body", value), index)]
    return _json_items(value, expect, index)
