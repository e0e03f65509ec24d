"""JSON of strangers: read without trust, written without failing.

Requests are read strictly (a field of a wrong type is named in a 400), answers leniently (it counts as absent).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NoReturn

import orjson

from ..jsontext import Json
from .model import DialectError, Object

TOO_DEEP = "The JSON document is nested too deeply."


def invalid(param: str, reason: str) -> DialectError:
    return DialectError(400, f"{param}: {reason}", "invalid_request_error", param=param)


def loads(data: bytes | str) -> Json:
    """Parse one document. Raises `ValueError`.

    Half surrogates, which cut tool output and some providers' deltas contain and orjson refuses, are let through.
    """
    try:
        value: Json = orjson.loads(data)
    except orjson.JSONDecodeError:
        return _with_surrogates(data)
    return value


def _with_surrogates(data: bytes | str) -> Json:
    text = data if isinstance(data, str) else data.decode("utf-8", "surrogatepass")
    if "\\u" not in text:
        raise ValueError("not JSON")
    try:
        value: Json = json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def dumps(value: object) -> bytes:
    """Compact JSON. Raises `DialectError` 400 for a document nested beyond what JSON libraries take."""
    try:
        return orjson.dumps(value)  # type: ignore[no-any-return,unused-ignore]
    except TypeError:
        return _escaped(value)


def _escaped(value: object) -> bytes:
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    except (RecursionError, ValueError):
        raise DialectError(400, TOO_DEEP, "invalid_request_error") from None


def dumps_text(value: object) -> str:
    return dumps(value).decode()


# ------------------------------------------------------------------------------------------------------------- lenient


def obj(value: Json) -> Object:
    return value if type(value) is dict else {}


def arr(value: Json) -> list[Json]:
    return value if type(value) is list else []


def text(value: Json) -> str:
    return value if type(value) is str else ""


def count(value: Json) -> int:
    """A number of tokens, or 0."""
    if type(value) is int and 0 <= value < 10**15:
        return value
    return max(0, int(value)) if type(value) in (int, float) and abs(value) < 1e15 else 0  # type: ignore[arg-type]


# -------------------------------------------------------------------------------------------------------------- strict


def _whole(body: bytes) -> Json:
    """Without half surrogates, which no provider takes: pairs are joined, lone ones replaced by U+FFFD."""
    try:
        value: Json = orjson.loads(body)
    except orjson.JSONDecodeError:
        text = json.dumps(_with_surrogates(body), ensure_ascii=False)
        value = orjson.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return value


def body_object(body: bytes) -> Object:
    """The body of a request."""
    try:
        value = _whole(body)
    except ValueError as exc:
        reason = str(exc) if len(str(exc)) < 200 else "not JSON"
        raise DialectError(400, f"The request body is not valid JSON: {reason}", "invalid_request_error") from None
    if type(value) is not dict:
        raise DialectError(400, "The request body is not a JSON object.", "invalid_request_error")
    return value


def need_text(source: Mapping[str, Json], key: str, where: str = "") -> str:
    value = source.get(key)
    if type(value) is not str or not value:
        raise invalid(where + key, "a text is required")
    return value


def opt_text(source: Mapping[str, Json], key: str, where: str = "") -> str | None:
    value = source.get(key)
    if value is None or type(value) is str:
        return value
    raise invalid(where + key, "must be a text")


def opt_bool(source: Mapping[str, Json], key: str, where: str = "") -> bool | None:
    value = source.get(key)
    if value is None or type(value) is bool:
        return value
    raise invalid(where + key, "must be true or false")


def opt_number(source: Mapping[str, Json], key: str, where: str = "") -> float | None:
    value = source.get(key)
    if value is None or type(value) is float:
        return value
    if type(value) is int:
        return value
    raise invalid(where + key, "must be a number")


def opt_count(source: Mapping[str, Json], key: str, where: str = "", *, least: int = 0) -> int | None:
    value = source.get(key)
    if value is None:
        return None
    if type(value) is int and least <= value < 2**53:
        return value
    raise invalid(where + key, f"must be a whole number of at least {least}")


def opt_object(source: Mapping[str, Json], key: str, where: str = "") -> Object | None:
    value = source.get(key)
    if value is None or type(value) is dict:
        return value
    raise invalid(where + key, "must be an object")


def objects(value: Json, where: str) -> list[Object]:
    """A list of objects; absent counts as empty."""
    if value is None:
        return []
    if type(value) is not list:
        raise invalid(where, "must be a list")
    found: list[Object] = []
    for index, item in enumerate(value):
        if type(item) is not dict:
            raise invalid(f"{where}.{index}", "must be an object")
        found.append(item)
    return found


def texts(value: Json, where: str) -> tuple[str, ...]:
    """A text or a list of texts; absent counts as empty."""
    if value is None:
        return ()
    if type(value) is str:
        return (value,)
    if type(value) is list and all(type(item) is str for item in value):
        return tuple(value)  # type: ignore[arg-type]
    raise invalid(where, "must be a text or a list of texts")
