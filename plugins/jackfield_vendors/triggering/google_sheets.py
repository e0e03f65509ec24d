"""Rows of a Google sheet that are added or changed, with the items of n8n's trigger.

n8n compares a sheet with an earlier revision of its document, which it fetches as a workbook; that wants the right to
edit the document. Here the cells of the last poll are remembered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import record
from jackfield.api.triggers.polling import Polled, PollRun
from jackfield.api.workflows import Item
from jackfield_vendors.functions.sheets import text, whole
from jackfield_vendors.requests.sending import ServiceSteps
from jackfield_vendors.templates import TemplateScope

Row: TypeAlias = "list[Json]"
_CORNER = re.compile(r"([A-Za-z]{1,10})([0-9]{0,10})")


def watched(given: Mapping[str, Json]) -> Json:
    """place: the parameter `options.dataLocationOnSheet.values`.

    The range to read (`cells`), the one of the header (`keys`), and the one of the rows (`data`). Also the header's row
    from 1 (`header`) and the index of the first row of data in `cells` (`start`). Raises `NodeError`.
    """
    place = given.get("place")
    values = place if isinstance(place, dict) else {}
    kind = values.get("rangeDefinition")
    cells, header, first = "A:ZZZ", 1, 2
    if kind == "specifyRangeA1":
        cells = text(values.get("range"))
    elif kind == "specifyRange":
        header, first = whole(values.get("headerRow"), 1), whole(values.get("firstDataRow"), 2)
    begin, _, end = cells.partition(":")
    left, right = _CORNER.match(begin), _CORNER.match(end)
    if left is None or right is None:
        raise NodeError("The parameter range must name two corners, such as A:Z or C4:E7.")
    if kind == "specifyRangeA1" and left[2]:
        row = int(left[2])
        keys, data = f"{left[1]}{row}:{right[1]}{row}", f"{left[1]}{row + 1}:{end}"
    else:
        keys, data = f"{left[1]}{header}:{right[1]}{header}", f"{left[1]}{first}:{end}"
    start = first - 1 if kind == "specifyRangeA1" or header >= first else first - 2
    return {"cells": cells, "keys": keys, "data": data, "header": header, "start": start}


async def added(run: PollRun, steps: ServiceSteps, scope: TemplateScope) -> Polled:
    """Rows behind those that were counted before."""
    columns = _rows(scope, "keys")
    if not columns or not columns[0]:
        raise NodeError("The sheet has no columns in its header row.")
    rows = _rows(scope, "data")
    if run.test:
        return Polled(_items(rows, columns[0]))
    _begin(run, scope)
    count = run.state.get("lastIndexChecked")
    if not isinstance(count, int):
        run.state["lastIndexChecked"] = len(rows)
        return Polled()
    taken = rows[count : count + run.limit]
    run.state["lastIndexChecked"] = min(len(rows), count + len(taken)) if taken else len(rows)
    return Polled(_items(taken, columns[0]), len(rows) > count + len(taken))


async def changed(run: PollRun, steps: ServiceSteps, scope: TemplateScope) -> Polled:
    """Rows that differ from those of the last poll."""
    rows = _rows(scope, "cells")
    place = _object(scope, "$place")
    header = whole(place.get("header"), 1) - 1
    start = whole(place.get("start"), 1)
    if run.test:
        columns = rows[header] if len(rows) > header else []
        return Polled(_items([row for index, row in enumerate(rows) if index != header][start:], columns))
    _begin(run, scope)
    before = run.state.get("rows")
    if not isinstance(before, list):
        run.state["rows"] = [*rows]
        return Polled()
    known: list[Row] = [row if isinstance(row, list) else [] for row in before]
    sheet = _Compared(known, rows, header, scope.parameters)
    found = sheet.differences(start)
    taken = found[: run.limit]
    run.state["rows"] = [*rows] if len(taken) == len(found) else [*_seen(known, rows, taken)]
    return Polled([{"json": sheet.item(one)} for one in taken], len(taken) < len(found))


@record
class Difference:
    """index: of the row, from 0. before: None for a row that was not there."""

    index: int
    before: Row | None
    now: Row


class _Compared:
    """Two states of a sheet."""

    def __init__(self, before: list[Row], now: list[Row], header: int, parameters: Mapping[str, Json]) -> None:
        self._before = before
        self._now = now
        self._header = header
        self._any = parameters.get("event") != "rowUpdate"
        self._include = parameters.get("includeInOutput")
        options = parameters.get("options")
        watch = options.get("columnsToWatch") if isinstance(options, dict) else None
        self._watch = [text(name) for name in watch] if isinstance(watch, list) else []
        heads = [rows[header] for rows in (now, before) if len(rows) > header]
        self._names = [text(name) for name in max(heads, key=len, default=[])]

    def differences(self, start: int) -> list[Difference]:
        found = []
        for index in range(start, len(self._now)):
            now = self._now[index]
            before = self._before[index] if index < len(self._before) else None
            if index == self._header or self._watched(now) == self._watched(before):
                continue
            if not self._any and not any(text(one) for one in before or ()):
                continue
            found.append(Difference(index, before, now))
        return found

    def _watched(self, row: Row | None) -> list[str] | None:
        """The cells of a row that count; empty cells at its end do not."""
        if row is None:
            return None
        cells = [text(cell) for cell in row]
        if self._watch:
            places = [self._names.index(name) for name in self._watch if name in self._names]
            return [cells[place] if place < len(cells) else "" for place in places]
        while cells and not cells[-1]:
            cells.pop()
        return cells

    def item(self, one: Difference) -> dict[str, Json]:
        old, new = self._version(one, one.before or []), self._version(one, one.now)
        if self._include == "old":
            return old
        if self._include != "both":
            return new
        differences: dict[str, Json] = {"row_number": one.index + 1}
        for name, value in new.items():
            if name != "row_number" and value != old.get(name):
                differences[name] = {"previous": old.get(name), "current": value}
        return {"previous": old, "current": new, "differences": differences}

    def _version(self, one: Difference, row: Row) -> dict[str, Json]:
        made: dict[str, Json] = {"row_number": one.index + 1}
        if self._any:
            made["change_type"] = "added" if one.before is None else "updated"
        return {**made, **_named(row, self._names)}


def _seen(before: list[Row], now: list[Row], taken: Sequence[Difference]) -> list[Row]:
    """The known rows, with those that are reported now."""
    rows = [*before]
    for one in taken:
        rows += [[] for _ in range(one.index + 1 - len(rows))]
        rows[one.index] = now[one.index]
    return rows


def _begin(run: PollRun, scope: TemplateScope) -> None:
    """Another document or sheet begins anew."""
    sheet = _object(scope, "$sheet").get("sheetId")
    place = {"documentId": scope.special.get("@document"), "sheetId": sheet}
    if any(run.state.get(name) != value for name, value in place.items()):
        run.state.clear()
        run.state.update(place)


def _rows(scope: TemplateScope, name: str) -> list[Row]:
    listed = _object(scope, f"${name}").get("values")
    rows = listed if isinstance(listed, list) else []
    return [row if isinstance(row, list) else [] for row in rows]


def _object(scope: TemplateScope, name: str) -> Mapping[str, Json]:
    found = scope.special.get(name)
    return found if isinstance(found, dict) else {}


def _items(rows: Sequence[Row], columns: Row) -> list[Item]:
    names = [text(name) for name in columns]
    return [{"json": _named(row, names)} for row in rows]


def _named(row: Row, names: Sequence[str]) -> dict[str, Json]:
    """As n8n has it: what is empty, 0 or false is an empty text."""
    return {name: (row[place] if place < len(row) else None) or "" for place, name in enumerate(names)}
