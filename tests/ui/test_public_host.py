"""The interface by a public host that does not reach agents: it offers nothing of them, and shows no error."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsers import CHROMIUM

from jackfield.testing.daemon import HOST, PASSWORD, USERNAME, Daemon

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAME = "desk.example"


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    made = Daemon(tmp_path)
    areas = f'[server]\npublic_hosts = ["{NAME}:{made.port}"]\n[server.areas]\nui = ["*"]\n'
    (made.config_dir / "config.toml").write_text(areas)
    yield made.start()
    made.close()


@pytest.fixture
def desk(chromium: Browser, daemon: Daemon) -> Iterator[Page]:
    """A page in a browser that finds the name at this machine."""
    from playwright.sync_api import expect

    arguments = ["--no-sandbox", f"--host-resolver-rules=MAP {NAME} {HOST}"]
    browser = chromium.browser_type.launch(executable_path=CHROMIUM, args=arguments)
    page = browser.new_page()
    page.goto(f"http://{NAME}:{daemon.port}/ui/")
    page.get_by_label("User name").fill(USERNAME)
    page.locator("input[autocomplete=current-password]").fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_role("heading", name="Dashboard")).to_be_visible()
    yield page
    browser.close()


def test_it_offers_no_page_of_agents_where_they_are_not_reached(desk: Page, daemon: Daemon) -> None:
    from playwright.sync_api import expect

    before = desk.evaluate("history.length")
    asked: list[str] = []
    desk.on("request", lambda request: asked.append(request.url))
    navigation = desk.get_by_role("navigation")
    expect(navigation.get_by_role("link", name="Workflows")).to_be_visible()
    for closed in ("Profiles", "Terminals", "Usage", "Logs"):
        expect(navigation.get_by_role("link", name=closed)).to_have_count(0)
    expect(desk.get_by_text("Executions running")).to_be_visible()
    expect(desk.get_by_text("Cost today")).to_have_count(0)
    expect(desk.get_by_text("Build a workflow")).to_be_visible()
    expect(desk.get_by_text("does not reach")).to_have_count(0)
    # Nor does a key go there.
    desk.keyboard.press("g")
    desk.keyboard.press("p")
    desk.keyboard.press("g")
    desk.keyboard.press("w")
    expect(desk.get_by_role("heading", name="Workflows", level=1)).to_be_visible()
    assert desk.evaluate("history.length") == before + 1
    # The search looks for workflows alone.
    with desk.expect_response(lambda answer: "/api/v1/workflows" in answer.url):
        desk.keyboard.press("Control+k")
    expect(desk.get_by_label("Search", exact=True)).to_be_visible()
    assert [url for url in asked if "/api/profiles" in url or "/api/terminal" in url] == []
    own = daemon.client().get("/api/session").json()["data"]
    assert own["agents"] is True
