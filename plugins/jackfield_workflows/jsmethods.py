"""Methods and functions of JavaScript, and of expressions, on JSON values: exactly, or `Beyond`.

Texts are counted in UTF-16 units there, so that whatever counts takes plain ASCII alone. Every method does work in
proportion to its text or list, and no result is longer than `LONGEST`.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import NoReturn, TypeAlias

from jackfield_workflows.jsfunctions import keys_of, parsed, stringify, values_of
from jackfield_workflows.jsoperators import (
    BLANK,
    LONGEST,
    MOST_ENTRIES,
    UNDEFINED,
    Thrown,
    beyond,
    checked,
    checked_text,
    equal,
    joined,
    to_number,
    to_text,
    trimmed,
)
from jackfield_workflows.jspatterns import matched, parted, replaced
from jackfield_workflows.jsregex import Pattern
from jackfield_workflows.jsvalues import Beyond, Special

Method: TypeAlias = Callable[..., object]


def _ascii(text: str) -> str:
    return text if text.isascii() else beyond()


def _index(value: object, size: int, default: int) -> int:
    """A place between 0 and size; a negative one counts from the end."""
    if value is UNDEFINED:
        return default
    number = to_number(value)
    if number != number:
        return 0
    place = int(max(-LONGEST * 2, min(LONGEST * 2, number)))
    return max(0, size + place) if place < 0 else min(place, size)


def _words(*values: object) -> list[str]:
    """Arguments that must be texts already."""
    return [value if type(value) is str else beyond() for value in values]


def _slice(value: str | list[object], start: object = UNDEFINED, end: object = UNDEFINED) -> object:
    size = len(_ascii(value)) if isinstance(value, str) else len(value)
    return value[_index(start, size, 0) : max(_index(start, size, 0), _index(end, size, size))]


def _substring(text: str, start: object, end: object = UNDEFINED) -> str:
    size = len(_ascii(text))
    one, other = (max(0, _plain(value, size, default)) for value, default in ((start, 0), (end, size)))
    low, high = sorted((min(one, size), min(other, size)))
    return text[low:high]


def _plain(value: object, size: int, default: int) -> int:
    if value is UNDEFINED:
        return default
    number = to_number(value)
    return 0 if number != number else int(max(-1, min(size, number)))


def _split(text: str, mark: object = UNDEFINED) -> object:
    if mark is UNDEFINED:
        return [text]
    if isinstance(mark, Pattern):
        return parted(text, mark)
    (word,) = _words(mark)
    return text.split(word) if word else list(_ascii(text))


def _replace(text: str, old: object, new: object) -> str:
    if isinstance(old, Pattern):
        return replaced(text, old, new)
    before, after = _words(old, new)
    if "$" in after:
        raise Beyond
    return checked_text(text.replace(before, after, 1))


def _replace_all(text: str, old: object, new: object) -> str:
    if isinstance(old, Pattern):
        return replaced(text, old, new) if old.every else _throw()
    before, after = _words(old, new)
    if "$" in after or not before or text.count(before) * len(after) > LONGEST:
        raise Beyond
    return checked_text(text.replace(before, after))


def _pad(text: str, size: object, fill: object, *, start: bool) -> str:
    (word,) = _words(" " if fill is UNDEFINED else fill)
    width = to_number(size)
    wanted = int(width) - len(_ascii(text)) if abs(width) < LONGEST else beyond()
    if wanted <= 0 or not word:
        return text
    filling = (_ascii(word) * (wanted // len(word) + 1))[:wanted]
    return filling + text if start else text + filling


def _char_at(text: str, place: object = 0) -> str:
    found = _plain(place, len(_ascii(text)), 0)
    return text[found] if 0 <= found < len(text) else ""


def _repeat(text: str, count: object) -> str:
    times = to_number(count)
    times = math.trunc(times) if math.isfinite(times) else 0 if times != times else times
    if not 0 <= times < math.inf:
        raise Thrown
    return text * int(times) if max(1, len(text)) * times <= LONGEST else beyond()


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Beyond from None  # half a character


def _parse_json(text: str) -> object:
    try:
        return parsed(text)
    except Thrown:
        raise Beyond from None  # the user is told


def _to_number(text: str) -> object:
    number = to_number(text)
    return number if number == number else beyond()  # the user is told


def _find(text: str, word: object) -> int:
    return _ascii(text).find(_words(word)[0])


def _at(value: str | list[object], place: object = 0) -> object:
    size = len(_ascii(value)) if isinstance(value, str) else len(value)
    number = to_number(place)
    index = 0 if number != number else int(max(-SIZE, min(SIZE, number)))
    index = size + index if index < 0 else index
    return value[index] if 0 <= index < size else UNDEFINED


def _throw() -> NoReturn:
    raise Thrown


SIZE = 1 << 40

TEXT: Mapping[str, tuple[int, int, Method]] = {
    "toLowerCase": (0, 0, lambda text: _ascii(text).lower()),
    "toUpperCase": (0, 0, lambda text: _ascii(text).upper()),
    "trim": (0, 0, trimmed),
    "trimStart": (0, 0, lambda text: text[len(text) - len(text.lstrip(BLANK)) :]),
    "trimEnd": (0, 0, lambda text: text.rstrip(BLANK)),
    "split": (0, 1, _split),
    "includes": (1, 1, lambda text, word: _words(word)[0] in text),
    "startsWith": (1, 1, lambda text, word: text.startswith(*_words(word))),
    "endsWith": (1, 1, lambda text, word: text.endswith(*_words(word))),
    "indexOf": (1, 1, _find),
    "lastIndexOf": (1, 1, lambda text, word: _ascii(text).rfind(_words(word)[0])),
    "slice": (0, 2, _slice),
    "substring": (1, 2, _substring),
    "replace": (2, 2, _replace),
    "replaceAll": (2, 2, _replace_all),
    "match": (1, 1, lambda text, pattern: matched(text, pattern)),
    "padStart": (1, 2, lambda text, size, fill=UNDEFINED: _pad(text, size, fill, start=True)),
    "padEnd": (1, 2, lambda text, size, fill=UNDEFINED: _pad(text, size, fill, start=False)),
    "charAt": (0, 1, _char_at),
    "at": (0, 1, _at),
    "repeat": (1, 1, _repeat),
    "concat": (0, 3, lambda text, *more: checked_text(text + "".join(map(to_text, more)))),
    "toString": (0, 0, lambda text: text),
    "isEmpty": (0, 0, lambda text: not text),
    "isNotEmpty": (0, 0, lambda text: bool(text)),
    "toJsonString": (0, 0, lambda text: stringify(text)),
    "parseJson": (0, 0, lambda text: _parse_json(text)),
    "toNumber": (0, 0, lambda text: _to_number(text)),
    "base64Encode": (0, 0, lambda text: base64.b64encode(_utf8(text)).decode()),
}


def _includes(values: list[object], wanted: object) -> bool:
    if isinstance(wanted, (dict, list)) or len(values) > MOST_ENTRIES:
        raise Beyond
    return any(
        equal(value, wanted) or (value != value and wanted != wanted)
        for value in values
        if not isinstance(value, (dict, list))
    )


def _index_of(values: list[object], wanted: object) -> int:
    if isinstance(wanted, (dict, list)) or len(values) > MOST_ENTRIES:
        raise Beyond
    places = (
        place for place, value in enumerate(values) if not isinstance(value, (dict, list)) and equal(value, wanted)
    )
    return next(places, -1)


LIST: Mapping[str, tuple[int, int, Method]] = {
    "join": (0, 1, lambda values, mark=UNDEFINED: joined(values, "," if mark is UNDEFINED else to_text(mark))),
    "includes": (1, 1, _includes),
    "indexOf": (1, 1, _index_of),
    "slice": (0, 2, _slice),
    "at": (0, 1, _at),
    "first": (0, 0, lambda values: values[0] if values else UNDEFINED),
    "last": (0, 0, lambda values: values[-1] if values else UNDEFINED),
    "isEmpty": (0, 0, lambda values: not values),
    "isNotEmpty": (0, 0, lambda values: bool(values)),
    "toString": (0, 0, lambda values: joined(values, ",")),
    "toJsonString": (0, 0, lambda values: stringify(values)),
}


def _fixed(value: float, places: object = 0) -> str:
    digits = to_number(places)
    if not 0 <= digits <= 8 or abs(value) >= 1e15 or value != value:
        raise Beyond
    exact = abs(Decimal(value)).quantize(Decimal(1).scaleb(-int(digits)), ROUND_HALF_UP)
    return f"{'-' if value < 0 else ''}{exact:f}"


NUMBER: Mapping[str, tuple[int, int, Method]] = {
    "toFixed": (0, 1, _fixed),
    "toNumber": (0, 0, lambda value: value),
    "isInteger": (0, 0, lambda value: float(value).is_integer()),
    "toString": (0, 0, to_text),
    "isEmpty": (0, 0, lambda value: False),
    "isNotEmpty": (0, 0, lambda value: True),
    "toJsonString": (0, 0, lambda value: stringify(value)),
}
BOOLEAN: Mapping[str, tuple[int, int, Method]] = {
    "toString": (0, 0, to_text),
    "isEmpty": (0, 0, lambda value: False),
    "isNotEmpty": (0, 0, lambda value: True),
}
OBJECT: Mapping[str, tuple[int, int, Method]] = {
    "isEmpty": (0, 0, lambda value: not value),
    "isNotEmpty": (0, 0, lambda value: bool(value)),
    "hasField": (1, 1, lambda value, name: _words(name)[0] in value),
    "keys": (0, 0, lambda value: keys_of(value)),
    "values": (0, 0, lambda value: values_of(value)),
    "toJsonString": (0, 0, lambda value: stringify(value)),
}
METHODS = OBJECT.keys() | TEXT.keys() | LIST.keys() | NUMBER.keys() | BOOLEAN.keys()


def methods_of(value: object) -> Mapping[str, tuple[int, int, Method]]:
    """What can be called on a value. Raises `Thrown` where there is nothing to call on."""
    kind = type(value)
    if kind is str:
        return TEXT
    if kind is list:
        return LIST
    if kind is int or kind is float:
        return NUMBER
    if kind is bool:
        return BOOLEAN
    if value is None or value is UNDEFINED:
        raise Thrown
    if kind is dict:
        return OBJECT
    if isinstance(value, Special):
        return value.methods()
    raise Beyond


def call_method(value: object, name: str, arguments: Sequence[object]) -> object:
    """`value.name(...arguments)`."""
    found = methods_of(value).get(name)
    if found is None:
        raise Beyond
    least, most, method = found
    if not least <= len(arguments) <= most:
        raise Beyond
    checked(value)
    return method(value, *arguments)
