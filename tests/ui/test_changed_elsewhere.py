"""Two tabs change the same thing: neither loses what it has, and nothing is overwritten unasked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from seeding import CONFIG, Seeded, seeded

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

Make = Callable[..., "BrowserContext"]


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seeded]:
    with seeded(tmp_path_factory.mktemp("changed"), full=False) as found:
        yield found


@pytest.fixture(scope="module")
def daemon(seed: Seeded) -> Daemon:
    return seed.daemon


def config(seed: Seeded) -> dict[str, Any]:
    found: dict[str, Any] = seed.data(seed.api.get("/api/proxy/work/config"))
    return found


def store(seed: Seeded, **changes: Any) -> None:  # Any: of the configuration
    seed.data(seed.api.put("/api/proxy/work/config", json={**CONFIG, **changes}))


def tokens(page: Page) -> str:
    return page.get_by_label("Port").input_value()


def opened(make_context: Make, path: str) -> Page:
    page = make_context().new_page()
    page.goto(path)
    page.get_by_role("button", name="Save", exact=True).first.wait_for()
    return page


def test_rules_that_nobody_edits_follow_what_is_stored(seed: Seeded, make_context: Make) -> None:
    store(seed, port=None)
    page = opened(make_context, "/ui/proxies/work")
    store(seed, port=45_001)
    poll(lambda: tokens(page) == "45001", "the form follows", timeout=30)
    assert page.get_by_role("button", name="Save", exact=True).is_disabled()


def test_rules_changed_in_two_tabs_are_asked_about(
    seed: Seeded, make_context: Make, axe: Callable[[Page], None]
) -> None:
    store(seed, port=None)
    page = opened(make_context, "/ui/proxies/work")
    page.get_by_label("Port").fill("45002")
    store(seed, port=45_003)
    warning = page.get_by_role("alert").filter(has_text="changed elsewhere")
    warning.wait_for()
    assert page.get_by_role("button", name="Save", exact=True).is_disabled()
    assert tokens(page) == "45002"
    axe(page)
    warning.get_by_role("button", name="Keep mine").click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Saved. New requests").wait_for()
    assert config(seed)["port"] == 45_002
    page.get_by_label("Port").fill("45004")
    store(seed, port=45_005)
    warning.get_by_role("button", name="Discard mine").click()
    poll(lambda: tokens(page) == "45005", "theirs is loaded", timeout=30)


def test_a_change_that_no_event_told_is_not_overwritten(seed: Seeded, make_context: Make) -> None:
    store(seed, port=None)
    context = make_context()
    context.route_web_socket("**/ws", lambda socket: None)
    page = context.new_page()
    page.goto("/ui/proxies/work")
    page.get_by_label("Port").fill("45006")
    store(seed, port=45_007)
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("alert").filter(has_text="changed elsewhere").wait_for()
    assert config(seed)["port"] == 45_007


def test_what_is_not_saved_is_not_left_behind_unasked(seed: Seeded, make_context: Make) -> None:
    store(seed, port=None)
    page = opened(make_context, "/ui/proxies/work")
    page.get_by_label("Port").fill("45008")
    page.get_by_role("link", name="Usage").click()
    page.get_by_role("dialog", name="Leave without saving?").get_by_role("button", name="Cancel").click()
    assert tokens(page) == "45008"
    page.get_by_role("link", name="Usage").click()
    page.get_by_role("dialog", name="Leave without saving?").get_by_role("button", name="Leave").click()
    page.get_by_role("heading", name="Usage").wait_for()


def test_settings_of_a_profile_are_merged_field_by_field(seed: Seeded, make_context: Make) -> None:
    seed.data(seed.api.patch("/api/profiles/idle", json={"args": [], "model": "claude-sonnet-4-5"}))
    page = opened(make_context, "/ui/profiles/idle")
    page.get_by_label("Arguments").fill("--mine")
    seed.data(seed.api.patch("/api/profiles/idle", json={"model": "claude-haiku-4-5"}))
    model = page.get_by_role("combobox", name="Model")
    poll(lambda: model.input_value() == "claude-haiku-4-5", "the other field follows", timeout=30)
    page.get_by_role("button", name="Save").first.click()
    page.get_by_text("Saved.").wait_for()
    found = seed.data(seed.api.get("/api/profiles/idle"))
    assert (found["model"], found["args"]) == ("claude-haiku-4-5", ["--mine"])
    page.get_by_label("Arguments").fill("--again")
    seed.data(seed.api.patch("/api/profiles/idle", json={"args": ["--theirs"]}))
    page.get_by_text("These settings were changed elsewhere").wait_for()
    page.get_by_role("button", name="Discard mine").click()
    assert page.get_by_label("Arguments").input_value() == "--theirs"


def test_variables_of_a_profile_changed_twice_are_asked_about(seed: Seeded, make_context: Make) -> None:
    seed.data(seed.api.patch("/api/profiles/idle", json={"env": {"ONE": "1"}}))
    page = opened(make_context, "/ui/profiles/idle?tab=environment")
    page.get_by_label("Value of ONE").fill("mine")
    seed.data(seed.api.patch("/api/profiles/idle", json={"env": {"ONE": "1", "TWO": "2"}}))
    page.get_by_text("The variables were changed elsewhere").wait_for()
    page.get_by_role("button", name="Discard mine").click()
    poll(lambda: page.get_by_label("Value of TWO").count() == 1, "theirs is loaded", timeout=30)
