"""Templates of descriptions: `{channel.id ?? name | lower}` inside a text, compiled once.

A template that is one reference alone keeps the value's type; otherwise the values are joined as text. Alternatives are
tried from left to right until one is there; each may have filters. A name is a parameter, or a field of the element of
`$each`. The names `$response`, `$before`, `$credential`, `$key`, `$value` and `@name` (from the table `values`) say
what they are; `'text'` is itself. `{{` and `}}` are braces.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from jackfield.api.jsontext import Json, dumps
from jackfield.api.records import record
from jackfield_vendors.filters import ARGUMENTS, FILTERS, Filter


class TemplateMismatch(ValueError):
    """A description does not fit; says where and what."""


class Missing:
    """A value that is not there; whoever asks leaves out what would hold it."""

    def __bool__(self) -> bool:
        return False


MISSING: Final = Missing()
_PART = re.compile(r"\{\{|\}\}|\{((?:[^{}']|'[^']*')*)\}")
_PATH = re.compile(r"(?:\.|[@$]?[A-Za-z_][\w-]*)(?:\.[\w-]+)*")


@record
class Alternative:
    """One alternative. path: empty for a literal."""

    path: tuple[str, ...]
    literal: str | None
    filters: tuple[tuple[Filter, str], ...]


@record
class TemplateReference:
    choices: tuple[Alternative, ...]


@record
class Template:
    """parts: texts and references, in order."""

    parts: tuple[str | TemplateReference, ...]

    def names(self) -> set[str]:
        """The first names of all paths."""
        return {path[0] for path in self.paths()}

    def paths(self) -> list[tuple[str, ...]]:
        """All that it names."""
        references = (part for part in self.parts if isinstance(part, TemplateReference))
        return [choice.path for one in references for choice in one.choices if choice.path]


def compiled(text: str) -> Template:
    """Raises ValueError with what is wrong."""
    parts: list[str | TemplateReference] = []
    position = 0
    for match in _PART.finditer(text):
        between = text[position : match.start()]
        _no_brace(between)
        parts.append(between)
        position = match.end()
        parts.append(match[0][0] if match[1] is None else _reference(match[1]))
    _no_brace(text[position:])
    parts.append(text[position:])
    joined: list[str | TemplateReference] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        elif part != "":
            joined.append(part)
    return Template(tuple(joined))


def _no_brace(text: str) -> None:
    if "{" in text or "}" in text:
        raise TemplateMismatch("a brace is not closed; write {{ or }} for a brace itself")


def _reference(source: str) -> TemplateReference:
    return TemplateReference(tuple(_choice(part.strip()) for part in source.split("??")))


def _choice(source: str) -> Alternative:
    head, *rest = (part.strip() for part in _split(source))
    filters = tuple(_filter(part) for part in rest)
    if len(head) >= 2 and head[0] == head[-1] == "'":
        return Alternative((), head[1:-1], filters)
    if not _PATH.fullmatch(head):
        raise TemplateMismatch(f"{{{source}}} is no name of a value")
    return Alternative((".",) if head == "." else tuple(head.split(".")), None, filters)


def _split(source: str) -> list[str]:
    """At `|` outside of quotes."""
    return re.findall(r"(?:[^|']|'[^']*')+", source) or [""]


def _filter(source: str) -> tuple[Filter, str]:
    name, _, argument = source.partition(":")
    found = FILTERS.get(name.strip())
    if found is None:
        raise TemplateMismatch(f"there is no filter {name.strip()}; there are {', '.join(sorted(FILTERS))}")
    quoted = argument.strip()
    plain = quoted[1:-1] if len(quoted) >= 2 and quoted[0] == quoted[-1] == "'" else argument
    try:
        ARGUMENTS.get(name.strip(), str)(plain)
    except (ValueError, re.error) as exc:
        raise TemplateMismatch(f"the filter {name.strip()} cannot have {plain}: {exc}") from None
    return found, plain


@record
class TemplateScope:
    """The scope that templates see.

    `element`: the current element of `$each`. `special`: values whose names begin with `$` or `@`.
    """

    parameters: Mapping[str, Json]
    special: Mapping[str, Json]
    element: Json = None
    inside: bool = False


def value_of(template: Template, scope: TemplateScope) -> Json | Missing:
    """The value, or what the text comes to; missing when any part is."""
    if len(template.parts) == 1 and isinstance(template.parts[0], TemplateReference):
        return _resolved(template.parts[0], scope)
    out = []
    for part in template.parts:
        if isinstance(part, str):
            out.append(part)
            continue
        found = _resolved(part, scope)
        if isinstance(found, Missing):
            return MISSING
        out.append(as_text(found))
    return "".join(out)


def as_text(value: Json) -> str:
    """Texts as they are, true and false, whole numbers without a point, the rest as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return dumps(value).decode()


def _resolved(reference: TemplateReference, scope: TemplateScope) -> Json | Missing:
    for choice in reference.choices:
        found = _chosen(choice, scope)
        if not isinstance(found, Missing):
            return found
    return MISSING


def _chosen(choice: Alternative, scope: TemplateScope) -> Json | Missing:
    found: Json = choice.literal
    if choice.literal is None:
        found = _looked_up(choice.path, scope)
    for work, argument in choice.filters:
        if found is None or found == "":
            break
        found = work(found, argument)
    return MISSING if found is None or found == "" else found


def _looked_up(path: Sequence[str], scope: TemplateScope) -> Json:
    name, rest = path[0], path[1:]
    if name == ".":
        return unwrapped(scope.element)
    if name[0] in "$@":
        found = scope.special.get(name)
    elif scope.inside and isinstance(scope.element, dict) and name in scope.element:
        found = scope.element[name]
    else:
        found = scope.parameters.get(name)
    return at(unwrapped(found), rest)


def at(value: Json, path: Sequence[str]) -> Json:
    """The value below; None when there is none."""
    for name in path:
        if isinstance(value, dict):
            value = unwrapped(value.get(name))
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = unwrapped(value[int(name)])
        else:
            return None
    return value


def unwrapped(value: Json) -> Json:
    """n8n's resource locators stand for their value."""
    return value.get("value") if isinstance(value, dict) and value.get("__rl") is True else value
