"""`jackfield login` through a real provider: the command, its page, the provider's pages, and the key at work."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from jackfield.testing.command_logins import begin_login
from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from conftest import People

STRANGER = {"X-Forwarded-For": "203.0.113.9"}


def test_a_person_of_the_provider_gets_a_key(chromium: Browser, daemon: Daemon, people: People, tmp_path: Path) -> None:
    people.write(ada=["staff"], eve=[])
    context = chromium.new_context(base_url=daemon.base_url, extra_http_headers=STRANGER)
    context.set_default_timeout(30_000)
    process, address = begin_login(daemon, tmp_path, "laptop")
    page = context.new_page()
    page.goto(address)
    page.get_by_text("Log in to decide about this command.").wait_for()
    with context.expect_page() as opened:
        page.get_by_role("button", name="Log in").click()
    tab = opened.value
    tab.get_by_role("button", name="Company account").click()
    tab.get_by_placeholder("Enter any login").fill("ada")
    tab.get_by_placeholder("and password").fill("whatever")
    tab.get_by_role("button", name="Sign-in").click()
    tab.get_by_role("button", name="Continue").click()
    page.get_by_text("Ada@corp", exact=True).wait_for()
    page.get_by_role("button", name="Allow").click()
    page.get_by_text("go on in the terminal").wait_for()
    out, _ = process.communicate(timeout=30)
    assert json.loads(out)["username"] == "Ada@corp"
    context.close()
    env = {key: text for key, text in os.environ.items() if not key.startswith("JACKFIELD_")}
    env["JACKFIELD_CONFIG_DIR"] = str(tmp_path / "mine")
    for command in (["workflow", "list"], ["logout"]):
        argv = [daemon.command()[0], *command, "--url", daemon.base_url, "--json"]
        done = subprocess.run(argv, env=env, text=True, capture_output=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
