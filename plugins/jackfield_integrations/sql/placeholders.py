"""Finds `$1`, `$2` ... in an author's SQL, outside of strings, quoted names and comments, and puts values there.

`$1:name` (or `$1~`) is a name, `$1:csv` (`$1:list`) a list of values; anything else is one value. Inside of strings
nothing is replaced, so that a value can never end a string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import record
from jackfield_integrations.sql.statements import Part, SqlName, SqlValue, Statement, joined

_STRING = r"'(?:[^']|'')*+'?"
_ESCAPED_STRING = r"'(?:[^'\\]|\\.|'')*+\\?'?"
_NAME = r'"(?:[^"]|"")*+"?'
_TICKS = r"`(?:[^`]|``)*+`?"
_LINE = r"--[^\n]*+"
_PLACE = r"(?P<place>(?<![\w$])\$(?P<number>[0-9]{1,5})(?P<how>~|\^|\#|:(?:name|alias|csv|list|json|raw|value)\b)?)"

_SKIPPED: Mapping[str, str] = {
    "postgres": rf"(?<!\w)[eE]{_ESCAPED_STRING}|{_STRING}|{_NAME}|{_LINE}"
    r"|(?<![\w$])\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?(?:\$(?P=tag)\$|\Z)",
    "mysql": rf'{_ESCAPED_STRING}|"(?:[^"\\]|\\.|"")*+\\?"?|{_TICKS}|{_LINE}|#[^\n]*+|/\*.*?(?:\*/|\Z)',
    "sqlite": rf"{_STRING}|{_NAME}|{_TICKS}|\[[^\]]*+\]?|{_LINE}|/\*.*?(?:\*/|\Z)",
}
_RULES = {
    name: re.compile(rf"(?:{skipped})|(?P<nested>/\*)|(?P<end>;)|{_PLACE}", re.DOTALL)
    for name, skipped in _SKIPPED.items()
}
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_READS = re.compile(r"\s*+(?:SELECT|SHOW|VALUES|TABLE|EXPLAIN|DESCRIBE|DESC|PRAGMA)\b", re.IGNORECASE)
_TRIGGER = re.compile(r"\bCREATE\s+(?:TEMP\s+|TEMPORARY\s+)?TRIGGER\b", re.IGNORECASE)


@record
class SqlPlaceholder:
    """A placeholder. number: from 1; how: what follows it, such as `:name`."""

    start: int
    end: int
    number: int
    how: str


def statements_of(parts: Sequence[Part], dialect: str) -> list[list[Part]]:
    """The same, cut where a statement ends, for drivers that take one at a time.

    A trigger's body holds semicolons: after CREATE TRIGGER nothing is cut.
    """
    if _TRIGGER.search("".join(part for part in parts if isinstance(part, str))):
        return [list(parts)]
    made: list[list[Part]] = [[]]
    for part in parts:
        if not isinstance(part, str):
            made[-1].append(part)
            continue
        done = 0
        for found in _tokens(part, dialect):
            if found["end"]:
                made[-1].append(part[done : found.start()])
                made.append([])
                done = found.end()
        made[-1].append(part[done:])
    return [row for row in made if any(not isinstance(part, str) or part.strip() for part in row)]


@record
class Scan:
    """places: placeholders in order; single: whether there is only one statement."""

    places: Sequence[SqlPlaceholder]
    single: bool


def _comment_end(text: str, start: int) -> int:
    """Where a comment ends in which comments nest."""
    depth = 0
    for edge in _COMMENT_EDGE.finditer(text, start):
        depth += 1 if edge[0] == "/*" else -1
        if not depth:
            return edge.end()
    return len(text)


def _tokens(text: str, dialect: str) -> Iterator[re.Match[str]]:
    position = 0
    while found := _RULES[dialect].search(text, position):
        position = _comment_end(text, found.start()) if found["nested"] else found.end()
        yield found


def scan(text: str, dialect: str) -> Scan:
    """The placeholders and statements that a dialect's rules see in the text."""
    places: list[SqlPlaceholder] = []
    single = True
    for found in _tokens(text, dialect):
        if found["place"]:
            places.append(SqlPlaceholder(found.start(), found.end(), int(found["number"]), found["how"] or ""))
        elif found["end"] and text[found.end() :].strip(" \t\r\n;"):
            single = False
    return Scan(places, single)


def with_values(text: str, values: Sequence[Json], dialect: str) -> Statement:
    """The author's query with these values. Without any, `$1` stays what it is to the database. Raises `NodeError`."""
    reads = bool(_READS.match(text))
    if not text.strip():
        raise NodeError("The parameter query is empty.")
    if not values:
        return Statement([text], reads=reads)
    parts: list[Part] = []
    done = 0
    for place in scan(text, dialect).places:
        parts += [text[done : place.start], *_filled(place, values)]
        done = place.end
    return Statement([*parts, text[done:]], reads=reads)


def _filled(place: SqlPlaceholder, values: Sequence[Json]) -> list[Part]:
    if not 0 < place.number <= len(values):
        raise NodeError(f"The query uses ${place.number}, but there are {len(values)} query parameters.")
    value = values[place.number - 1]
    match place.how:
        case "" | ":json":
            return [SqlValue(value)]
        case "~" | ":name" | ":alias":
            listed = value if isinstance(value, list) else [value]
            return joined([[SqlName(str(name))] for name in listed], ", ")
        case ":csv" | ":list":
            entries = value if isinstance(value, list) else [value]
            return joined([[SqlValue(entry)] for entry in entries], ", ") if entries else ["NULL"]
    raise NodeError(
        f"${place.number}{place.how} would put a value into the query as SQL, which is refused; use ${place.number} "
        f"for a value or ${place.number}:name for a name."
    )
