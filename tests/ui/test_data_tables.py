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


def chosen_file(page: Page, name: str, content: bytes) -> Locator:
    """The dialog that shows what is in the file."""
    with page.expect_file_chooser() as chosen:
        page.get_by_role("button", name="Import CSV").click()
    chosen.value.set_files({"name": name, "mimeType": "text/csv", "buffer": content})
    dialog = page.get_by_role("dialog", name=re.compile(f"Import “{name}”"))
    dialog.get_by_label("First rows of the file").wait_for()
    return dialog


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
    page.get_by_role("alert").get_by_text("Enter a number").wait_for()
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

    boxes = grid.get_by_role("checkbox", name=re.compile("Select the row"))
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
    dialog = chosen_file(page, "readings.csv", text.encode())
    dialog.get_by_role("button", name="Import").click()
    dialog.get_by_role("status").get_by_text(re.compile("rows (checked|stored)")).wait_for()
    page.get_by_text(f"{MANY:,} rows imported").wait_for(timeout=60_000)
    page.get_by_text(f"{MANY:,} rows", exact=True).wait_for()
    assert grid.get_attribute("aria-rowcount") == str(MANY + 1)
    grid.focus()
    page.keyboard.press("Control+ArrowDown")
    grid.get_by_text(f"kiln {MANY - 1}").wait_for()
    assert grid.locator("[data-row]").count() < 60 * (len(COLUMNS) + 3)
    page.keyboard.press("Control+Home")
    grid.get_by_text("kiln 0").wait_for()


def test_a_file_is_shown_before_its_rows_are_stored(page: Page, api: httpx.Client, axe: Callable[[Page], None]) -> None:
    table = table_of(api, "Wares", [])
    opened(page, table)
    text = "Ware;COUNT;Preis;Rest\nNägel;12;many;x\nÖl;few;2,5;y\n"
    dialog = chosen_file(page, "wares.csv", text.encode("latin-1"))
    assert dialog.get_by_label("Delimiter").input_value() == "semicolon"
    assert dialog.get_by_label("Encoding").input_value() == "windows-1252"
    assert "Nägel" in dialog.get_by_label("First rows of the file").inner_text()
    assert [dialog.get_by_label(f"Column for {name}").input_value() for name in ("Ware", "COUNT")] == ["-", "count"]
    dialog.get_by_label("Column for Ware").select_option("item")
    dialog.get_by_label("Column for Preis").select_option("+")
    kind = dialog.get_by_label("Type of the new column for Preis")
    kind.select_option("number")
    dialog.get_by_label("Name of the new column for Preis").fill("item")
    dialog.get_by_text("Two columns go here.").first.wait_for()
    assert dialog.get_by_role("button", name="Import").is_disabled()
    dialog.get_by_label("Name of the new column for Preis").fill("price")
    axe(page)
    dialog.get_by_role("button", name="Import").click()
    faults = dialog.get_by_role("alert").get_by_role("listitem")
    faults.first.wait_for()
    assert [fault.split(":")[0] for fault in faults.all_inner_texts()] == [
        "line 2, Preis", "line 3, COUNT", "line 3, Preis",
    ]  # fmt: skip
    assert api.get(f"/data-tables/{table}").json()["rows"] == 0
    kind.select_option("string")
    dialog.get_by_label("Column for COUNT").select_option("-")
    dialog.get_by_role("button", name="Import").click()
    page.get_by_text("2 rows imported").wait_for()
    assert [(row["item"], row["count"], row["price"]) for row in rows_of(api, table)] == [
        ("Nägel", None, "many"), ("Öl", None, "2,5"),
    ]  # fmt: skip


def test_a_file_becomes_a_table(page: Page, api: httpx.Client) -> None:
    page.goto("/ui/data-tables")
    dialog = chosen_file(page, "New things.csv", b"Unit price\twhen\n1.5\t2026-01-31\n")
    assert dialog.get_by_label("Name of the new table").input_value() == "New things"
    dialog.get_by_role("button", name="Import").click()
    named = {"search": "New things"}
    (found,) = poll(lambda: api.get("/data-tables", params=named).json()["data"], "the table is there")
    dialog.wait_for(state="detached")
    page.get_by_role("heading", name="New things").wait_for()
    assert [(each["name"], each["type"]) for each in found["columns"]] == [("Unit_price", "number"), ("when", "date")]
    assert values(api, found["id"], "Unit_price") == [1.5]


