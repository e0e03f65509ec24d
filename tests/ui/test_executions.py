"""Executions: found, looked into, run again, as they happen."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import httpx
import pytest
from samples import MARKUP, TEMPLATE, chain, code, confirmed, fits, hook, node, nothing_executed

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Response

SHAPE = "return [1, 2, 3].map((n) => ({json: {n, customer: 'Ada', address: {city: 'Bath'}}}))"
CHECK = "if ($('Hook').first().json.body.fail) throw new Error('No stock for Ada'); return items"


@pytest.fixture(scope="module")
def api(daemon: Daemon) -> httpx.Client:
    return daemon.admin()


@pytest.fixture(scope="module")
def orders(daemon: Daemon, api: httpx.Client) -> str:
    """A live workflow that fails when it is told to; it ran once each way."""
    document = chain("Orders", hook("orders"), code("Shape", 1, SHAPE), code("Check", 2, CHECK))
    found = daemon.live(document, api)
    for fail in (False, True):
        call(daemon, "orders", {"fail": fail})
    poll(lambda: len(ended(api, found)) == 2, "both have run")
    return found


def call(daemon: Daemon, path: str, body: object) -> str:
    answer = httpx.post(f"{daemon.base_url}/webhook/{path}", json=body, trust_env=False)
    return str(answer.json()["executionId"])


def ended(api: httpx.Client, workflow: str) -> list[dict[str, object]]:
    rows = api.get("/executions", params={"workflowId": workflow}).json()["data"]
    return [row for row in rows if row["status"] in ("success", "failed")]


@pytest.mark.usefixtures("orders")
def test_find_look_and_run_again_from_a_node(page: Page) -> None:
    page.goto("/ui/executions")
    page.get_by_role("button", name=re.compile("^Failed")).click()
    page.wait_for_url("**/executions?status=failed")
    table = page.get_by_role("table", name="Executions")
    table.get_by_text("Check: No stock for Ada").wait_for()
    table.get_by_text("Succeeded").first.wait_for(state="detached")
    table.get_by_role("link", name="Orders").first.click()
    page.get_by_role("heading", name="Orders", level=1).wait_for()
    page.get_by_text("This node failed").wait_for()

    canvas = page.get_by_role("region", name="Canvas")
    canvas.get_by_role("img", name="Failed: No stock for Ada [line 1]").wait_for()
    canvas.get_by_text("3 items").wait_for()
    canvas.get_by_label("Node Shape", exact=True).click()
    panel = page.get_by_role("region", name="Node Shape")
    output = panel.get_by_role("table", name="the output")
    page.get_by_role("textbox", name="Search the data of all nodes").fill("ada")
    panel.get_by_text("3 of 3, 3 hits").wait_for()
    assert output.locator("mark").all_inner_texts() == ["Ada"] * 3
    page.get_by_role("textbox", name="Search the data of all nodes").fill("")
    output.locator("tbody tr").nth(2).wait_for()
    assert output.locator("tbody tr").count() == 3
    assert output.get_by_text("Ada").count() == 3
    panel.get_by_role("radiogroup", name="Show the output as").get_by_text("Schema").click()
    panel.get_by_role("group", name="Fields of the output").get_by_text("city", exact=True).wait_for()
    panel.get_by_role("radiogroup", name="Show the output as").get_by_text("JSON").click()
    panel.get_by_role("group", name="the output").get_by_text("customer").first.wait_for()

    before = page.url
    panel.get_by_role("button", name="Retry from here").click()
    page.get_by_role("link", name="another execution").wait_for()
    assert page.url != before
    page.get_by_text("This node failed").wait_for()


def test_many_are_stopped_and_two_are_compared(page: Page, daemon: Daemon, api: httpx.Client) -> None:
    """Also those that cannot be stopped are named."""
    slow = chain("Many slow", hook("many-slow"), node("Wait", "wait", 1, amount=300, unit="seconds"))
    made = daemon.live(slow, api)
    for _ in range(3):
        api.post(f"/workflows/{made}/execute-async", json=[{"json": {"body": {}}}]).raise_for_status()
    page.goto(f"/ui/executions?workflow={made}")
    rows = page.get_by_role("table", name="Executions").locator("tbody tr")
    rows.nth(2).wait_for()
    rows.nth(0).get_by_role("checkbox").click()
    rows.nth(2).get_by_role("checkbox").click(modifiers=["Shift"])
    page.get_by_text("3 selected").wait_for()
    page.get_by_role("button", name="Stop", exact=True).click()
    confirmed(page, "Stop")
    page.get_by_text("3 executions stopped.").wait_for()
    assert {row["status"] for row in api.get("/executions", params={"workflowId": made}).json()["data"]} == {
        "cancelled"
    }
    for row in (0, 1):
        rows.nth(row).get_by_role("checkbox").click()
    page.get_by_role("button", name="Stop", exact=True).click()
    confirmed(page, "Stop")
    report = page.get_by_role("dialog", name="2 executions not stopped")
    report.get_by_text("The execution is over: cancelled.").nth(1).wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Compare").click()
    page.get_by_text("No node differs, but for the time that it took.").wait_for()


def test_what_runs_now_shows_at_once(page: Page, daemon: Daemon, orders: str) -> None:
    page.goto(f"/ui/executions?workflow={orders}&mode=webhook")
    rows = page.get_by_role("table", name="Executions").locator("tbody tr")
    rows.filter(has_text="Failed").first.wait_for()
    before = rows.count()
    call(daemon, "orders", {"fail": False})
    rows.nth(before).wait_for()
    rows.first.get_by_text("Succeeded").wait_for()


def test_cancel_and_delete(page: Page, daemon: Daemon, api: httpx.Client) -> None:
    slow = chain("Slow", node("Start", "manualTrigger", 0), node("Wait", "wait", 1, amount=300, unit="seconds"))
    made = api.post("/workflows", json=slow).json()["id"]
    started = api.post(f"/workflows/{made}/execute-async", json={}).json()["executionId"]
    page.goto(f"/ui/executions/{started}")
    page.get_by_role("button", name="Cancel execution").click()
    confirmed(page, "Cancel the execution")
    page.get_by_text("Cancelled", exact=True).first.wait_for()
    page.get_by_role("button", name="Retry", exact=True).click()
    page.get_by_role("menuitem", name="Delete the execution").click()
    confirmed(page, "Delete")
    page.get_by_role("heading", name="Executions", level=1).wait_for()
    assert api.get(f"/executions/{started}").status_code == httpx.codes.NOT_FOUND


@pytest.mark.parametrize(("scheme", "viewport"), [("light", "desktop"), ("dark", "phone")])
def test_hostile_data_is_text_and_the_pages_are_accessible(
    make_context: Callable[..., BrowserContext],
    axe: Callable[[Page], None],
    daemon: Daemon,
    api: httpx.Client,
    scheme: str,
    viewport: str,
) -> None:
    text = f"throw new Error({MARKUP!r})"
    document = chain(MARKUP, hook(f"evil-{scheme}", name=MARKUP), node(TEMPLATE, "noOp", 1), code("Fail", 2, text))
    made = daemon.live(document, api)
    found = call(daemon, f"evil-{scheme}", {MARKUP: MARKUP, "link": "javascript:window.__xss=1"})
    poll(lambda: ended(api, made), "it has run")
    page = make_context(scheme=scheme, viewport=viewport).new_page()
    page.goto("/ui/executions")
    page.get_by_role("link", name=MARKUP).first.wait_for()
    axe(page)
    fits(page)
    page.goto(f"/ui/executions/{found}?run=1")
    page.get_by_role("region", name=f"Node {TEMPLATE}").get_by_role("table", name="the output").wait_for()
    for view in ("Table", "Schema", "JSON"):
        page.get_by_role("radiogroup", name="Show the output as").get_by_text(view).click()
        axe(page)
        fits(page)
        nothing_executed(page)
    assert page.locator("a[href^='javascript']").count() == 0


def test_the_rest_of_many_items_is_read_when_it_is_wanted(page: Page, daemon: Daemon, api: httpx.Client) -> None:
    many = code("Many", 1, "return Array.from({length: 300}, (_, n) => ({json: {n}}))")
    large = code("Large", 2, "return [{json: {text: 'y'.repeat(300000), last: 'here'}}]")
    daemon.live(chain("Many items", hook("many"), many, large), api)
    run = call(daemon, "many", {})
    poll(lambda: api.get(f"/executions/{run}").json()["status"] == "success", "it has run")
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer) if f"/executions/{run}" in answer.url else None)
    page.goto(f"/ui/executions/{run}")
    output = page.get_by_role("group", name="the output")
    page.get_by_role("button", name="Read them").wait_for()
    read = [len(answer.body()) for answer in answers if f"/api/v1/executions/{run}" in answer.url]
    assert read
    assert max(read) < 100_000, "the large item comes when it is asked for"
    page.get_by_role("button", name="Read them").click()
    output.get_by_text("here", exact=True).wait_for()
    page.get_by_text("300 items from Many").wait_for()
    page.get_by_role("button", name="Read more").click()
    page.get_by_text("The first 250 are here.").wait_for()
    page.get_by_role("button", name="Read more").click()
    page.get_by_role("button", name="Read more").wait_for(state="detached")


@pytest.mark.parametrize("drawn", [True, False])
def test_a_pdf_is_drawn_or_said_not_to_be(page: Page, api: httpx.Client, drawn: bool) -> None:
    """Browsers without a viewer of their own, as on phones, would show an empty frame."""
    page.add_init_script(
        f"Object.defineProperty(Navigator.prototype, 'pdfViewerEnabled', {{get: () => {str(drawn).lower()}}})"
    )
    texts = {"paper": b"%PDF-1.4\n%%EOF", "other": b"hello"}
    files = {
        name: {"data": base64.b64encode(text).decode(), "mimeType": "application/pdf", "fileName": f"{name}.pdf"}
        for name, text in texts.items()
    }
    start = {"id": "a", "name": "Start", "type": "n8n-nodes-base.manualTrigger", "typeVersion": 1, "position": [0, 0]}
    document = {"name": "Papers", "nodes": [{**start, "parameters": {}}], "connections": {}, "settings": {}}
    saved = api.post("/workflows", json={**document, "pinData": {"Start": [{"json": {}, "binary": files}]}}).json()
    done = api.post(f"/workflows/{saved['id']}/execute").json()
    page.goto(f"/ui/executions/{done['id']}?run=0")
    page.get_by_role("radiogroup", name="Show the output as").get_by_text("Files").click()
    frame = page.locator("iframe[title='paper.pdf']")
    page.get_by_role("button", name="Show the file paper.pdf of item 0").click()
    dialog = page.get_by_role("dialog", name="paper.pdf")
    if drawn:
        frame.wait_for()
    else:
        dialog.get_by_text("This browser cannot show PDF files here; save the file.").wait_for()
        assert frame.count() == 0
    dialog.get_by_role("link", name="Save").wait_for()
    dialog.get_by_role("button").first.click()
    dialog.wait_for(state="hidden")
    page.get_by_role("button", name="Show the file other.pdf of item 0").click()
    dialog = page.get_by_role("dialog", name="other.pdf")
    dialog.get_by_text("cannot be shown here").or_(dialog.get_by_text("cannot show PDF files")).wait_for()
    assert page.locator("iframe[title='other.pdf']").count() == 0
