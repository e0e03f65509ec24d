"""Data tables: made, filled, filtered and written as files by somebody at the page."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

COLUMNS = [
    {"name": "item", "type": "string"},
    {"name": "count", "type": "number"},
    {"name": "sold", "type": "boolean"},
    {"name": "made", "type": "date"},
]
MANY = 100_000
PASSWORD = "a-long-password"


@pytest.fixture(scope="module")
def api(daemon: Daemon) -> httpx.Client:
    return daemon.admin(timeout=60)


def table_of(api: httpx.Client, name: str, rows: list[dict[str, Any]]) -> str:
    made = api.post("/data-tables", json={"name": name, "columns": COLUMNS}).raise_for_status().json()
    if rows:
        api.post(f"/data-tables/{made['id']}/rows", json={"data": rows}).raise_for_status()
    return str(made["id"])


def rows_of(api: httpx.Client, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api.get(f"/data-tables/{table}/rows").json()["data"]
    return found


def opened(page: Page, table: str) -> Locator:
    page.goto(f"/ui/data-tables/{table}")
    grid = page.get_by_role("grid")
    grid.wait_for()
    poll(lambda: grid.get_attribute("aria-busy") == "false", "the rows are read")
    return grid


def values(api: httpx.Client, table: str, column: str) -> list[Any]:
    return [row[column] for row in rows_of(api, table)]


def test_a_table_is_made_and_filled_by_hand(page: Page, api: httpx.Client) -> None:
    page.goto("/ui/data-tables?new")
    dialog = page.get_by_role("dialog", name="New data table")
    dialog.get_by_label("Name").fill("Stock")
    dialog.get_by_role("button", name="Create").click()
    page.get_by_role("heading", name="Stock").wait_for()
    table = page.url.rpartition("/")[2]
    for name, kind in (("item", "string"), ("count", "number")):
        page.get_by_role("button", name="Add column").click()
        dialog = page.get_by_role("dialog", name="Add column")
        dialog.get_by_label("Name").fill(name)
        dialog.get_by_label("Type").select_option(kind)
        dialog.get_by_role("button", name="Add").click()
        page.get_by_role("columnheader", name=name).wait_for()

    page.get_by_role("button", name="Add row").click()
    page.get_by_role("gridcell", name="null").first.wait_for()
    poll(lambda: page.evaluate("document.activeElement.role") == "grid", "the grid has the focus")
    page.keyboard.type("Nails")
    page.keyboard.press("Tab")
    page.keyboard.type("many")
    page.keyboard.press("Enter")
    page.get_by_role("alert").get_by_text("Give a number").wait_for()
    page.keyboard.press("Control+a")
    page.keyboard.type("12")
    page.keyboard.press("Enter")
    poll(lambda: [(row["item"], row["count"]) for row in rows_of(api, table)] == [("Nails", 12)], "it is stored")

    page.keyboard.press("Control+z")
    poll(lambda: values(api, table, "count") == [None], "the last change is undone")
    page.keyboard.press("Control+Shift+z")
    poll(lambda: values(api, table, "count") == [12], "and done again")


def test_cells_are_written_by_type_emptied_copied_and_pasted(
    make_context: Callable[..., BrowserContext], daemon: Daemon, api: httpx.Client
) -> None:
    context = make_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=daemon.base_url)
    page = context.new_page()
    table = table_of(api, "Parts", [{"item": "Nut", "count": 1, "sold": True, "made": "2026-01-31T12:00:00Z"}])
    grid = opened(page, table)
    grid.get_by_role("gridcell", name="true").dblclick()
    page.get_by_label("sold, new value").select_option("false")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    field = page.get_by_label("made, new value")
    assert field.input_value() == "2026-01-31T12:00"
    field.fill("2026-02-01T08:30")
    page.keyboard.press("Enter")
    poll(lambda: values(api, table, "made") == ["2026-02-01T08:30:00.000Z"], "the date is stored")
    assert values(api, table, "sold") == [False]

    grid.get_by_role("gridcell", name="Nut").click()
    page.evaluate("navigator.clipboard.writeText('Bolt\\t2\\n\"Two\\nlines\"\\t3')")
    page.keyboard.press("Control+v")
    poll(lambda: values(api, table, "count") == [2, 3], "two lines are pasted, the second as a new row")
    assert values(api, table, "item") == ["Bolt", "Two\nlines"]
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Control+c")
    assert page.evaluate("navigator.clipboard.readText()") == "Bolt\t2"
    page.keyboard.press("Delete")
    poll(lambda: values(api, table, "item") == [None, "Two\nlines"], "the chosen cells are emptied")
    assert values(api, table, "count") == [None, 3]


def test_rows_are_found_sorted_exported_and_deleted(page: Page, api: httpx.Client, axe: Callable[[Page], None]) -> None:
    table = table_of(api, "Sales", [{"item": f"thing {number}", "count": number} for number in range(300)])
    grid = opened(page, table)
    axe(page)
    page.get_by_role("button", name="Filter").click()
    page.get_by_role("button", name="Add condition").click()
    page.get_by_label("Column", exact=True).select_option("count")
    page.get_by_label("Comparison").select_option("gte")
    page.get_by_label("Value", exact=True).fill("290")
    page.get_by_text("10 of 300 rows").wait_for()
    sort = grid.get_by_role("columnheader", name=re.compile("^count")).get_by_role("button", name=re.compile("^count"))
    sort.click()
    sort.click()
    grid.locator("[aria-sort=descending]").wait_for()
    grid.locator("[aria-rowindex='2']").get_by_text("thing 299").wait_for()
    axe(page)

    with page.expect_download() as saved:
        page.get_by_role("link", name="Export these rows").click()
    lines = list(csv.DictReader(io.StringIO(saved.value.path().read_text(encoding="utf-8"))))
    assert [line["item"] for line in lines] == [f"thing {number}" for number in range(299, 289, -1)]

    boxes = grid.get_by_role("checkbox")
    boxes.nth(0).click()
    boxes.nth(2).click(modifiers=["Shift"])
    page.get_by_role("button", name="Delete 3 rows").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_text("7 of 297 rows").wait_for()
    assert api.get(f"/data-tables/{table}").json()["rows"] == 297


def test_what_others_write_shows_and_a_viewer_only_reads(
    make_context: Callable[..., BrowserContext], daemon: Daemon, api: httpx.Client
) -> None:
    table = table_of(api, "Live", [{"item": "first"}])
    user = {"username": "vera", "password": PASSWORD, "role": "viewer"}
    api.post("/users", json=user).raise_for_status()
    page = make_context(stranger=True).new_page()
    page.goto(f"/ui/data-tables/{table}")
    form = page.locator("form").filter(has=page.get_by_label("User name"))
    form.get_by_label("User name").fill("vera")
    form.locator("input[autocomplete=current-password]").fill(PASSWORD)
    form.get_by_role("button", name="Log in", exact=True).click()
    grid = page.get_by_role("grid")
    grid.get_by_text("first").wait_for()
    api.post(f"/data-tables/{table}/rows", json={"data": [{"item": "second"}]}).raise_for_status()
    grid.get_by_text("second").wait_for()

    assert grid.get_attribute("aria-readonly") == "true"
    assert grid.get_by_role("checkbox").count() == page.get_by_role("button", name="Add row").count() == 0
    grid.get_by_text("first").dblclick()
    page.keyboard.type("x")
    assert grid.locator("input, select").count() == 0


def test_very_many_rows_are_imported_and_the_last_is_a_key_away(page: Page, api: httpx.Client) -> None:
    table = table_of(api, "Readings", [])
    text = "item,count\n" + "".join(f"kiln {number},{number}\n" for number in range(MANY))
    grid = opened(page, table)
    with page.expect_file_chooser() as chosen:
        page.get_by_role("button", name="Import CSV").click()
    chosen.value.set_files({"name": "bad.csv", "mimeType": "text/csv", "buffer": b"count\n1\nmany\n"})
    page.get_by_text("line 3 of the CSV file").wait_for()
    with page.expect_file_chooser() as chosen:
        page.get_by_role("button", name="Import CSV").click()
    chosen.value.set_files({"name": "readings.csv", "mimeType": "text/csv", "buffer": text.encode()})
    page.get_by_text(f"{MANY:,} rows imported").wait_for()
    page.get_by_text(f"{MANY:,} rows", exact=True).wait_for()
    assert grid.get_attribute("aria-rowcount") == str(MANY + 1)
    grid.focus()
    page.keyboard.press("Control+ArrowDown")
    grid.get_by_text(f"kiln {MANY - 1}").wait_for()
    assert grid.locator("[data-row]").count() < 60 * (len(COLUMNS) + 3)
    page.keyboard.press("Control+Home")
    grid.get_by_text("kiln 0").wait_for()
