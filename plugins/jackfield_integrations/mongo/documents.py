"""Documents of MongoDB made of items, and items made of documents. Needs the driver."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any

from bson import Binary, Code, DatetimeMS, DBRef, Decimal128, MaxKey, MinKey, ObjectId, Regex, Timestamp
from bson.errors import InvalidId

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_integrations.mongo.parameters import MongoParameters
from jackfield_integrations.parameters import names

_SAFE = 2**53
"""Up to here, numbers are whole in JavaScript too; larger ones come as texts."""
_INT64 = 2**63
MongoDocument = dict[str, Any]
"""Any value that BSON has, hence Any."""


def object_id(value: object) -> ObjectId:
    """Raises `NodeError`."""
    try:
        return ObjectId(str(value))
    except (InvalidId, TypeError):
        raise NodeError(
            f"{str(value)[:100]!r} is no ObjectId, which the field _id must be: 24 digits of 0-9, a-f."
        ) from None


def document_of(
    item: Mapping[str, Json], wanted: MongoParameters, *, nested: bool, keyed: bool
) -> MongoDocument | None:
    """The fields that an item writes. `nested`: whether a field `a.b` becomes an object in `a`, with the option for it.
    `keyed`: whether the update key is one of the fields. None: the item lacks it. Raises `NodeError`."""
    if keyed and wanted.key and wanted.key not in item:
        return None
    dotted = wanted.options.use_dot_notation
    dates = set(names(wanted.options.date_fields))
    made: MongoDocument = {}
    for name in wanted.taken(key=keyed):
        found: object = _at(item, name) if dotted else item.get(name)
        found = _date(found, name) if found and name in dates else stored(found)
        if keyed and name == wanted.key and isinstance(found, dict | list):
            raise NodeError(f"The field {name} tells which document is meant; it must be a plain value.")
        if dotted and nested:
            _put(made, name, found)
        else:
            made[name] = found
    return made


def filter_of(document: MongoDocument, key: str) -> MongoDocument:
    """Which document is meant. An `_id` goes out of the document, as it cannot change. Raises `NodeError`."""
    if key == "_id":
        return {key: object_id(document.pop(key))}
    return {key: document.get(key)}


def _at(item: Mapping[str, Json], path: str) -> Json:
    if path in item:
        return item[path]
    found: Json = dict(item)
    for step in path.split("."):
        if isinstance(found, dict):
            found = found.get(step)
        elif isinstance(found, list) and step.isdecimal() and int(step) < len(found):
            found = found[int(step)]
        else:
            return None
    return found


def _put(document: MongoDocument, path: str, value: object) -> None:
    *above, last = path.split(".")
    place = document
    for step in above:
        inner = place.get(step)
        if not isinstance(inner, dict):
            inner = place[step] = {}
        place = inner
    place[last] = value


def _date(value: object, name: str) -> datetime:
    """As JavaScript reads it: ISO 8601 or RFC 2822, or milliseconds since 1970; without a zone UTC. Raises
    `NodeError`."""
    try:
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value / 1000, UTC)
        text = str(value)
        try:
            found = datetime.fromisoformat(text)
        except ValueError:
            found = parsedate_to_datetime(text)
    except (ValueError, OverflowError, OSError, TypeError):
        raise NodeError(f"The field {name} is no date; write it as 2024-12-31T23:59:59Z.") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def stored(value: object) -> object:
    """JSON as MongoDB keeps it: whole numbers as such, those that BSON cannot hold as floating ones."""
    if isinstance(value, dict):
        return {name: stored(one) for name, one in value.items()}
    if isinstance(value, list):
        return [stored(one) for one in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**31:
        return int(value)
    if isinstance(value, int) and not -_INT64 <= value < _INT64:
        return float(value)
    return value


def file_in(value: object) -> bytes | None:
    """The content of a field that is a file; None: it is none."""
    return bytes(value) if isinstance(value, bytes) else None  # Binary is a subclass


def shown(value: object) -> Json:
    """A value of a document as JSON, as MongoDB's driver for JavaScript shows it."""
    if isinstance(value, dict):
        return {str(name): shown(one) for name, one in value.items()}
    if isinstance(value, list):
        return [shown(one) for one in value]
    if isinstance(value, Code):  # a text to Python
        return {"code": str(value), **({"scope": shown(dict(value.scope))} if value.scope else {})}
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, int):
        return int(value) if abs(value) <= _SAFE else str(int(value))
    if isinstance(value, float):
        return value if isfinite(value) else None
    return _shown_type(value)


def _shown_type(value: object) -> Json:
    match value:
        case ObjectId():
            return str(value)
        case datetime():
            moment = value.astimezone(UTC) if value.tzinfo else value
            return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
        case DatetimeMS():
            return int(value)
        case bytes() | Binary():
            return base64.b64encode(value).decode()
        case Decimal128():
            return {"$numberDecimal": str(value)}
        case Timestamp():
            return {"$timestamp": str((value.time << 32) | value.inc)}
        case DBRef():
            return shown(dict(value.as_doc()))
        case Regex() | MinKey() | MaxKey():
            return {}
    return str(value)
