"""Webhooks: calls as they come, looked into, made again."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import httpx
import pytest
from samples import MARKUP, chain, fits, hook, node, nothing_executed

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

KEY = "the-key-of-the-inbox"


@pytest.fixture(scope="module")
def api(daemon: Daemon) -> httpx.Client:
    return daemon.admin()


def live(
    daemon: Daemon, api: httpx.Client, path: str, name: str = "Inbox", trigger: dict[str, object] | None = None
) -> str:
    """The id of the webhook of a new workflow."""
    workflow = daemon.live(chain(name, trigger or hook(path), node("End", "noOp", 1)), api)
    rows = api.get("/webhooks", params={"workflowId": workflow}).json()["data"]
    return str(rows[0]["id"])


def locked(daemon: Daemon, api: httpx.Client, path: str) -> str:
    config = {"headerName": "X-Key", "headerValue": KEY}
    return live(daemon, api, path, trigger=hook(path, authentication="headerAuth", authConfig=config))


def call(daemon: Daemon, path: str, **options: object) -> httpx.Response:
    return httpx.post(f"{daemon.base_url}/webhook/{path}", trust_env=False, **options)  # type: ignore[arg-type]


def calls(page: Page) -> int:
    return page.get_by_role("table", name="Calls").locator("tbody tr").count()


def test_a_call_shows_as_it_comes_and_is_replayed(page: Page, daemon: Daemon, api: httpx.Client) -> None:
    found = live(daemon, api, "live")
    page.goto("/ui/webhooks")
    page.get_by_role("link", name="/live").click()
    page.get_by_text("No calls yet").wait_for()
    secret = {"Authorization": "Bearer secret-of-the-caller", "X-Event": "created"}
    assert call(daemon, "live", json={"customer": "Ada"}, headers=secret).status_code == httpx.codes.OK

    table = page.get_by_role("table", name="Calls")
    table.wait_for()
    table.get_by_role("button").first.click()
    drawer = page.get_by_role("dialog", name="POST /live")
    drawer.get_by_role("row", name=re.compile("x-event")).get_by_text("created").wait_for()
    drawer.get_by_role("row", name=re.compile("authorization")).get_by_text("***").wait_for()
    drawer.get_by_role("group", name="the body").get_by_text("Ada").wait_for()
    assert "secret-of-the-caller" not in page.content()
    assert "curl -X POST" in drawer.locator("pre").last.inner_text()

    drawer.get_by_role("button", name="Replay").click()
    drawer.get_by_role("link", name="open the new execution").click()
    page.get_by_role("link", name="another execution").wait_for()
    assert api.get(f"/webhooks/{found}").json()["stats"]["totalCalls"] == 1


def test_a_rejected_call_is_sent_again(page: Page, daemon: Daemon, api: httpx.Client) -> None:
    found = locked(daemon, api, "locked")
    headers = {"X-Key": "wrong", "X-Event": "created"}
    assert call(daemon, "locked", json={}, headers=headers).status_code == httpx.codes.UNAUTHORIZED
    history = f"/webhooks/{found}/history"
    poll(lambda: api.get(history).json()["total"] == 1, "the call is in the history")
    page.goto(f"/ui/webhooks/{found}")
    table = page.get_by_role("table", name="Calls")
    table.get_by_text("Rejected").wait_for()
    table.get_by_role("button").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Send again").click()
    page.get_by_label("Value of x-event").wait_for()
    page.get_by_label("Value of x-key").fill(KEY)
    page.get_by_role("textbox", name="Body").fill('{"again": true}')
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_role("region", name="Answer").get_by_text("Workflow triggered").wait_for()
    page.get_by_role("tab", name="Calls").click()
    table.get_by_text("Succeeded").wait_for()
    assert calls(page) == 2


def test_a_check_runs_nothing(page: Page, daemon: Daemon, api: httpx.Client) -> None:
    found = locked(daemon, api, "checked")
    page.goto(f"/ui/webhooks/{found}?tab=try")
    page.get_by_role("button", name="Add a header").click()
    page.get_by_label("Name 2").fill("X-Key")
    page.get_by_label("Value of X-Key").fill("wrong")
    page.get_by_role("button", name="Check", exact=True).click()
    page.get_by_label("Refused:").wait_for()
    page.get_by_label("Value of X-Key").fill(KEY)
    page.get_by_role("button", name="Check", exact=True).click()
    page.get_by_text("This call would start the workflow.").wait_for()
    assert api.get(f"/webhooks/{found}").json()["stats"]["totalCalls"] == 0


@pytest.mark.parametrize(("scheme", "viewport"), [("light", "desktop"), ("dark", "phone")])
def test_hostile_calls_are_text_and_the_pages_are_accessible(
    make_context: Callable[..., BrowserContext],
    axe: Callable[[Page], None],
    daemon: Daemon,
    api: httpx.Client,
    scheme: str,
    viewport: str,
) -> None:
    found = live(daemon, api, f"evil-{scheme}", name=MARKUP)
    call(daemon, f"evil-{scheme}", content=MARKUP, headers={"X-Evil": MARKUP, "Content-Type": "text/plain"})
    page = make_context(scheme=scheme, viewport=viewport).new_page()
    page.goto("/ui/webhooks")
    page.get_by_role("link", name=f"/evil-{scheme}").wait_for()
    axe(page)
    fits(page)
    page.goto(f"/ui/webhooks/{found}")
    page.get_by_role("table", name="Calls").get_by_role("button").first.click()
    page.get_by_role("dialog").get_by_role("row", name=re.compile("x-evil")).wait_for()
    axe(page)
    fits(page)
    page.goto(f"/ui/webhooks/{found}?tab=try")
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_role("region", name="Answer").wait_for()
    axe(page)
    fits(page)
    nothing_executed(page)


def test_the_query_of_a_call_is_shown_without_its_secrets(page: Page, daemon: Daemon, api: httpx.Client) -> None:
    found = live(daemon, api, "query/ü", name="Query")
    call(daemon, "query/ü", params={"page": MARKUP, "token": KEY}, json={})
    page.goto("/ui/webhooks")
    row = page.get_by_role("row", name="/query/ü")
    row.get_by_role("cell", name="1", exact=True).wait_for()
    page.goto(f"/ui/webhooks/{found}")
    page.get_by_role("table", name="Calls").locator("tbody").get_by_role("button").first.click()
    query = page.get_by_role("table", name="Query of the call")
    query.get_by_role("row", name=MARKUP).wait_for()
    query.get_by_role("row", name="token ***").wait_for()
    assert KEY not in page.content()
    page.get_by_role("button", name="Send again").click()
    page.get_by_text("Secrets are not kept: fill in what is ***.").wait_for()
    page.get_by_label("Query").fill("page=2")
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_role("region", name="Answer").get_by_text("200", exact=True).wait_for()
    nothing_executed(page)
