"""From what a browser sent to the item of a form, or to what is wrong with it, field by field."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date

from jackfield.api.binary import entry, inline_entry
from jackfield.api.body_budget import TakenMemory
from jackfield.api.form_fields import FormField
from jackfield.api.javascript import whole
from jackfield.api.jsontext import Json
from jackfield.api.records import record, state
from jackfield.api.workflows import BinaryData, Item

LONGEST = 100_000
"""Characters of one field."""
_EMAIL = re.compile(r"[^@\s,;<>()]{1,64}@[^@\s,;<>()]{1,255}")
_NOT_NAME = re.compile(r"\W")
_DATE_TOKENS = {"yyyy": "%Y", "yy": "%y", "LL": "%m", "MM": "%m", "dd": "%d"}


@record
class SubmittedFile:
    """A file that came with a form."""

    name: str
    mime_type: str
    content: bytes


@record
class Sent:
    """The inputs that a browser sent: per input its texts and files. `memory`: what they take; None for a small
    form."""

    texts: Mapping[str, Sequence[str]]
    files: Mapping[str, Sequence[SubmittedFile]]
    memory: TakenMemory | None = None

    def text(self, field: FormField) -> str:
        return next(iter(self.texts.get(field.name, ())), "")


@state
class CheckedForm:
    """`values` and `binary`: the item so far. `mistakes`: input name -> what is wrong. `contents`: of the files that
    are too large for their entries in `binary`."""

    values: dict[str, Json]
    binary: dict[str, BinaryData]
    mistakes: dict[str, str]
    contents: dict[str, bytes]


def check(fields: Sequence[FormField], sent: Sent, inline_limit: int | None = None) -> CheckedForm:
    """Every field's value, or what is wrong with it. inline_limit: bytes of the largest file that goes into its entry;
    None: all do."""
    checked = CheckedForm({}, {}, {}, {})
    for field in fields:
        try:
            if field.kind == "file":
                _take_files(field, sent.files.get(field.name, ()), checked, inline_limit)
            elif field.key:
                checked.values[field.key] = _value(field, sent)
        except ValueError as exc:
            checked.mistakes[field.name] = str(exc)
    return checked


def item_of(checked: CheckedForm, **more: Json) -> Item:
    item: Item = {"json": {**checked.values, **more}}
    if checked.binary:
        item["binary"] = checked.binary
    return item


def _value(field: FormField, sent: Sent) -> Json:
    if field.kind == "html":
        return field.html
    if field.options:
        return _chosen(field, sent.texts.get(field.name, ()))
    text = sent.text(field)
    if len(text) > LONGEST:
        raise ValueError(f"At most {LONGEST} characters are accepted.")
    if field.kind != "password":
        text = text.strip() if field.kind != "textarea" else text.replace("\r\n", "\n").strip()
    if not text:
        if field.required:
            raise ValueError("Please fill in this field.")
        return None if field.kind in ("number", "date") else ""
    return _typed(field, text)


def _typed(field: FormField, text: str) -> Json:
    if field.kind == "number":
        return _number(text)
    if field.kind == "date":
        return _date(field, text)
    if field.kind == "email" and not _EMAIL.fullmatch(text):
        raise ValueError("Please enter an email address, such as name@example.com.")
    return text


def _number(text: str) -> int | float:
    try:
        number = float(text) if len(text) < 400 and text.isascii() and "_" not in text else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError("Please enter a number.")
    return whole(number)


def _date(field: FormField, text: str) -> str:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise ValueError("Please enter a date, such as 2026-01-31.") from None
    if not field.date_format:
        return found.isoformat()
    return re.sub("|".join(_DATE_TOKENS), lambda token: format(found, _DATE_TOKENS[token[0]]), field.date_format)


def _chosen(field: FormField, given: Sequence[str]) -> Json:
    chosen = [text for text in dict.fromkeys(given) if text]
    if any(text not in field.options for text in chosen):
        raise ValueError("Please choose from the given options.")
    least = max(field.least, 1 if field.required else 0)
    if len(chosen) < least:
        raise ValueError("Please choose an option." if least == 1 else f"Please choose at least {least} options.")
    if not field.several:
        if len(chosen) > 1:
            raise ValueError("Please choose one option only.")
        return chosen[0] if chosen else ""
    if field.most is not None and len(chosen) > field.most:
        raise ValueError(f"Please choose at most {field.most} options.")
    return list[Json](chosen)


def _take_files(
    field: FormField, files: Sequence[SubmittedFile], checked: CheckedForm, inline_limit: int | None
) -> None:
    present = [file for file in files if file.name]
    if field.required and not present:
        raise ValueError("Please choose a file.")
    if len(present) > 1 and not field.several:
        raise ValueError("Please choose one file only.")
    if any(not accepted(field.accept, file) for file in present):
        raise ValueError(f"Please choose a file of one of these types: {field.accept}.")
    name = _NOT_NAME.sub("_", field.key)
    described: list[Json] = []
    for index, file in enumerate(present):
        key = f"{name}_{index}" if field.several else name
        checked.contents.pop(key, None)
        if inline_limit is not None and len(file.content) > inline_limit:
            checked.contents[key] = file.content
        checked.binary[key] = _binary(file, inline=key not in checked.contents)
        described.append({"filename": file.name, "mimetype": file.mime_type, "size": len(file.content)})
    checked.values[field.key] = described if field.several else described[0] if described else None


def accepted(types: str, file: SubmittedFile) -> bool:
    """Whether a file fits an `accept` attribute: extensions, media types, `image/*`."""
    wanted = [part.strip().lower() for part in types.split(",") if part.strip()]
    mime = file.mime_type.lower()
    return not wanted or any(
        part in ("*", "*/*")
        or (part.startswith(".") and file.name.lower().endswith(part))
        or part == mime
        or (part.endswith("/*") and mime.startswith(part[:-1]))
        for part in wanted
    )


def _binary(file: SubmittedFile, *, inline: bool) -> BinaryData:
    if inline:
        return inline_entry(file.content, file.mime_type, file.name)
    return entry(file.mime_type, file.name, len(file.content))