def test_added_and_deleted_rows_are_undone_with_their_ids(page: Page, api: httpx.Client) -> None:
    table = table_of(api, "Undone", [{"item": f"thing {number}", "count": number} for number in range(250)])
    before = api.get(f"/data-tables/{table}/rows", params={"limit": 1000}).json()["data"]
    grid = opened(page, table)

    def stored() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = api.get(f"/data-tables/{table}/rows", params={"limit": 1000}).json()["data"]
        return found

    page.get_by_role("button", name="Add row").click()
    poll(lambda: len(stored()) == 251, "the row is added")
    page.get_by_role("button", name="Undo", exact=True).click()
    poll(lambda: stored() == before, "the row is gone")
    page.get_by_role("button", name="Redo", exact=True).click()
    poll(lambda: stored()[-1]["id"] == 251, "the same row is there again")
    page.get_by_role("button", name="Undo", exact=True).click()
    poll(lambda: stored() == before, "the row is gone again")

    page.get_by_label("Search rows").fill("thing 1")
    page.get_by_text("111 of 250 rows").wait_for()
    grid.focus()
    page.keyboard.press("Control+a")
    page.get_by_role("button", name="Delete 111 rows").wait_for()
    page.keyboard.press("Control+Delete")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    poll(lambda: len(stored()) == 139, "what the search found is deleted")
    page.get_by_text("0 of 139 rows").wait_for()
    grid.focus()
    page.keyboard.press("Control+z")
    poll(lambda: stored() == before, "the rows are there as they were")
    page.get_by_label("Search rows").fill("")
    page.get_by_text("250 rows", exact=True).wait_for()
    grid.get_by_label("Select all rows").check()
    page.get_by_role("button", name="Delete 250 rows").click()
    page.get_by_role("dialog").get_by_text("Undo brings them back").wait_for()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    poll(lambda: stored() == [], "all rows are deleted")
    page.get_by_role("button", name="Undo", exact=True).click()
    poll(lambda: stored() == before, "all rows are there as they were")


def test_pages_that_are_passed_over_are_given_up_and_the_next_ones_read(page: Page, api: httpx.Client) -> None:
    table = table_of(api, "Long", [{"item": f"kiln {number}"} for number in range(6000)])
    asked: list[str] = []
    given_up: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/rows?" in request.url else None)
    page.on("requestfailed", lambda request: given_up.append(request.url) if "/rows?" in request.url else None)
    grid = opened(page, table)

    def heard() -> bool:
        """Events come while the page is asked for something."""
        return bool(page.evaluate("true"))

    poll(lambda: heard() and len(asked) == 3, "the pages below are read before they are in sight")
    held: list[Any] = []
    page.route(re.compile(r"/rows\?.*offset=2000"), lambda route: held.append(route))
    grid.evaluate("grid => { grid.scrollTop = 34 * 2050; }")
    poll(lambda: heard() and len(held) == 1, "a page in the middle is asked for")
    grid.evaluate("grid => { grid.scrollTop = 34 * 5000; }")
    grid.get_by_text("kiln 5005").wait_for()
    poll(lambda: heard() and any("offset=2000" in url for url in given_up), "the page that was passed over is given up")
    asked.clear()
    grid.evaluate("grid => { grid.scrollTop = 34 * 5250; }")
    grid.get_by_text("kiln 5255").wait_for()
    poll(lambda: heard() and asked, "further pages are read ahead")
    assert all("after=" in url for url in asked), asked


def test_a_finger_writes_a_cell_with_a_second_touch(
    make_context: Callable[..., BrowserContext], api: httpx.Client
) -> None:
    table = table_of(api, "Touched", [{"item": "first"}, {"item": "second"}])
    page = make_context(viewport="phone", has_touch=True).new_page()
    grid = opened(page, table)
    cell = grid.get_by_role("gridcell", name="second")
    cell.tap()
    poll(lambda: cell.get_attribute("data-active") is not None, "the cell is active")
    assert grid.locator("input:not([type=checkbox])").count() == 0
    cell.tap()
    field = page.get_by_label("item, new value")
    field.fill("changed")
    field.press("Enter")
    poll(lambda: values(api, table, "item") == ["first", "changed"], "it is stored")


def test_a_node_leads_to_its_table_and_the_table_to_its_workflows(page: Page, api: httpx.Client) -> None:
    table = table_of(api, "Linked", [])
    chosen = {"__rl": True, "mode": "list", "value": table, "cachedResultName": "Linked"}
    node = {
        "id": "rows", "name": "Rows", "type": "n8n-nodes-base.dataTable", "typeVersion": 1.1, "position": [0, 0],
        "parameters": {"resource": "row", "operation": "get", "dataTableId": chosen},
    }  # fmt: skip
    body = {"name": "Reads rows", "nodes": [node], "connections": {}, "settings": {}}
    workflow = api.post("/workflows", json=body).raise_for_status().json()["id"]
    page.goto(f"/ui/workflows/{workflow}")
    page.locator(".react-flow__node").first.dblclick()
    with page.context.expect_page() as opened_page:
        page.get_by_role("link", name="Open Data table").click()
    beside = opened_page.value
    beside.get_by_role("heading", name="Linked").wait_for()
    beside.get_by_role("button", name="Used by 1 workflow").click()
    beside.get_by_role("menuitem", name="Reads rows: Rows").click()
    beside.wait_for_url(f"**/ui/workflows/{workflow}")
