"""CSV files over the API: recognised, shown before they are stored, mapped, refused by line and column, and written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import httpx
import pytest

COLUMNS = [{"name": "item", "type": "string"}, {"name": "count", "type": "number"}]
CSV = {"content-type": "text/csv"}


def made(api: httpx.Client, name: str) -> str:
    answer = api.post("/data-tables", json={"name": name, "columns": COLUMNS}).raise_for_status()
    return f"/data-tables/{answer.json()['id']}"


def shown(api: httpx.Client, content: bytes, **query: str) -> dict[str, Any]:
    answer = api.post("/data-tables/csv/preview", params=query, content=content, headers=CSV)
    return dict(answer.raise_for_status().json())


def mapped(*columns: Sequence[object]) -> str:
    return json.dumps({"columns": [dict(zip(("place", "name", "type"), each, strict=False)) for each in columns]})


def rows(api: httpx.Client, path: str) -> list[dict[str, Any]]:
    return list(api.get(f"{path}/rows").raise_for_status().json()["data"])


@pytest.mark.parametrize(
    ("content", "encoding", "delimiter"),
    [
        (b"a,b\n1,2\n", "utf-8", "comma"),
        (b"\xef\xbb\xbfa;b\n1,5;2\n", "utf-8", "semicolon"),
        ("a\tb\nü\t2\n".encode("utf-16"), "utf-16", "tab"),
        ("a|b\nx|2\n".encode("utf-16-le"), "utf-16", "pipe"),
        ("a;b\nMüll;2\n".encode("latin-1"), "windows-1252", "semicolon"),
        (b"name\nx;y\nz,w\n", "utf-8", "comma"),
        (b'a;b\n"1;2,3,4";2\n', "utf-8", "semicolon"),
    ],
)
def test_the_form_of_a_file_is_recognised(api: httpx.Client, content: bytes, encoding: str, delimiter: str) -> None:
    found = shown(api, content)
    assert (found["encoding"], found["delimiter"]) == (encoding, delimiter)


def test_a_preview_shows_the_first_rows_and_what_columns_may_become(api: httpx.Client) -> None:
    text = "Unit price;id;2nd;Unit-price;when\n" + "1.5;7;x;true;2026-01-31\n" * 30
    found = shown(api, text.encode())
    assert [(each["name"], each["suggestedName"], each["type"]) for each in found["columns"]] == [
        ("Unit price", "Unit_price", "number"), ("id", "id_2", "number"), ("2nd", "nd", "string"),
        ("Unit-price", "Unit_price_2", "boolean"), ("when", "when", "date"),
    ]  # fmt: skip
    assert (len(found["rows"]), found["rows"][0]) == (20, ["1.5", "7", "x", "true", "2026-01-31"])
    cut = shown(api, b'a,b\n1,2\n3,"4\n5', whole="false")
    assert cut["rows"] == [["1", "2"]]
    cut = shown(api, "a,b\nü,2\nü".encode()[:-1], whole="false")
    assert (cut["encoding"], cut["rows"]) == ("utf-8", [["ü", "2"]])


def test_columns_of_a_file_are_mapped_left_out_and_made_new(api: httpx.Client) -> None:
    path = made(api, "mapped")
    text = "Ware;Menge;Rest;seit\nNägel;12;x;2026-01-31\nÖl;;y;\n".encode("latin-1")
    query = {"encoding": "latin-1", "mapping": mapped((0, "item"), (1, "count"), (3, "since", "date"))}
    answer = api.post(f"{path}/csv", params=query, content=text, headers=CSV).raise_for_status().json()
    assert answer["importedRowCount"] == 2
    assert [each["name"] for each in answer["table"]["columns"]] == ["item", "count", "since"]
    assert [(row["item"], row["count"], row["since"]) for row in rows(api, path)] == [
        ("Nägel", 12, "2026-01-31T00:00:00.000Z"), ("Öl", None, None),
    ]  # fmt: skip
    query = {"name": "made of it", "mapping": mapped((1, "amount", "number"), (0, "ware"))}
    fresh = api.post("/data-tables/csv", params=query, content=b"a;b\n1;2\n", headers=CSV)
    assert fresh.status_code == 201
    assert [(each["name"], each["type"]) for each in fresh.json()["table"]["columns"]] == [
        ("amount", "number"), ("ware", "string"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        (mapped((9, "item")), "no column at 9"),
        (mapped((0, "item"), (0, "count")), "one goes to two"),
        (mapped((0, "item"), (1, "item")), "go to one"),
        (mapped((0, "nope")), "unknown column name 'nope'"),
        (mapped((0, "item", "string")), "has a column item already"),
        (mapped((0, "createdAt", "date")), "reserved"),
        (mapped((0, "x", "json")), "type"),
        ("[]", "JSON object"),
        ('{"columns": []}', "columns"),
    ],
)
def test_a_mapping_that_does_not_fit_stores_nothing(api: httpx.Client, mapping: str, words: str) -> None:
    found = api.get("/data-tables", params={"search": "not mapped"}).json()["data"]
    path = f"/data-tables/{found[0]['id']}" if found else made(api, "not mapped")
    answer = api.post(f"{path}/csv", params={"mapping": mapping}, content=b"a,b\n1,2\n", headers=CSV)
    assert answer.status_code in (400, 409), answer.text
    assert words in answer.text
    table = api.get(path).json()
    assert (table["rows"], len(table["columns"])) == (0, 2)


def test_every_cell_that_does_not_fit_is_named_by_line_and_column(api: httpx.Client) -> None:
    path = made(api, "faults")
    text = 'Ware,Menge\n"two\nlines",1\nx,many\ny,2,3\nz,few\n'
    query = {"mapping": mapped((0, "item"), (1, "count"))}
    answer = api.post(f"{path}/csv", params=query, content=text.encode(), headers=CSV)
    assert answer.status_code == 400
    assert list(answer.json()["details"]) == ["line 4, Menge", "line 5", "line 6, Menge"]
    assert "line 4 of the CSV file" in answer.json()["message"]
    assert "3 cells do not fit" in answer.json()["message"]
    many = "item,count\n" + "x,many\n" * 5000
    answer = api.post(f"{path}/csv", content=many.encode(), headers=CSV)
    assert len(answer.json()["details"]) == 50
    assert rows(api, path) == []


def test_a_file_in_another_encoding_is_refused_with_the_remedy(api: httpx.Client) -> None:
    path = made(api, "encoded")
    content = b"item,count\nM\xfcll,1\n"
    answer = api.post(f"{path}/csv", content=content, headers=CSV)
    assert (answer.status_code, list(answer.json()["details"])) == (400, ["encoding"])
    assert "UTF-8" in answer.json()["message"]
    api.post(f"{path}/csv", params={"encoding": "windows-1252"}, content=content, headers=CSV).raise_for_status()
    assert rows(api, path)[0]["item"] == "Müll"
    answer = api.post("/data-tables/csv/preview", params={"encoding": "utf-8"}, content=content, headers=CSV)
    assert (answer.status_code, list(answer.json()["details"])) == (400, ["encoding"])


def test_a_file_is_written_with_the_columns_and_the_delimiter_that_are_asked_for(api: httpx.Client) -> None:
    path = made(api, "written")
    api.post(f"{path}/rows", json={"data": [{"item": "a;b", "count": 1}]}).raise_for_status()
    asked = {"columns": "count, item,id", "delimiter": "semicolon"}
    assert api.get(f"{path}/csv", params=asked).text == 'count;item;id\n1;"a;b";1\n'
    assert api.get(f"{path}/csv", params={"columns": "nope"}).status_code == 400


def test_more_rows_than_one_piece_are_written_once_each(api: httpx.Client) -> None:
    path = made(api, "pieces")
    text = "item,count\n" + "".join(f"n {n},{n % 7}\n" for n in range(2500))
    api.post(f"{path}/csv", content=text.encode(), headers=CSV).raise_for_status()
    for query in ({}, {"sortBy": "count", "order": "desc"}):
        lines = api.get(f"{path}/csv", params={"columns": "item", **query}).text.splitlines()
        assert (len(lines), len(set(lines))) == (2501, 2501)
