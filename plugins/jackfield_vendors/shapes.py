"""Shapes: how a request's body, or an item, is built from values. Any JSON, in which texts are templates and objects
may have these keys:

`$when`     {parameter: value or list of values}: the object is there only then.
`$each`     path of a list or an object: one result per element; `$key` and `$value` are its entry.
`$as`       template of the key of each result; without it the results are a list.
`$item`     the shape of each result; without it: the object's other keys.
`$switch`   template; `$case` {value: shape} chooses by it, `$default` else.
`$call`     name of a function of `functions.FUNCTIONS`, which gets the object's other keys.
`$merge`    shapes whose results, objects, are put in. `$without`: keys that are left out of them. `$only`: keys that
            are not. Either is a list, or a template that gives one.

A value that is missing is left out; so is an object of which nothing is left.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import record, replace
from jackfield_vendors.functions.named import FUNCTIONS, SLOW
from jackfield_vendors.templates import (
    MISSING,
    Missing,
    Template,
    TemplateMismatch,
    TemplateScope,
    at,
    compiled,
    unwrapped,
    value_of,
)

Shape = Callable[[TemplateScope], "Json | Missing"]
_WORDS = frozenset(
    {"$when", "$each", "$as", "$item", "$switch", "$case", "$default", "$merge", "$without", "$only", "$call"}
)


def shape_of(written: Json, path: str, names: Callable[[Template, str, bool], None], inside: bool = False) -> Shape:
    """Compile. names: told of each template, its place and whether it is inside of `$each`. Raises ValueError naming
    the place."""
    if isinstance(written, str):
        return _text(written, path, names, inside)
    if isinstance(written, list):
        parts = [shape_of(part, f"{path}[{index}]", names, inside) for index, part in enumerate(written)]
        return lambda scope: [found for part in parts if not isinstance(found := part(scope), Missing)]
    if isinstance(written, dict):
        return _object(written, path, names, inside)
    return lambda scope: written


@record
class ShapeValue:
    """A shape that is worked out between requests; one with a slow function in a thread."""

    shape: Shape
    slow: bool

    async def made(self, scope: TemplateScope) -> Json | Missing:
        return await asyncio.to_thread(self.shape, scope) if self.slow else self.shape(scope)


def value_of_shape(
    written: Json, path: str, names: Callable[[Template, str, bool], None], inside: bool = False
) -> ShapeValue:
    """Compile. Raises as `shape_of`."""
    return ShapeValue(shape_of(written, path, names, inside), _is_slow(written))


def _is_slow(written: Json) -> bool:
    if isinstance(written, dict):
        return written.get("$call") in SLOW or any(_is_slow(part) for part in written.values())
    return isinstance(written, list) and any(_is_slow(part) for part in written)


def matches(when: Mapping[str, Json], values: Mapping[str, Json]) -> bool:
    """Whether every parameter has its value, or one of them."""
    for name, wanted in when.items():
        found = at(unwrapped(values.get(name.split(".")[0])), name.split(".")[1:])
        if found not in (wanted if isinstance(wanted, list) else [wanted]):
            return False
    return True


def _text(text: str, path: str, names: Callable[[Template, str, bool], None], inside: bool) -> Shape:
    try:
        template = compiled(text)
    except ValueError as exc:
        raise TemplateMismatch(f"{path}: {exc}") from None
    names(template, path, inside)
    return lambda scope: value_of(template, scope)


def _object(written: dict[str, Json], path: str, names: Callable[[Template, str, bool], None], inside: bool) -> Shape:
    unknown = [key for key in written if key.startswith("$") and key not in _WORDS]
    if unknown:
        raise TemplateMismatch(f"{path}.{unknown[0]}: there is no such word; there are {', '.join(sorted(_WORDS))}")
    if "$each" in written:
        made = _each(written, path, names)
    elif "$call" in written:
        made = _call(written, path, names, inside)
    elif "$switch" in written:
        made = _switch(written, path, names, inside)
    else:
        made = _plain(written, path, names, inside)
    when = written.get("$when")
    if when is None:
        return made
    if not isinstance(when, dict):
        raise TemplateMismatch(f"{path}.$when: must be an object of parameters and values")
    condition: dict[str, Json] = when
    return lambda scope: made(scope) if matches(condition, scope.parameters) else MISSING


def _each(written: dict[str, Json], path: str, names: Callable[[Template, str, bool], None]) -> Shape:
    source = written["$each"]
    if not isinstance(source, str):
        raise TemplateMismatch(f"{path}.$each: must be a template")
    rows = _text(source, f"{path}.$each", names, True)
    rest = {key: value for key, value in written.items() if key not in ("$each", "$as", "$item", "$when")}
    item = shape_of(written.get("$item", rest), path, names, True)
    named = written.get("$as")
    key = _text(str(named), f"{path}.$as", names, True) if named is not None else None

    def keyed(scope: TemplateScope) -> Json | Missing:
        out: dict[str, Json] = {}
        for inner in elements(rows(scope), scope):
            name, found = key(inner) if key else MISSING, item(inner)
            if not isinstance(name, Missing) and not isinstance(found, Missing):
                out[str(name)] = found
        return out or MISSING

    def listed(scope: TemplateScope) -> Json | Missing:
        found = [made for inner in elements(rows(scope), scope) if not isinstance(made := item(inner), Missing)]
        return found or MISSING

    return listed if key is None else keyed


def elements(rows: Json | Missing, scope: TemplateScope) -> Iterator[TemplateScope]:
    """The scope of each element of a list or an object, as in `$each`."""
    listed = enumerate(rows) if isinstance(rows, list) else ()
    for key, value in rows.items() if isinstance(rows, dict) else listed:
        special = {**scope.special, "$key": key, "$value": value}
        yield replace(scope, element=value, inside=True, special=special)


def _switch(written: dict[str, Json], path: str, names: Callable[[Template, str, bool], None], inside: bool) -> Shape:
    by = _text(str(written["$switch"]), f"{path}.$switch", names, inside)
    cases = written.get("$case")
    if not isinstance(cases, dict):
        raise TemplateMismatch(f"{path}.$case: must be an object of values and shapes")
    made = {value: shape_of(shape, f"{path}.$case.{value}", names, inside) for value, shape in cases.items()}
    other = shape_of(written["$default"], f"{path}.$default", names, inside) if "$default" in written else None

    def chosen(scope: TemplateScope) -> Json | Missing:
        shape = made.get(str(by(scope)), other)
        return MISSING if shape is None else shape(scope)

    return chosen


def _call(written: dict[str, Json], path: str, names: Callable[[Template, str, bool], None], inside: bool) -> Shape:
    function = FUNCTIONS.get(str(written["$call"]))
    if function is None:
        raise TemplateMismatch(
            f"{path}.$call: there is no function {written['$call']}; there are {', '.join(sorted(FUNCTIONS))}"
        )
    rest = {key: value for key, value in written.items() if key not in ("$call", "$when")}
    arguments = _plain(rest, path, names, inside)

    def called(scope: TemplateScope) -> Json | Missing:
        given = arguments(scope)
        try:
            found = function(given if isinstance(given, dict) else {})
        except RecursionError:
            raise NodeError("The answer of the service is nested too deeply to be read.") from None
        return MISSING if found is None else found

    return called


def _plain(written: dict[str, Json], path: str, names: Callable[[Template, str, bool], None], inside: bool) -> Shape:
    fields = [
        (_text(key, f"{path}.{key}", names, inside), shape_of(value, f"{path}.{key}", names, inside))
        for key, value in written.items()
        if key not in _WORDS
    ]
    merged = written.get("$merge", [])
    if not isinstance(merged, list):
        raise TemplateMismatch(f"{path}.$merge: must be a list of shapes")
    others = [shape_of(part, f"{path}.$merge[{index}]", names, inside) for index, part in enumerate(merged)]
    without = shape_of(written.get("$without", []), f"{path}.$without", names, inside)
    only = shape_of(written["$only"], f"{path}.$only", names, inside) if "$only" in written else None

    if not fields and not others:
        return lambda scope: {}

    def built(scope: TemplateScope) -> Json | Missing:
        out: dict[str, Json] = {}
        left_out, kept = _listed(without(scope)), None if only is None else _listed(only(scope))
        for other in others:
            found = other(scope)
            out |= {
                given: element
                for given, element in (found.items() if isinstance(found, dict) else ())
                if element not in (None, "") and given not in left_out and (kept is None or given in kept)
            }
        for key, shape in fields:
            name, value = key(scope), shape(scope)
            if not isinstance(name, Missing) and not isinstance(value, Missing):
                out[str(name)] = value
        return out or MISSING

    return built


def _listed(found: Json | Missing) -> Collection[Json]:
    return found if isinstance(found, list) else ()
