"""Functions of shapes for AWS: lists in forms, and the values of DynamoDB. Sources: the Query protocol of AWS, and
DynamoDB's API reference, AttributeValue."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import isfinite

from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import NodeError


def dotted(given: Mapping[str, Json]) -> Json:
    """The fields with the names of what is inside in front, as AWS' older services want their forms: `a.b`, and
    `a.1`, `a.2` of a list."""
    return dict(_dotted("", dict(given)))


def _dotted(path: str, value: Json) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _dotted(f"{path}.{name}" if path else name, one)
    elif isinstance(value, list):
        for place, one in enumerate(value, 1):
            yield from _dotted(f"{path}.{place}", one)
    elif value is not None:
        yield path, value


def message_attributes(given: Mapping[str, Json]) -> Json:
    """`groups`: attributes of a message in SQS as n8n's node has them, of the groups string, binary and number.
    `files`: the files of the binary ones in their order.
    """
    groups = given.get("groups")
    rows = groups if isinstance(groups, dict) else {}
    files = iter(_rows(given.get("files")))
    made: list[Json] = []
    for group, kind in (("string", "String"), ("binary", "Binary"), ("number", "Number")):
        for row in _rows(rows.get(group)):
            value: dict[str, Json] = {"DataType": kind}
            if group == "binary":
                value["BinaryValue"] = next(files, {}).get("content")
            else:
                value["StringValue"] = _text(row.get("value"))
            made.append({"Name": row.get("name"), "Value": value})
    return made or None


def row_json(given: Mapping[str, Json]) -> Json:
    """rows: `key` and `value` each. An object of them as text."""
    rows = _rows(given.get("rows"))
    return dumps({_text(row.get("key")): row.get("value") for row in rows}).decode() if rows else None


def lambda_result(given: Mapping[str, Json]) -> Json:
    """answer: of a function of Lambda. Raises `NodeError` where the function failed."""
    answer = given.get("answer")
    if isinstance(answer, dict) and "errorMessage" in answer:
        raise NodeError(f"The function failed: {_text(answer['errorMessage'])[:500]}")
    return {"result": answer}


def dynamo_put(given: Mapping[str, Json]) -> Json:
    """item: that is put in, as DynamoDB's values. numbers: whether texts that are numbers become such. Raises
    `NodeError`."""
    item, numbers = given.get("item"), given.get("numbers") is not False
    return {name: _put(value, numbers) for name, value in item.items()} if isinstance(item, dict) else None


def _put(value: Json, numbers: bool) -> Json:
    if value is None:
        return {"NULL": True}
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, dict):
        return {"M": {name: _put(one, numbers=False) for name, one in value.items()}}
    if isinstance(value, list):
        return {"L": [_put(one, numbers=False) for one in value]}
    if isinstance(value, int | float) or (numbers and _is_number(value)):
        return {"N": _text(value).strip() or "0"}
    return {"S": value}


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text)) and "_" not in text
    except ValueError:
        return False


def dynamo_keys(given: Mapping[str, Json]) -> Json:
    """rows: `key`, `type` and `value` of each part of an item's key."""
    return {
        str(row.get("key")): {str(row.get("type") or "S"): _text(row.get("value"))} for row in _rows(given.get("rows"))
    }


def dynamo_values(given: Mapping[str, Json]) -> Json:
    """rows: `attribute`, `type` and `value` of what `:name` stands for in an expression."""
    made: dict[str, Json] = {
        _marked(":", row.get("attribute")): {str(row.get("type") or "S"): _text(row.get("value"))}
        for row in _rows(given.get("rows"))
    }
    return made or None


def dynamo_names(given: Mapping[str, Json]) -> Json:
    """rows: `key` and `value` of what `#name` stands for in an expression."""
    made: dict[str, Json] = {_marked("#", row.get("key")): row.get("value") for row in _rows(given.get("rows"))}
    return made or None


def dynamo_plain(given: Mapping[str, Json]) -> Json:
    """item: with DynamoDB's values, as plain JSON."""
    item = given.get("item")
    return {name: _plain(value) for name, value in item.items()} if isinstance(item, dict) else None


def dynamo_deleted(given: Mapping[str, Json]) -> Json:
    """answer: to a deletion, which has the item where it was asked for; simple: whether it comes as plain JSON."""
    answer = given.get("answer")
    if not isinstance(answer, dict) or not answer:
        return {"success": True}
    return dynamo_plain({"item": answer.get("Attributes")}) if given.get("simple") else answer


def transcript(given: Mapping[str, Json]) -> Json:
    """job: of Transcribe; text: the file of what was said, where there is one; simple: whether its text is enough."""
    text = given.get("text")
    if not isinstance(text, dict):
        return given.get("job")
    results = text.get("results")
    if given.get("simple") is False or not isinstance(results, dict):
        return text
    return {"transcript": " ".join(_text(row.get("transcript")) for row in _rows(results.get("transcripts")))}


def _plain(value: Json) -> Json:
    kind, content = next(iter(value.items()), ("", None)) if isinstance(value, dict) else ("", None)
    match kind:
        case "N":
            return _number(content)
        case "NS" if isinstance(content, list):
            return content
        case "M":
            return dynamo_plain({"item": content})
        case "L" if isinstance(content, list):
            return [_plain(one) for one in content]
        case "NULL":
            return None
    return content


def _number(content: Json) -> Json:
    try:
        found: Json = json.loads(str(content))
    except ValueError:
        return content
    return found


def _marked(mark: str, name: Json) -> str:
    text = _text(name)
    return text if text.startswith(mark) else f"{mark}{text}"


def _rows(value: Json) -> list[dict[str, Json]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else dumps(value).decode()


def rekognition_filters(given: Mapping[str, Json]) -> Json:
    """regions, words: as n8n's node has them; names begin with capitals in Rekognition."""
    made: dict[str, Json] = {}
    boxes: list[Json] = [{"BoundingBox": _capitals(row)} for row in _rows(given.get("regions"))]
    if boxes:
        made["RegionsOfInterest"] = boxes
    if isinstance(words := given.get("words"), dict) and words:
        made["WordFilter"] = _capitals(words)
    return made


def _capitals(row: Mapping[str, Json]) -> dict[str, Json]:
    return {name[:1].upper() + name[1:]: value for name, value in row.items()}


def expense_fields(given: Mapping[str, Json]) -> Json:
    """documents: of Textract's expenses. Each field's type, or its label, with its value. Raises `NodeError`."""
    made: dict[str, Json] = {}
    for document in _rows(given.get("documents")):
        for field in _rows(document.get("SummaryFields")):
            named, value = (field.get(name) for name in ("Type", "ValueDetection"))
            label = field.get("LabelDetection")
            name = _at_text(named) or _at_text(label)
            if name:
                made[name] = _at_text(value)
    if not made and not given.get("documents"):
        raise NodeError("Textract found no expenses.")
    return made


def _at_text(value: Json) -> str:
    return str(value.get("Text") or "") if isinstance(value, dict) else ""
