"""Reading members of values: what has its own property, and which names mean something else."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.javascript import UNDEFINED, NotExact, Special
from jackfield_expressions import operators as js
from jackfield_expressions.operators import Thrown
from jackfield_expressions.values import FORBIDDEN, array_index, text_length

OBJECT = frozenset(
    """
    __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ constructor hasOwnProperty
    isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf
    """.split()  # noqa: SIM905 - a list of so many names is a page long
)
"""Names under which an object has something although it does not have such a property itself."""
INHERITED = OBJECT | frozenset(
    """
    anchor at big blink bold charAt charCodeAt codePointAt concat endsWith fixed fontcolor fontsize includes
    indexOf isWellFormed italics lastIndexOf link localeCompare match matchAll normalize padEnd padStart repeat
    replace replaceAll search slice small split startsWith strike sub substr substring sup toLocaleLowerCase
    toLocaleUpperCase toLowerCase toUpperCase toWellFormed trim trimEnd trimLeft trimRight trimStart copyWithin
    entries every fill filter find findIndex findLast findLastIndex flat flatMap forEach join keys map pop push
    reduce reduceRight reverse shift some sort splice toReversed toSorted toSpliced unshift values with
    toExponential toFixed toPrecision index input groups
    """.split()  # noqa: SIM905 - a list of so many names is a page long
)
"""The same for texts, lists and numbers, and for the list that a match gives."""


def read(value: object, key: object) -> object:
    """`value[key]`."""
    if value is None or value is UNDEFINED:
        raise Thrown
    name = key if type(key) is str else js.to_text(key)
    if isinstance(value, Special) or name in FORBIDDEN:
        raise NotExact
    if isinstance(value, Mapping):
        if name in value:
            return value[name]
        return js.beyond() if name in OBJECT else UNDEFINED
    if isinstance(value, (str, list)):
        if name == "length":
            return text_length(value) if isinstance(value, str) else len(value)
        index = array_index(name)
        if index is not None:
            if isinstance(value, str) and not value.isascii():
                raise NotExact
            return value[index] if index < len(value) else UNDEFINED
    if name in INHERITED:
        raise NotExact
    return UNDEFINED
