"""The usage page: it shows what the API says; charts of imported logs, export, names that want to be scripts."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from samples import nothing_executed
from seeding import HOSTILE, PRICELESS, Seeded, claude_log

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

Make = Callable[..., "BrowserContext"]


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seeded]:
    found = Seeded(tmp_path_factory.mktemp("usage"))
    yield found
    found.close()


@pytest.fixture(scope="module")
def daemon(seed: Seeded) -> Daemon:
    return seed.daemon


@pytest.fixture
def filled(seed: Seeded) -> Seeded:
    """With three weeks of usage; an import may be repeated."""
    seed.usage()
    return seed


def ask(seed: Seeded, path: str, **query: str) -> Any:  # Any: JSON
    return seed.data(seed.api.get(path, params={"tz": "UTC", **query}))


def opened(make: Make, path: str = "/ui/usage", **how: str) -> Page:
    page = make(**how).new_page()
    page.goto(path)
    page.get_by_role("heading", name="Usage", level=1).wait_for()
    return page


def whole(page: Page, label: str) -> set[int]:
    """The numbers of a figure, which are shown short, as they are."""
    titles = page.get_by_role("group", name=label, exact=True).locator("[title]")
    titles.first.wait_for()
    return {int(str(title).replace(",", "")) for title in titles.evaluate_all("all => all.map((one) => one.title)")}


def test_an_empty_page_imports_logs(
    seed: Seeded, make_context: Make, axe: Callable[[Page], None], tmp_path: Path
) -> None:
    page = opened(make_context)
    page.get_by_text("No usage yet").wait_for()
    axe(page)
    page.get_by_role("button", name="Import from agents’ logs").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox", name="Agent").click()
    page.get_by_role("option", name="Claude Code").click()
    dialog.get_by_label("Data directory").fill(str(claude_log(tmp_path)))
    dialog.get_by_role("button", name="Import", exact=True).click()
    dialog.get_by_text(re.compile(r"^Imported [1-9][\d,]* tokens in")).wait_for()
    axe(page)
    page.keyboard.press("Escape")
    page.get_by_text("Cost by day and model").wait_for()
    page.locator(".u-over").first.wait_for()


def test_figures_are_those_of_the_api(filled: Seeded, make_context: Make) -> None:
    page = opened(make_context)
    said = ask(filled, "/api/usage", period="30d")
    tokens = said["total_tokens"]
    assert whole(page, "Tokens") == {sum(tokens.values()), tokens["input_tokens"], tokens["output_tokens"]}
    assert whole(page, "From the cache") == {tokens["cache_read_input_tokens"], tokens["cache_creation_input_tokens"]}
    cost = page.get_by_role("group", name="Cost", exact=True)
    assert f"US${said['total_cost']['total_cost']:,.2f}" in cost.inner_text()
    assert str(said["total_sessions"]) in page.get_by_role("group", name="Sessions", exact=True).inner_text()
    assert PRICELESS in page.get_by_role("alert").filter(has_text="no known price").inner_text()

    page.get_by_role("button", name="Show as table").click()
    table = page.get_by_role("table", name="Cost by day and model")
    days = ask(filled, "/api/usage/report", kind="daily", breakdown="model")["rows"]
    head = table.locator("thead th").all_inner_texts()[1:]
    first = dict(zip(head, table.locator("tbody tr").last.locator("td").all_inner_texts(), strict=True))
    for part in days[-1]["breakdown"]:
        shown = first[part["model"]]
        assert abs(float(shown.removeprefix("US$").replace(",", "")) - part["cost"]["total_cost"]) < 0.006


def test_filters_stand_in_the_address(filled: Seeded, make_context: Make) -> None:
    page = opened(make_context, "/ui/usage?period=all&model=claude-haiku-4-5")
    tokens = ask(filled, "/api/usage", period="all", model="claude-haiku-4-5")["total_tokens"]
    assert sum(tokens.values()) in whole(page, "Tokens")
    page.get_by_role("combobox", name="Period").click()
    page.get_by_role("option", name="Last 7 days").click()
    page.wait_for_url(re.compile("period=7d"))
    tokens = ask(filled, "/api/usage", period="7d", model="claude-haiku-4-5")["total_tokens"]
    poll(lambda: sum(tokens.values()) in whole(page, "Tokens"), "the sums of seven days")
    page.get_by_role("button", name="Clear filters").click()
    page.wait_for_url(lambda address: "model" not in address)
    for part in ("profile", "provider"):
        page.get_by_role("combobox", name="Divided by").click()
        page.get_by_role("option", name=f"By {part}").click()
        page.get_by_text(f"Cost by day and {part}").wait_for()


def test_the_active_block_says_where_it_leads(filled: Seeded, make_context: Make) -> None:
    page = opened(make_context)
    active = page.get_by_role("group", name="The active block")
    active.get_by_text(re.compile("The active block ends at")).wait_for()
    (block,) = ask(filled, "/api/usage/report", kind="blocks", active="true")["rows"]
    assert f"US${block['cost']['total_cost']:,.2f}"[:5] in active.inner_text()
    assert active.get_by_text("a minute").count() == 1


def test_export_gives_what_is_filtered(filled: Seeded, make_context: Make) -> None:
    page = opened(make_context, "/ui/usage?period=30d&model=claude-haiku-4-5")
    said = ask(filled, "/api/usage", period="30d", model="claude-haiku-4-5")["total_tokens"]
    for name, rows_of in (
        ("CSV", lambda text: list(csv.DictReader(io.StringIO(text)))),
        ("JSON", lambda text: json.loads(text)["data"]),
    ):
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name=re.compile(name)).click()
        rows = rows_of(Path(download.value.path()).read_text(encoding="utf-8"))
        assert {row["model"] for row in rows} == {"claude-haiku-4-5"}
        assert "output_tokens" in json.dumps(rows[0])
        found = sum(int(row["output_tokens"]) for row in rows if "output_tokens" in row)
        assert found in (0, said["output_tokens"])


@pytest.mark.parametrize(("scheme", "viewport"), [("light", "phone"), ("dark", "desktop")])
def test_hostile_names_are_text(
    filled: Seeded, make_context: Make, axe: Callable[[Page], None], scheme: str, viewport: str
) -> None:
    filled.usage(days=1, seed=66, model=HOSTILE, project=f"/home/{HOSTILE}/{{{{constructor.constructor('x')()}}}}")
    page = opened(make_context, scheme=scheme, viewport=viewport)
    page.get_by_role("table", name="Sessions").wait_for()
    page.get_by_role("table", name="By model").get_by_text(HOSTILE).first.wait_for()
    page.get_by_role("button", name="Show as table").click()
    axe(page)
    nothing_executed(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
