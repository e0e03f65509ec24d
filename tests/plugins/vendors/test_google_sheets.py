"""Google Sheets against a server that keeps one sheet."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from loopback import Loopback, Seen, reply
from office_lab import VALUES, connect
from vendor_lab import Lab

from jackfield.api.nodes import NodeError

DOCUMENT = {"__rl": True, "mode": "url", "value": "https://docs.google.com/spreadsheets/d/doc1/edit#gid=0"}
SHEET = {"__rl": True, "mode": "list", "value": "gid=7", "cachedResultName": "People"}
PEOPLE = [["Name", "Age", "Note"], ["Ada", 36, "a"], ["Bob", 5], [], ["Cy", "", "z"]]
PROPERTIES = {"sheetId": 7, "title": "Pe'ople", "gridProperties": {"rowCount": 6, "columnCount": 3}}


class Sheet:
    def __init__(self, server: Loopback, rows: Any) -> None:
        self.rows, self.seen = rows, server.seen
        server.answer = self.answer

    def answer(self, seen: Seen) -> bytes:
        if seen.method == "POST":
            return reply({"replies": [{"addSheet": {"properties": {"title": "New"}}}]})
        if "/values/" in seen.target:
            return reply({"values": self.rows})
        return reply({"sheets": [{"properties": {"sheetId": 0, "title": "Other"}}, {"properties": PROPERTIES}]})

    def written(self) -> list[tuple[str, Any]]:
        return [(unquote(urlsplit(one.target).path), one.json) for one in self.seen if one.method == "POST"]


@pytest.fixture(autouse=True)
def connected(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    connect(lab)
    monkeypatch.setattr("vendor_lab.CREDENTIALS", VALUES)


def given(**more: Any) -> dict[str, Any]:
    return {"documentId": DOCUMENT, "sheetName": SHEET, "options": {}, **more}


async def test_rows_become_items(lab: Lab, server: Loopback) -> None:
    Sheet(server, PEOPLE)
    found = await lab.json("googleSheets", 4.5, given())
    assert found == [
        {"row_number": 2, "Name": "Ada", "Age": 36, "Note": "a"},
        {"row_number": 3, "Name": "Bob", "Age": 5, "Note": ""},
        {"row_number": 4, "Name": "", "Age": "", "Note": ""},
        {"row_number": 5, "Name": "Cy", "Age": "", "Note": "z"},
    ]
    meta, values = server.seen
    assert meta.target == "/spreadsheets/doc1?fields=sheets.properties"
    assert unquote(urlsplit(values.target).path) == "/spreadsheets/doc1/values/'Pe''ople'"
    assert "valueRenderOption=UNFORMATTED_VALUE" in values.target
    assert values.headers["authorization"] == "Bearer canary"


@pytest.mark.parametrize(
    ("version", "options", "rows"),
    [(4.4, {}, [3]), (4.4, {"returnAllMatches": "returnAllMatches"}, [3, 6]), (4.5, {}, [3, 6])],
)
async def test_filters(lab: Lab, server: Loopback, version: float, options: Any, rows: list[int]) -> None:
    Sheet(server, [*PEOPLE, ["Dee", 5]])
    filters = {"values": [{"lookupColumn": "Age", "lookupValue": "5"}]}
    found = await lab.json("googleSheets", version, given(filtersUI=filters, options=options))
    assert [row["row_number"] for row in found] == rows


async def test_a_filter_without_a_value_finds_empty_cells(lab: Lab, server: Loopback) -> None:
    Sheet(server, PEOPLE)
    parameters = given(filtersUI={"values": [{"lookupColumn": "Note"}]}, options={"returnFirstMatch": True})
    assert [row["Name"] for row in await lab.json("googleSheets", 4.5, parameters)] == ["Bob"]


async def test_a_range(lab: Lab, server: Loopback) -> None:
    Sheet(server, [["Name"], ["Ada"]])
    place = {"values": {"rangeDefinition": "specifyRangeA1", "range": "B3:B9"}}
    found = await lab.json("googleSheets", 4.7, given(options={"dataLocationOnSheet": place}))
    assert found == [{"row_number": 4, "Name": "Ada"}]


COLUMNS = {"mappingMode": "defineBelow", "matchingColumns": ["Name"]}


async def test_append_or_update_sends_all_items_at_once(lab: Lab, server: Loopback) -> None:
    sheet = Sheet(server, PEOPLE)
    made = iter([{"Name": "Bob", "Age": 6}, {"Name": "Eve", "Note": {"k": 1}}, {"Name": "Eve", "Age": 2}])
    parameters = [given(operation="appendOrUpdate", columns={**COLUMNS, "value": row}) for row in made]
    found = await run_each(lab, 4.5, parameters)
    assert [item["pairedItem"] for item in found] == [{"item": 0}, {"item": 1}, {"item": 2}]
    assert sheet.written() == [
        (
            "/spreadsheets/doc1/values:batchUpdate",
            {
                "data": [
                    {"range": "'Pe''ople'!B3", "values": [[6]]},
                    {"range": "'Pe''ople'!A6:C6", "values": [["Eve", 2, '{"k":1}']]},
                ],
                "valueInputOption": "USER_ENTERED",
            },
        )
    ]


async def run_each(lab: Lab, version: float, parameters: list[dict[str, Any]]) -> Any:
    return await lab.run(
        "googleSheets", version, {}, [{"json": row} for row in parameters], each=lambda item: item["json"]
    )


async def test_append_makes_room_and_new_columns(lab: Lab, server: Loopback) -> None:
    sheet = Sheet(server, PEOPLE)
    parameters = given(operation="append", columns={"mappingMode": "autoMapInputData", "value": None})
    rows: Any = [{"json": {"Name": str(number), "Extra": True, "row_number": 9}} for number in range(3)]
    assert len(await lab.run("googleSheets", 4, parameters, rows)) == 3
    grow = [("ROWS", 2), ("COLUMNS", 1)]
    assert sheet.written() == [
        (
            "/spreadsheets/doc1:batchUpdate",
            {"requests": [{"appendDimension": {"sheetId": 7, "dimension": name, "length": n}} for name, n in grow]},
        ),
        (
            "/spreadsheets/doc1/values:batchUpdate",
            {
                "data": [
                    {"range": "'Pe''ople'!D1", "values": [["Extra"]]},
                    {"range": "'Pe''ople'!A6:D8", "values": [[str(n), "", "", True] for n in range(3)]},
                ],
                "valueInputOption": "RAW",
            },
        ),
    ]


async def test_an_empty_sheet_gets_its_header(lab: Lab, server: Loopback) -> None:
    sheet = Sheet(server, None)
    columns = {"mappingMode": "defineBelow", "value": {"A": 1, "B": "x"}}
    await lab.run("googleSheets", 4.6, given(operation="append", columns=columns))
    ((_, body),) = sheet.written()
    assert [(one["range"][-5:], one["values"]) for one in body["data"]] == [
        ("A1:B1", [["A", "B"]]),
        ("A2:B2", [[1, "x"]]),
    ]


async def test_update_by_row_number(lab: Lab, server: Loopback) -> None:
    sheet = Sheet(server, PEOPLE)
    value = {"row_number": 5.0, "Age": 1, "Note": "", "Name": None}
    columns = {"mappingMode": "defineBelow", "value": value, "matchingColumns": ["row_number"]}
    await lab.run("googleSheets", 4.7, given(operation="update", columns=columns))
    ((_, body),) = sheet.written()
    assert body["data"] == [{"range": "'Pe''ople'!B5", "values": [[1]]}, {"range": "'Pe''ople'!C5", "values": [[""]]}]


async def test_an_update_that_finds_no_row_writes_nothing(lab: Lab, server: Loopback) -> None:
    sheet = Sheet(server, PEOPLE)
    columns = {**COLUMNS, "value": {"Name": "Nobody", "Age": 1}}
    await lab.run("googleSheets", 4.7, given(operation="update", columns=columns))
    assert sheet.written() == []


async def test_the_service_places_new_rows_with_use_append(lab: Lab, server: Loopback) -> None:
    sheet = Sheet(server, PEOPLE)
    columns = {"mappingMode": "defineBelow", "value": {"Name": "Eve"}}
    await lab.run("googleSheets", 4.5, given(operation="append", columns=columns, options={"useAppend": True}))
    assert sheet.written() == [
        ("/spreadsheets/doc1/values/'Pe''ople'!A1:C5:append", {"values": [["Eve", "", ""]]}),
    ]


async def test_version_3_matches_a_column(lab: Lab, server: Loopback) -> None:
    sheet = Sheet(server, PEOPLE)
    fields = {"values": [{"column": "Age", "fieldValue": ""}, {"column": "Note", "fieldValue": "n"}]}
    more = {"operation": "update", "fieldsUi": fields, "columnToMatchOn": "Name", "valueToMatchOn": "Ada"}
    await lab.run("googleSheets", 3, given(**more))
    ((_, body),) = sheet.written()
    assert body["data"] == [
        {"range": "'Pe''ople'!B2", "values": [[""]]},
        {"range": "'Pe''ople'!C2", "values": [["n"]]},
    ]


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"sheetName": {"__rl": True, "mode": "name", "value": "X"}}, "no sheet X; it has: Other, Pe'ople"),
        ({"sheetName": {"__rl": True, "mode": "list", "value": ""}}, "The parameter sheetName is empty"),
        ({"operation": "append", "columns": {**COLUMNS, "value": {"X": 1}}}, "no column X; it has: Name, Age, Note"),
        ({"operation": "update", "columns": {"value": {"Age": 1}}}, "No column to match on"),
        ({"operation": "delete", "startIndex": "x"}, "startIndex must be a row from 1, not x"),
    ],
)
async def test_what_is_wrong_is_told(lab: Lab, server: Loopback, parameters: Any, told: str) -> None:
    sheet = Sheet(server, PEOPLE)
    with pytest.raises(NodeError, match=told):
        await lab.run("googleSheets", 4.5, given(**parameters))
    assert sheet.written() == []


@pytest.mark.parametrize(
    ("parameters", "path", "body"),
    [
        ({"operation": "clear"}, "/values/'Pe''ople':clear", {}),
        ({"operation": "clear", "keepFirstRow": True}, "/values/'Pe''ople'!A2:ZZZ:clear", {}),
        (
            {"operation": "clear", "clear": "specificRows", "startIndex": 3, "rowsToDelete": 2},
            "/values/'Pe''ople'!3:4:clear",
            {},
        ),
        (
            {"operation": "delete", "startIndex": 3},
            ":batchUpdate",
            [{"deleteDimension": {"range": {"sheetId": 7, "dimension": "ROWS", "startIndex": 2, "endIndex": 3}}}],
        ),
        ({"operation": "create", "title": "New"}, ":batchUpdate", [{"addSheet": {"properties": {"title": "New"}}}]),
        ({"operation": "remove"}, ":batchUpdate", [{"deleteSheet": {"sheetId": 7}}]),
    ],
)
async def test_other_operations(lab: Lab, server: Loopback, parameters: Any, path: str, body: Any) -> None:
    sheet = Sheet(server, PEOPLE)
    await lab.run("googleSheets", 4.5, given(**parameters))
    assert sheet.written() == [(f"/spreadsheets/doc1{path}", body if body == {} else {"requests": body})]


async def test_version_1_reads_and_upserts(lab: Lab, server: Loopback) -> None:
    sheet = Sheet(server, [["id", "n"], ["a", 1], ["b", 2]])
    found = await lab.json("googleSheets", 1, {"sheetId": "doc1", "range": "Data!A:B", "options": {}})
    assert found == [{"id": "a", "n": 1}, {"id": "b", "n": 2}]
    look = {"sheetId": "doc1", "operation": "lookup", "lookupColumn": "id", "lookupValue": "b"}
    assert await lab.json("googleSheets", 1, look) == [{"id": "b", "n": 2}]
    rows: Any = [{"json": {"id": "b", "n": 3}}, {"json": {"id": "c", "other": 1}}]
    await lab.run("googleSheets", 2, {"sheetId": "doc1", "operation": "upsert", "range": "Data!A:B"}, rows)
    assert sheet.written() == [
        (
            "/spreadsheets/doc1/values:batchUpdate",
            {"data": [{"range": "'Data'!B3", "values": [[3]]}], "valueInputOption": "RAW"},
        ),
        ("/spreadsheets/doc1/values/'Data'!A1:B3:append", {"values": [["c", ""]]}),
    ]
