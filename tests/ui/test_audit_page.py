"""The audit log and log streaming in the settings."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from samples import fits

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from jackfield.testing.daemon import Daemon


@pytest.fixture
def receiver() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.settimeout(10)
        yield listening


def test_acts_are_listed_filtered_checked_and_exported(page: Page, daemon: Daemon, axe: Callable[[Page], None]) -> None:
    api = daemon.admin()
    api.post("/tags", json={"name": "shown"})
    api.post("/workflows", json={"name": "Recorded", "nodes": [], "connections": {}})
    page.goto("/ui/settings/audit")
    page.get_by_role("row", name=re.compile("workflow.create")).get_by_text("Recorded").wait_for()
    axe(page)
    page.get_by_label("Action", exact=True).fill("tag.")
    page.get_by_role("row", name=re.compile("tag.create")).wait_for()
    page.get_by_role("row", name=re.compile("workflow.create")).wait_for(state="detached")
    page.get_by_role("button", name="Check the chain").click()
    page.get_by_role("status").get_by_text("The chain is whole").wait_for()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export").click()
    lines = download.value.path().read_text().splitlines()
    assert [line.split(",")[2] for line in lines] == ["act", "tag.create"]


def test_a_log_stream_is_made_tested_and_deleted(
    page: Page, receiver: socket.socket, axe: Callable[[Page], None]
) -> None:
    page.goto("/ui/settings/log-streams?new")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Name").fill("SIEM")
    dialog.get_by_label("Address").fill(f"udp://127.0.0.1:{receiver.getsockname()[1]}")
    axe(page)
    dialog.get_by_role("button", name="Create").click()
    page.get_by_role("row", name=re.compile("SIEM")).wait_for()
    page.get_by_role("button", name="Send a test to SIEM").click()
    page.get_by_text("SIEM took the test message.").wait_for()
    assert b'"event":' in receiver.recv(65536)
    axe(page)
    page.get_by_role("button", name="Delete SIEM").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_text("No log streams").wait_for()


def test_headers_of_a_log_stream_are_kept_replaced_and_left_out(
    page: Page, daemon: Daemon, axe: Callable[[Page], None]
) -> None:
    page.set_viewport_size({"width": 375, "height": 740})
    page.goto("/ui/settings/log-streams?new")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Name").fill("Collector")
    dialog.get_by_label("Facility").wait_for()
    dialog.get_by_role("combobox", name="Kind").click()
    page.get_by_role("option", name="HTTP").click()
    dialog.get_by_label("Address").fill("http://127.0.0.1:9/in")
    dialog.get_by_label("Secret", exact=True).fill("signs")
    for at, (name, value) in enumerate((("Authorization", "Bearer a"), ("authorization", "Bearer b")), 1):
        dialog.get_by_role("button", name="Add a header").click()
        dialog.get_by_label(f"Name {at}").fill(name)
        dialog.get_by_label(f"Value of {name}", exact=True).fill(value)
    dialog.get_by_text("This header exists twice.").wait_for()
    axe(page)
    fits(page)
    dialog.get_by_label("Name 2").fill("X-Tenant")
    dialog.get_by_role("button", name="Create").click()
    page.get_by_text("signed, 2 headers").wait_for()

    def kept() -> tuple[bool, list[str]]:
        (stream,) = daemon.admin().get("/log-streams").json()["data"]
        return bool(stream["hasSecret"]), list(stream["headers"])

    assert kept() == (True, ["Authorization", "X-Tenant"])
    page.get_by_role("button", name="Edit Collector").click()
    dialog.get_by_text("Authorization, X-Tenant").wait_for()
    dialog.get_by_role("textbox", name="Name").fill("Collector 2")
    dialog.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Edit Collector 2").click()
    assert kept() == (True, ["Authorization", "X-Tenant"]), "nobody typed them anew"
    dialog.get_by_role("button", name="Replace the headers").click()
    dialog.get_by_role("button", name="Remove X-Tenant").click()
    dialog.get_by_label("Value of Authorization").fill("Bearer c")
    dialog.get_by_label("Remove the secret").check()
    dialog.get_by_role("button", name="Save").click()
    page.get_by_text("1 header", exact=True).wait_for()
    assert kept() == (False, ["Authorization"])
    page.get_by_role("button", name="Edit Collector 2").click()
    dialog.get_by_label("Address").fill("http://127.0.0.1:10/in")
    dialog.get_by_role("button", name="Save").click()
    dialog.get_by_text("give it anew, or empty").wait_for()
