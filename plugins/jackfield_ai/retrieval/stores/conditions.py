"""Conditions on the metadata of rows, as SQL. Source: LangChain.js, `PGVectorStore`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_ai.retrieval.stores.port import Condition

_COMPARED: Mapping[str, str] = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def conditions_of(condition: Condition, column: str) -> tuple[list[str], list[object]]:
    """The conditions, all of which must hold, and the values of their `%s`. column: quoted. A property is the same as a
    text, or fits an object with in, notIn, arrayContains, gt, gte, lt, lte or neq. Raises `NodeError` for any other."""
    wheres: list[str] = []
    values: list[object] = []
    for name, wanted in condition.items():
        for where, more in _of_property(name, wanted, column):
            wheres.append(where)
            values += more
    return wheres, values


def _of_property(name: str, wanted: Json, column: str) -> Iterator[tuple[str, list[object]]]:
    text = f"{column}->>%s::text"
    if not isinstance(wanted, dict):
        yield f"{text} = %s", [name, _plain(wanted)]
        return
    if not wanted:
        raise _unfit(name, "nothing")
    for word, value in wanted.items():
        texts = [_plain(one) for one in value] if isinstance(value, list) else []
        # One that is left out would give documents that were not to be seen.
        if word == "in" and isinstance(value, list):
            yield f"{text} = ANY(%s::text[])", [name, texts]
        elif word == "notIn" and isinstance(value, list):
            yield f"NOT ({text} = ANY(%s::text[]))", [name, texts]
        elif word == "arrayContains" and isinstance(value, list):
            yield f"{column}->%s::text ?| %s::text[]", [name, texts]
        elif word in _COMPARED and isinstance(value, int | float):
            yield f"({text})::numeric {_COMPARED[word]} %s::numeric", [name, value]
        elif word == "neq":
            yield f"({text} IS DISTINCT FROM %s)", [name, _plain(value)]
        else:
            raise _unfit(name, word)


def _unfit(name: str, word: str) -> NodeError:
    return NodeError(
        f"The filter of {name[:100]!r} has {word[:50]!r} with a value that it cannot have. Write a text, or in, notIn "
        "or arrayContains with a list, gt, gte, lt or lte with a number, or neq."
    )


def _plain(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
