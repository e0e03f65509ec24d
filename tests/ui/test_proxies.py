"""The proxies page: rules are edited, tried and saved; mistakes stand at their fields; requests appear as they end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from samples import nothing_executed
from seeding import CONFIG, HOSTILE, Seeded, seeded

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

Make = Callable[..., "BrowserContext"]


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seeded]:
    with seeded(tmp_path_factory.mktemp("proxies"), full=False) as found:
        yield found


@pytest.fixture(scope="module")
def daemon(seed: Seeded) -> Daemon:
    return seed.daemon


@pytest.fixture
def config(seed: Seeded) -> Iterator[Callable[[], dict[str, Any]]]:
    """What is stored for `work`, as it was at first."""
    store(seed, CONFIG)
    yield lambda: seed.data(seed.api.get("/api/proxy/work/config"))
    store(seed, CONFIG)


def store(seed: Seeded, config: dict[str, Any]) -> None:
    seed.data(seed.api.put("/api/proxy/work/config", json=config))


def opened(make: Make, path: str = "/ui/proxies/work", **how: str) -> Page:
    page = make(**how).new_page()
    page.goto(path)
    page.get_by_role("heading", level=1).wait_for()
    return page


def rule_of(page: Page, name: str) -> Locator:
    """A rule, opened."""
    rule = page.get_by_role("group", name=f"Rule {name}", exact=True)
    rule.get_by_role("button", expanded=False).click()
    return rule


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def choose(page: Page, field: Locator, option: str) -> None:
    field.click()
    page.get_by_role("option", name=option, exact=True).click()


def test_the_tester_follows_what_is_not_saved_yet(make_context: Make, config: Callable[[], dict[str, Any]]) -> None:
    page = opened(make_context)
    tester = page.get_by_role("region", name="Which rule would match")
    tester.get_by_label("Requested model").fill("claude-sonnet-4-5")
    verdict = tester.get_by_role("status")
    verdict.get_by_text("north / claude-sonnet-4-5").wait_for()
    tester.get_by_label("Tokens").fill("90000")
    verdict.get_by_text("south / claude-opus-4-5").wait_for()
    assert "the rule long (priority 30, token_count)" in verdict.inner_text()

    rule = rule_of(page, "long")
    rule.get_by_label("At least").fill("100000")
    verdict.get_by_text("north / claude-sonnet-4-5").wait_for()
    assert config()["routing"]["rules"][0]["condition"]["min"] == 60_000
    save(page)
    page.get_by_text("Saved. New requests").wait_for()
    assert config()["routing"]["rules"][0]["condition"] == {"type": "token_count", "min": 100_000}
    assert page.get_by_role("button", name="Save", exact=True).is_disabled()


def test_a_rule_is_built_by_forms(make_context: Make, config: Callable[[], dict[str, Any]]) -> None:
    page = opened(make_context)
    page.get_by_role("button", name="Add a rule").click()
    rule = page.get_by_role("group", name="Rule rule 4", exact=True)
    rule.get_by_label("Name", exact=True).fill("pictures")
    rule = page.get_by_role("group", name="Rule pictures", exact=True)
    choose(page, rule.get_by_role("combobox", name="When"), "All of these")
    choose(page, rule.get_by_role("combobox", name="Condition 1"), "Has an image")
    rule.get_by_role("button", name="Add a condition").click()
    choose(page, rule.get_by_role("combobox", name="Condition 2"), "Not this")
    choose(page, rule.get_by_role("combobox", name="This"), "Model’s name")
    rule.get_by_label("Pattern").fill("*-mini")
    choose(page, rule.get_by_role("combobox", name="To the provider"), "South (south)")
    rule.get_by_role("combobox", name="Model", exact=True).fill("claude-opus-4-5")
    save(page)
    page.get_by_text("Saved. New requests").wait_for()
    (made,) = [one for one in config()["routing"]["rules"] if one["name"] == "pictures"]
    inner = {"type": "not", "condition": {"type": "model_pattern", "pattern": "*-mini"}}
    assert made["condition"] == {"type": "all", "conditions": [{"type": "image"}, inner]}
    assert made["target"] == "south/claude-opus-4-5"


def test_what_is_wrong_stands_at_its_field(
    make_context: Make, config: Callable[[], dict[str, Any]], axe: Callable[[Page], None]
) -> None:
    page = opened(make_context)
    rule = rule_of(page, "tools at night")
    rule.get_by_role("combobox", name="Condition 1").click()
    page.get_by_role("option", name="Header", exact=True).click()
    rule.get_by_role("group", name="Condition 1").get_by_label("Name").fill("not a header")
    save(page)
    page.get_by_role("alert").filter(has_text="Not saved").wait_for()
    field = rule.get_by_role("group", name="Condition 1").get_by_label("Name")
    assert field.get_attribute("aria-invalid") == "true"
    assert "not allowed" in rule.inner_text()
    assert config()["routing"]["rules"][2]["condition"]["type"] == "all"
    axe(page)
    field.fill("x-team")
    save(page)
    page.get_by_text("Saved. New requests").wait_for()


def test_json_and_form_are_one(make_context: Make, config: Callable[[], dict[str, Any]]) -> None:
    page = opened(make_context)
    page.get_by_text("JSON", exact=True).click()
    editor = page.get_by_role("textbox", name="Configuration as JSON")
    editor.wait_for()
    page.get_by_text("Form", exact=True).click()
    page.get_by_role("group", name="Rule small", exact=True).wait_for()
    page.get_by_text("JSON", exact=True).click()
    editor.click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text("{nothing")
    page.get_by_text("This is not JSON yet").wait_for()
    assert page.get_by_role("button", name="Save", exact=True).is_disabled()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(json.dumps({**CONFIG, "model_aliases": {"quick": "nowhere/m"}}))
    save(page)
    page.get_by_role("alert").filter(has_text="model_aliases.quick").wait_for()
    page.keyboard.press("Control+S")
    page.get_by_role("button", name="Discard").click()
    assert config()["model_aliases"] == CONFIG["model_aliases"]


def test_the_condition_of_a_plugin_is_json(make_context: Make, config: Callable[[], dict[str, Any]]) -> None:
    context = make_context()
    kinds = {
        "strategies": [{"name": "Conditional", "plugin": None}],
        "conditions": [{"name": "moon", "plugin": "luna"}],
    }
    context.route("**/api/proxy/kinds", lambda route: route.fulfill(json={"success": True, "data": kinds}))
    page = context.new_page()
    page.goto("/ui/proxies/work")
    rule = rule_of(page, "small")
    choose(page, rule.get_by_role("combobox", name="When"), "moon (luna)")
    fields = rule.get_by_role("textbox", name="Its fields, as JSON")
    fields.fill('{"phase": ')
    poll(lambda: fields.get_attribute("aria-invalid") == "true", "the field is marked")
    assert page.get_by_role("button", name="Save", exact=True).is_disabled()
    fields.fill('{"phase": "full", "type": "always"}')
    page.get_by_text("JSON", exact=True).click()
    page.get_by_role("textbox", name="Configuration as JSON").get_by_text('"moon"').wait_for()
    sent: list[Any] = []
    context.route("**/api/proxy/work/config", lambda route: (sent.append(route.request.post_data_json), route.abort()))
    save(page)
    poll(lambda: sent, "it is sent")
    (made,) = [one for one in sent[0]["routing"]["rules"] if one["name"] == "small"]
    assert made["condition"] == {"type": "moon", "phase": "full"}
    assert config()["routing"] == CONFIG["routing"]


def test_requests_appear_as_they_end(
    seed: Seeded, make_context: Make, config: Callable[[], dict[str, Any]], axe: Callable[[Page], None]
) -> None:
    assert config()
    seed.ask("work")
    page = make_context().new_page()
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    page.goto("/ui/proxies/work?tab=requests")
    table = page.get_by_role("table", name="Requests")
    table.and_(page.locator("[aria-busy=false]")).wait_for()
    poll(lambda: any('"proxy"' in frame for frame in sent), "the page listens", timeout=30)
    before = table.get_by_role("row").count()
    seed.ask("work", model="claude-haiku-4-5")
    row = table.get_by_role("row").nth(1)
    row.get_by_text("the rule small (priority 20, background)").wait_for()
    assert "south / claude-haiku-4-5" in row.inner_text()
    assert "200" in row.inner_text()
    poll(lambda: table.get_by_role("row").count() == before + 1, "one row more")
    axe(page)
    page.get_by_role("tab", name="Log").click()
    page.get_by_role("log").wait_for()
    axe(page)


def test_proxies_are_started_and_stopped(
    seed: Seeded, make_context: Make, config: Callable[[], dict[str, Any]], axe: Callable[[Page], None]
) -> None:
    assert config()
    seed.data(seed.api.post("/api/proxy/work/stop"))
    page = opened(make_context, "/ui/proxies")
    page.get_by_role("button", name="Start the proxy of work").click()
    row = page.get_by_role("row", name="work")
    row.get_by_text("Running").wait_for()
    axe(page)
    page.get_by_role("button", name="Stop the proxy of work").click()
    row.get_by_text("Stopped").wait_for()
    page.get_by_role("button", name="Set up a proxy").click()
    choose(page, page.get_by_role("dialog").get_by_role("combobox", name="Profile"), "idle")
    page.get_by_role("button", name="Write rules").click()
    page.get_by_text("No rules yet").wait_for()
    axe(page)


@pytest.mark.parametrize(("scheme", "viewport"), [("light", "phone"), ("dark", "desktop")])
def test_hostile_names_are_text(
    seed: Seeded, make_context: Make, axe: Callable[[Page], None], config: Callable[[], dict[str, Any]],
    scheme: str, viewport: str,
) -> None:  # fmt: skip
    assert config()
    rule = {"name": HOSTILE, "priority": 99, "target": f"south/{HOSTILE.replace(' ', '')}",
            "condition": {"type": "model_pattern", "pattern": HOSTILE}}  # fmt: skip
    routing = {**CONFIG["routing"], "rules": [rule, *CONFIG["routing"]["rules"]]}
    store(seed, {**CONFIG, "routing": routing, "model_aliases": {HOSTILE: "south/claude-haiku-4-5"}})
    seed.ask("work", model=HOSTILE)
    page = opened(make_context, scheme=scheme, viewport=viewport)
    rule_of(page, HOSTILE)
    page.get_by_role("button", name="Model aliases").click()
    page.get_by_role("status").get_by_text("the model alias").wait_for()
    axe(page)
    page.get_by_role("tab", name="Requests").click()
    page.get_by_role("table", name="Requests").get_by_text(HOSTILE).first.wait_for()
    axe(page)
    nothing_executed(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
