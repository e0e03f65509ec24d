"""JavaScript's rules for reading members of JSON values and for turning them into text.

None stands for undefined as well as for null. Integers keep their digits, also beyond 2^53.
"""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api import jsontext
from jackfield.api.javascript import NotExact as NotExact
from jackfield.api.javascript import Special, to_string

Key = str | int
FORBIDDEN = frozenset(
    """
    __proto__ prototype constructor getPrototypeOf setPrototypeOf getOwnPropertyDescriptor getOwnPropertyDescriptors
    defineProperty defineProperties prepareStackTrace __lookupGetter__ __lookupSetter__ __defineGetter__
    __defineSetter__ mainModule getBuiltinModule dlopen execve loadEnvFile
    """.split()  # noqa: SIM905 - a list of so many names is a page long
)
"""Members that expressions must not use: JavaScript tells the user."""


def member(value: object, key: Key) -> object:
    """`value[key]`, own properties only; None for what JavaScript has no data at."""
    if isinstance(value, dict):
        return value.get(key if type(key) is str else str(key))
    if isinstance(value, list):
        if key == "length":
            return len(value)
        index = array_index(key)
        return value[index] if index is not None and index < len(value) else None
    if isinstance(value, str):
        return text_length(value) if key == "length" else _unit(value, array_index(key))
    if isinstance(value, Mapping):
        return value.get(str(key))
    return None


def array_index(key: Key) -> int | None:
    """The index that a key means: `0` and `"0"`, but not `"00"`."""
    if type(key) is int:
        return key
    text = str(key)
    if text.isascii() and text.isdigit() and (text == "0" or text[0] != "0") and len(text) < 16:
        return int(text)
    return None


def text_length(text: str) -> int:
    """UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _unit(text: str, index: int | None) -> str | None:
    """The code unit at an index. Half a character alone is no text, so U+FFFD stands for it."""
    if index is None:
        return None
    if text.isascii():
        return text[index] if index < len(text) else None
    unit = text.encode("utf-16-le", "surrogatepass")[2 * index : 2 * index + 2]
    return unit.decode("utf-16-le", "replace") if unit else None


def template_text(value: object) -> str:
    """How a value prints inside a template: null, undefined, NaN and "" print nothing, the rest as `String(value)`."""
    if type(value) is str:
        return value
    if value is None or value != value:
        return ""
    return to_string(value)


def json_template_text(value: object) -> str:
    """How a value prints inside a JSON text: objects and lists as JSON, all else as `String(value)`."""
    if isinstance(value, Special):
        return f'"{value.json()}"'
    if isinstance(value, dict | list):
        return jsontext.dumps(value).decode()
    return to_string(value)
