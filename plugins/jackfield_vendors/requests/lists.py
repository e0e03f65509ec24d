"""Lists of a service's things, for the fields of a form. See `description.DescribedList`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.http_client import HttpCall
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.nodes.lists import ListQuestion, ListRow, LoadedPage, ValuesMissing
from jackfield.api.records import replace
from jackfield_vendors.described.description import DescribedPaging
from jackfield_vendors.operations import CompiledList
from jackfield_vendors.requests.calls import answer_of, is_xml, same_origin
from jackfield_vendors.requests.calls import listed as rows_of
from jackfield_vendors.requests.paging import placed
from jackfield_vendors.requests.sending import ServiceSteps, with_special
from jackfield_vendors.shapes import matches
from jackfield_vendors.templates import Missing, Template, TemplateScope, as_text, at, unwrapped, value_of

Entry = tuple[str, Json]
MOST_PAGES = 10
"""That are looked through for one answer."""
LONGEST = 300
"""Characters of a name."""


def known_values(values: Mapping[str, Json]) -> dict[str, Json]:
    """The values without those that only a run knows."""
    return {name: value for name, value in values.items() if not _is_expression(unwrapped(value))}


def _is_expression(value: Json) -> bool:
    return isinstance(value, str) and value.startswith("=")


class ListReader:
    """Asks one list of one node."""

    def __init__(self, found: CompiledList, steps: ServiceSteps) -> None:
        self._list = found
        self._described = found.described
        self._steps = steps

    async def page(self, question: ListQuestion, scope: TemplateScope) -> LoadedPage:
        """As many pages of the service as it takes until something is found. Raises `NodeError`."""
        self._check(scope)
        return await self._steps.closing(self._page(question, scope), self._list.lastly, scope)

    async def _page(self, question: ListQuestion, scope: TemplateScope) -> LoadedPage:
        scope = await self._steps.stepped(self._list.steps, scope)
        fixed = [] if question.cursor else [_fixed(row) for row in self._described.fixed]
        rows = [row for row in fixed if self._wanted(row, question.search)]
        cursor = question.cursor
        for _ in range(MOST_PAGES):
            found, cursor = await self._one(question, cursor, scope)
            rows += [row for row in found if self._wanted(row, question.search)]
            if rows or not cursor:
                break
        paged = self._described.paging is not None
        return LoadedPage(rows if paged else rows[: question.limit], cursor)

    def _check(self, scope: TemplateScope) -> None:
        empty = [name for name in self._described.needs if unwrapped(scope.parameters.get(name)) in (None, "")]
        if empty:
            raise ValuesMissing(empty)

    async def _one(self, question: ListQuestion, cursor: str, scope: TemplateScope) -> tuple[list[ListRow], str]:
        if self._list.found is not None:
            value = value_of(self._list.found, scope)
            return self._rows(_entries(None if isinstance(value, Missing) else value), scope), ""
        paging = self._described.paging
        call = await self._steps.call(self._list.request, scope)
        if paging is not None:
            call = _begun(paging, call, cursor, question.limit)
        reply = await self._steps.exchange.send(call)
        if len(reply.body) > question.most_bytes:
            raise NodeError(
                f"The list has more than {question.most_bytes} bytes; search for a part of it, or type an ID."
            )
        answer = answer_of(reply, self._steps.node.errors, self._steps.node.title)
        found = at(answer, self._described.rows.split(".")) if self._described.rows else answer
        listed = _entries(rows_of(found, reply) if is_xml(reply) else found)
        following = "" if paging is None else _following(paging, call, answer, cursor, len(listed))
        return self._rows(listed, scope), following

    def _rows(self, entries: Sequence[Entry], scope: TemplateScope) -> list[ListRow]:
        if self._described.inside:
            path = self._described.inside.split(".")
            entries = [
                inner for key, row in entries if self._picked(key, row, scope) for inner in _entries(at(row, path))
            ]
        made = (self._row(entry, scope) for entry in entries if _counts(entry[1], self._where))
        return [row for row in made if row is not None]

    def _picked(self, key: str, row: Json, scope: TemplateScope) -> bool:
        if self._list.pick is None:
            return True
        wanted = value_of(self._list.pick, scope)
        named = [row.get("id"), row.get("name")] if isinstance(row, dict) else []
        return not isinstance(wanted, Missing) and wanted in [key, *named]

    @property
    def _where(self) -> Mapping[str, Json]:
        return dict(self._described.where)  # type: ignore[arg-type]  # scalars are JSON

    def _row(self, entry: Entry, scope: TemplateScope) -> ListRow | None:
        inner = replace(with_special(scope, "$key", entry[0]), element=entry[1], inside=True)
        value = value_of(self._list.row["value"], inner)
        if isinstance(value, Missing) or not isinstance(value, str | int | float | bool):
            return None
        kind = self._text("type", inner)
        return ListRow(
            value,
            (self._text("label", inner) or as_text(value))[:LONGEST],
            self._text("address", inner),
            self._described.types.get(kind, "string") if self._described.types else kind,
        )

    def _text(self, name: str, scope: TemplateScope) -> str:
        template: Template | None = self._list.row.get(name)
        found = value_of(template, scope) if template is not None else ""
        return "" if isinstance(found, Missing) else as_text(found)

    def _wanted(self, row: ListRow, search: str) -> bool:
        return self._described.searchable or not search or search.casefold() in row.label.casefold()


def _entries(rows: Json) -> list[Entry]:
    """The rows of a list or an object with their keys."""
    if isinstance(rows, dict):
        return list(rows.items())
    return [("", row) for row in rows] if isinstance(rows, list) else []


def _counts(row: Json, where: Mapping[str, Json]) -> bool:
    return not isinstance(row, dict) or matches(where, row)


def _fixed(row: Mapping[str, str]) -> ListRow:
    return ListRow(row.get("value", ""), row.get("label", ""), row.get("address", ""), row.get("type", ""))


def _begun(paging: DescribedPaging, call: HttpCall, cursor: str, limit: int) -> HttpCall:
    """The request of the page that the cursor names. Raises `NodeError`."""
    if paging.size is not None:
        call = placed(call, paging.place, paging.size, max(paging.least, min(paging.most, limit)))
    if paging.kind == "url":
        if cursor and not same_origin(cursor, call.url):
            raise NodeError("The cursor belongs to another service; begin again without it.")
        return replace(call, url=cursor, query=[]) if cursor else call
    if paging.kind == "cursor":
        return placed(call, paging.place, paging.send, cursor) if cursor else call
    if cursor and not cursor.isdecimal():
        raise NodeError("The cursor is none of this list; begin again without it.")
    first = paging.first if paging.first is not None or paging.kind != "page" else 1
    number = int(cursor) if cursor else first
    return call if number is None else placed(call, paging.place, paging.send, number)


def _following(paging: DescribedPaging, call: HttpCall, answer: Json, cursor: str, count: int) -> str:
    """The cursor of the next page; empty: there is none."""
    if paging.kind in ("cursor", "url"):
        plain = answer.get(paging.read) if isinstance(answer, dict) else None
        found = plain if plain is not None else at(answer, paging.read.split("."))
        following = as_text(found) if found else ""
        return "" if paging.kind == "url" and not same_origin(following, call.url) else following
    size = next((int(value) for name, value in call.query if name == paging.size and value.isdecimal()), 1)
    if count < size or count == 0:
        return ""
    if paging.kind == "offset":
        return str(int(cursor or paging.first or 0) + count)
    return str(int(cursor or (1 if paging.first is None else paging.first)) + 1)
