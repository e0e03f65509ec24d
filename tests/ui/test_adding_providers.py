"""A provider of one's own, added and removed in the browser."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import TYPE_CHECKING

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_a_provider_is_added_with_its_key_and_removed(page: Page, daemon: Daemon, axe: Callable[[Page], None]) -> None:
    page.goto("/ui/agents?tab=providers")
    page.get_by_role("button", name="Add a provider").click()
    dialog = page.get_by_role("dialog", name="Add a provider")
    dialog.get_by_label("Id").fill("my gateway")
    dialog.get_by_label("Display name").fill("My gateway")
    dialog.get_by_label("Endpoint").fill("gateway.example/v1")
    axe(page)
    dialog.get_by_role("button", name="Add the provider").click()
    dialog.get_by_text("It was not added").wait_for()
    assert dialog.get_by_label("Id").get_attribute("aria-invalid") == "true"
    dialog.get_by_label("Id").fill("my-gateway")
    dialog.get_by_role("button", name="Add the provider").click()
    dialog.get_by_text("has no scheme").first.wait_for()
    assert dialog.get_by_label("Endpoint").get_attribute("aria-invalid") == "true"
    dialog.get_by_label("Endpoint").fill("https://gateway.example/v1")
    dialog.get_by_label("Key is sent").click()
    page.get_by_role("option", name="In its own header").click()
    dialog.get_by_label("Header").fill("x-gateway-key")
    dialog.get_by_role("textbox", name="Key for proxies").fill("key-canary-0123456789")
    dialog.get_by_label("Models").fill("large")
    dialog.get_by_label("Models").press("Enter")
    dialog.get_by_role("button", name="Add the provider").click()

    shown = page.get_by_role("dialog", name="My gateway")
    shown.get_by_text("A key is stored.").wait_for()
    shown.get_by_text("https://gateway.example/v1").wait_for()
    written = (daemon.config_dir / "providers.d/my-gateway.toml").read_text()
    assert "canary" not in written
    found = tomllib.loads(written)
    assert (found["auth"]["kind"], found["auth"]["header"]) == ("api-key", "x-gateway-key")
    assert found["models"] == {"available": ["large"], "default": "large"}

    shown.get_by_role("button", name="Remove the provider").click()
    page.get_by_role("button", name="Remove", exact=True).last.click()
    page.get_by_role("row", name="My gateway").wait_for(state="detached")
    assert not (daemon.config_dir / "providers.d/my-gateway.toml").exists()


def test_the_wizard_of_profiles_leads_there(page: Page) -> None:
    page.goto("/ui/profiles?new&agent=claude")
    page.get_by_role("link", name="Add a provider that is not listed").click()
    page.get_by_role("dialog", name="Add a provider").get_by_label("Id").wait_for()
