"""The log as it grows; plugins and the registry."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from samples import MARKUP, fits, nothing_executed

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

AGENT = """
id = "reviewer"
name = "Reviewer"
binary = "reviewer"
version_flag = "--version"

[detect]
commands = ["reviewer --version"]
"""


@pytest.fixture(scope="module")
def api(daemon: Daemon) -> httpx.Client:
    return daemon.admin()


def write(daemon: Daemon, message: str, level: str = "warning", **more: object) -> None:
    """A line as the daemon writes them."""
    line = {"time": "2026-01-31T12:00:00.000Z", "level": level, "logger": "jackfield.test", "message": message, **more}
    newest = max((daemon.config_dir / "logs").glob("*.log"), key=lambda path: path.stat().st_mtime)
    with newest.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, separators=(",", ":")) + "\n")


def follow(page: Page, query: str = "") -> None:
    page.goto(f"/ui/logs{query}")
    page.get_by_text("Live", exact=True).wait_for()


def test_new_lines_show_as_they_are_written(page: Page, daemon: Daemon, api: httpx.Client) -> None:
    follow(page)
    lines = page.get_by_role("list", name="Log lines")
    made = api.post("/api-keys", json={"name": "told of"}).json()["id"]
    lines.get_by_text(f"API key {made} was made").wait_for()

    page.get_by_role("button", name="Pause").click()
    write(daemon, "written while nobody looked")
    page.get_by_role("button", name="Continue (1 new)").wait_for()
    assert lines.get_by_text("written while nobody looked").count() == 0
    page.get_by_role("button", name="Continue (1 new)").click()
    lines.get_by_text("written while nobody looked").wait_for()


def test_lines_are_found_by_level_and_text(page: Page, daemon: Daemon) -> None:
    write(daemon, "a needle of no weight", "info")
    write(daemon, "a needle that broke", "error", exception="Traceback: it broke", port=18080)
    follow(page)
    page.get_by_label("Search in the lines").fill("NEEDLE")
    lines = page.get_by_role("list", name="Log lines")
    lines.get_by_text("a needle of no weight").wait_for()
    lines.get_by_text("has begun").first.wait_for(state="detached")
    page.get_by_role("combobox", name="Level").click()
    page.get_by_role("option", name="Errors only").click()
    lines.get_by_text("a needle of no weight").wait_for(state="detached")
    line = lines.get_by_role("button", name=re.compile("a needle that broke"))
    line.click()
    lines.get_by_text("Traceback: it broke").wait_for()
    lines.get_by_text("18080").wait_for()


@pytest.mark.parametrize(("scheme", "viewport"), [("light", "desktop"), ("dark", "phone")])
def test_hostile_lines_are_text_and_the_page_is_accessible(
    make_context: Callable[..., BrowserContext],
    axe: Callable[[Page], None],
    daemon: Daemon,
    scheme: str,
    viewport: str,
) -> None:
    page = make_context(scheme=scheme, viewport=viewport).new_page()
    follow(page)
    write(daemon, f"{scheme} {MARKUP}", exception=MARKUP, **{MARKUP: MARKUP})
    line = page.get_by_role("list", name="Log lines").get_by_role("button", name=re.compile(f"{scheme} .*onerror"))
    line.click()
    page.get_by_text("Copy the line").wait_for()
    axe(page)
    fits(page)
    nothing_executed(page)


@pytest.mark.parametrize(("scheme", "viewport"), [("light", "desktop"), ("dark", "phone")])
def test_plugins_are_listed(
    make_context: Callable[..., BrowserContext], axe: Callable[[Page], None], scheme: str, viewport: str
) -> None:
    page = make_context(scheme=scheme, viewport=viewport).new_page()
    page.goto("/ui/plugins")
    page.get_by_role("row", name=re.compile("webhooks")).get_by_text("Loaded").wait_for()
    axe(page)
    fits(page)


@pytest.fixture(scope="module")
def with_registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon beside a registry with one manifest."""
    place = tmp_path_factory.mktemp("registry")
    source, output = place / "source", place / "output"
    (source / "agents").mkdir(parents=True)
    (source / "agents/reviewer.toml").write_text(AGENT, encoding="utf-8")
    program = Path(sys.executable).with_name("jackfield")
    options = ["--output", str(output), "--config-dir", str(place / "config")]
    command = [str(program), "registry", "build", str(source), *options]
    built = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert built.returncode == 0, built.stdout + built.stderr
    found = Daemon(place / "daemon", settings=f'[registry]\nurl = "{output}"\n').start()
    yield found
    found.close()


def test_the_registry_is_synced_and_pinned(
    make_context: Callable[..., BrowserContext], axe: Callable[[Page], None], with_registry: Daemon
) -> None:
    page = make_context(base_url=with_registry.base_url).new_page()
    page.goto("/ui/registry")
    page.get_by_text("Nothing synced yet").wait_for()
    axe(page)
    page.get_by_role("button", name="Sync", exact=True).click()
    page.get_by_role("region", name="State").get_by_text("stable").wait_for()
    page.get_by_role("button", name="Pin the current commit").click()
    page.get_by_text(re.compile("^Pinned to")).wait_for()
    axe(page)
    page.get_by_role("button", name="Follow the channel again").click()
    page.get_by_text("the channel", exact=True).wait_for()
    fits(page)
