"""Large JSON, parsed and written in slices, for threads.

`orjson` keeps the interpreter's lock from a document's beginning to its end, and the event loop waits for as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias, TypeVar

import msgspec
import orjson

from .headroom import check_memory
from .json_values import Json, depth_exceeds, dumps, invalid, too_deep
from .shared_keys import SHAPES

SLICE = 128 * 1024
"""Bytes of JSON that are parsed at a time, a millisecond or two of work."""
ELEMENTS = 1000
"""Elements of a list that are written at a time."""
_FEW = 32
"""Members of a list or an object that are written one by one, since one may have all the data."""
_UNEVEN = 4
"""Slices that elements of very different sizes may make together."""
PartT = TypeVar("PartT")
_Piece: TypeAlias = "bytes | bytearray | msgspec.Raw"


class _TooDeep(Exception):
    """More levels than are accepted."""


def parsed(data: bytes | str, max_depth: int) -> Json:
    """One document; see `jsontext.loads`."""
    given = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    try:
        value = _value(given, max_depth)
    except _TooDeep:
        raise too_deep(max_depth) from None
    except orjson.JSONDecodeError as exc:
        check_memory(exc.msg)
        raise invalid(exc.msg) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise invalid(str(exc)) from None
    if depth_exceeds(value, max_depth):
        raise too_deep(max_depth)
    return value


def stored(data: bytes | bytearray) -> Json:
    """JSON that the daemon or a process of it has written, as deep as the interpreter can follow. Raises ValueError."""
    try:
        return _value(data, len(data))
    except msgspec.DecodeError as exc:
        raise ValueError(str(exc)) from None
    except RecursionError:  # scripts may give anything
        raise ValueError("It has too many levels.") from None


def _value(data: _Piece, levels: int) -> Json:
    """levels: how many more may be nested."""
    view = memoryview(data)
    first = _first(view)
    if len(view) <= SLICE or first not in b"{[":
        found: Json = orjson.loads(view)
        return found
    if not levels:
        raise _TooDeep
    if first == b"[":
        return list(_values(msgspec.json.decode(view, type=list[msgspec.Raw]), len(view), levels - 1))
    pieces = msgspec.json.decode(view, type=dict[str, msgspec.Raw])
    return dict(zip(pieces, _values(list(pieces.values()), len(view), levels - 1), strict=True))


def _values(pieces: list[msgspec.Raw], size: int, levels: int) -> Iterator[Json]:
    """What each piece says; those that are done are let go of. size: bytes of them together."""
    count = max(1, SLICE * len(pieces) // size)
    pieces.reverse()
    while pieces:
        batch = pieces[: -count - 1 : -1]
        del pieces[-count:]
        joined = b",".join(batch)
        if len(joined) > _UNEVEN * SLICE:
            yield from (_value(piece, levels) for piece in batch)
        else:
            yield from SHAPES.shared(orjson.loads(b"[" + joined + b"]"))


def written(value: object, dump: Callable[[object], bytes] = dumps) -> bytes:
    """A value as JSON, in slices. dump: writes a piece. Raises what `dump` raises."""
    return b"".join(pieces(value, dump))


def pieces(value: object, dump: Callable[[object], bytes] = dumps) -> Iterator[bytes]:
    """The JSON of a value in pieces, each of some milliseconds' work. No text, and no member of an object that is one,
    is in two of them. Raises what `dump` raises."""
    if isinstance(value, list) and value:
        if len(value) > _FEW:
            yield from _joined(b"[", map(dump, _parts(value)), b"]")
        else:
            yield from _few(b"[", [(b"", one) for one in value], b"]", dump)
    elif isinstance(value, dict) and value:
        if len(value) > _FEW:
            yield from _joined(b"{", (dump(dict(part)) for part in _parts(list(value.items()))), b"}")
        else:
            yield from _few(b"{", [(dump({name: None})[1:-5], one) for name, one in value.items()], b"}", dump)
    else:
        yield dump(value)


def _few(
    begin: bytes, members: Sequence[tuple[bytes, object]], end: bytes, dump: Callable[[object], bytes]
) -> Iterator[bytes]:
    """A few members, of which each may be large."""
    for place, (name, value) in enumerate(members):
        head = (b"," if place else begin) + name
        if isinstance(value, list | dict):
            yield head
            yield from pieces(value, dump)
        else:
            yield head + dump(value)
    yield end


def _joined(begin: bytes, parts: Iterable[bytes], end: bytes) -> Iterator[bytes]:
    """Lists or objects as one. parts: JSON of each."""
    for place, part in enumerate(parts):
        yield (b"," if place else begin) + part[1:-1]
    yield end


def _parts(values: list[PartT]) -> Iterator[list[PartT]]:
    for start in range(0, len(values), ELEMENTS):
        yield values[start : start + ELEMENTS]


def _first(view: memoryview) -> bytes:
    """The first character that is no white space."""
    for place in range(0, len(view), SLICE):
        if found := bytes(view[place : place + SLICE]).lstrip(b" \t\r\n")[:1]:
            return found
    return b""
