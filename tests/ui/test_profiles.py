"""Profiles, agents and providers in the browser: made, changed, run, deleted; secrets masked, hostile texts as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from samples import nothing_executed, shows_as_text
from shells import HOSTILE, SHELL, Sessions, poll, with_shell

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

KEY = "sk-test-9f8e7d6c5b4a"
ACME = """
id = "acme"
name = "Acme"
type = "openai-compatible"
[endpoints]
main = "http://127.0.0.1:9/v1"
other = "http://127.0.0.1:9/other/v1"
default = "main"
[auth]
env_key = "ACME_UI_KEY"
prompt = "Acme's API key"
required = true
[models]
default = "large"
available = ["large", "small"]
"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    found = Daemon(tmp_path_factory.mktemp("profiles"), settings='[profiles]\nkey_store = "file"\n')
    providers, agents = found.config_dir / "providers.d", found.config_dir / "agents.d"
    providers.mkdir()
    agents.mkdir()
    (providers / "acme.toml").write_text(ACME)
    (agents / "broken.toml").write_text(f'id = "{"<img src=x onerror=window.__xss=1>"}"')
    hostile = SHELL.replace('id = "shell"', 'id = "hostile"').replace('name = "Shell"', f"name = '''{HOSTILE}'''")
    (agents / "hostile.toml").write_text(hostile.format(homes=found.directory / "others"))
    with_shell(found)
    yield found
    found.close()


@pytest.fixture
def sessions(daemon: Daemon) -> Iterator[Sessions]:
    found = Sessions(daemon)
    yield found
    found.end_all()
    for row in found.ask("GET", "/api/profiles"):
        found.ask("DELETE", f"/api/profiles/{row['alias']}?force=true&purge=true")


def told(page: Page, text: str) -> None:
    page.get_by_text(text).first.wait_for()


def test_a_profile_is_made_in_three_steps(page: Page, sessions: Sessions) -> None:
    page.goto("/ui/profiles")
    told(page, "No profiles yet")
    page.get_by_role("button", name="New profile").click()
    page.get_by_role("radio", name="Shell").check(force=True)
    page.get_by_role("button", name="Next").click()
    page.get_by_role("combobox", name="Choose a provider").fill("Acme")
    page.get_by_role("option", name="Acme").click()
    page.get_by_role("button", name="Next").click()
    name = page.get_by_label("Name", exact=False).first
    assert name.input_value() == "shell-acme"
    name.fill("not a name")
    told(page, "Letters, digits, _ and -")
    name.fill("work")
    page.get_by_role("button", name="Create the profile").click()
    # No key: the daemon refuses, and the step with the field is shown.
    told(page, "The profile was not created")
    page.get_by_label("Acme's API key").fill(KEY)
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Create the profile").click()
    page.wait_for_url("**/ui/profiles/work")
    told(page, "The profile has its own key")
    made = sessions.ask("GET", "/api/profiles/work")
    assert (made["provider_id"], made["model"], made["has_key"]) == ("acme", "large", True)
    assert KEY not in page.content()


def test_settings_are_changed_and_errors_stand_at_their_fields(page: Page, sessions: Sessions) -> None:
    sessions.profile("work", provider_id="acme", api_key=KEY)
    page.goto("/ui/profiles/work")
    page.get_by_label("Working directory").fill("nowhere")
    page.get_by_role("button", name="Save").click()
    poll(lambda: page.get_by_label("Working directory").get_attribute("aria-invalid") == "true", "the field is marked")
    page.get_by_label("Working directory").fill("/tmp")
    page.get_by_role("combobox", name="Model").fill("small")
    page.keyboard.press("Escape")
    page.get_by_label("Arguments").fill("--flag 'two words'")
    page.get_by_role("combobox", name="Sandbox").click()
    page.get_by_role("option", name="Strict").click()
    page.get_by_role("button", name="Save").click()
    poll(lambda: sessions.ask("GET", "/api/profiles/work")["sandbox"] == "strict", "it is saved")
    found = sessions.ask("GET", "/api/profiles/work")
    assert (found["model"], found["working_dir"], found["args"]) == ("small", "/tmp", ["--flag", "two words"])
    page.get_by_label("New API key").fill(f"{KEY}-new")
    page.get_by_role("button", name="Replace").click()
    told(page, "The key was stored.")
    assert KEY not in page.content()


def test_secrets_are_masked_and_stay(page: Page, sessions: Sessions, daemon: Daemon) -> None:
    sessions.profile("work", env={"SOME_API_TOKEN": KEY, "PLAIN": "seen"})
    page.goto("/ui/profiles/work?tab=environment")
    page.get_by_label("Value of PLAIN").fill("changed")
    page.get_by_role("button", name="Add a variable").click()
    page.get_by_label("Name 3").fill("PLAIN")
    page.get_by_role("button", name="Save").click()
    told(page, "It already exists.")
    page.get_by_label("Name 3").fill("MORE")
    page.get_by_label("Value of MORE").fill("1")
    page.get_by_role("button", name="Save").click()
    told(page, "Saved.")
    stored = json.loads((daemon.config_dir / "profiles/work.json").read_text())
    assert stored["env"] == {"SOME_API_TOKEN": KEY, "PLAIN": "changed", "MORE": "1"}
    page.reload()
    row = page.get_by_role("row", name="SOME_API_TOKEN")
    row.get_by_text("***").wait_for()
    assert KEY not in page.content()


def test_hooks_are_edited_imported_and_exported(page: Page, sessions: Sessions, tmp_path: Path) -> None:
    sessions.profile("work")
    page.goto("/ui/profiles/work?tab=hooks")
    page.get_by_role("button", name="Add a hook").click()
    page.get_by_label("Matcher").fill("Bash")
    page.get_by_label("Timeout (s)").fill("30000")
    page.get_by_role("textbox", name="Command").fill("./check.sh")
    page.get_by_role("button", name="Save").click()
    told(page, "The hooks were not saved")
    page.get_by_label("Timeout (s)").fill("30")
    page.get_by_role("button", name="Save").click()
    told(page, "Saved.")
    hooks = {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 30}]}]
    }
    assert sessions.ask("GET", "/api/profiles/work/hooks") == hooks
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    assert json.loads(Path(download.value.path()).read_text()) == hooks
    given = tmp_path / "hooks.json"
    given.write_text(json.dumps({"Stop": [{"matcher": "*", "hooks": [{"type": "command", "command": HOSTILE}]}]}))
    page.get_by_label("File of hooks").set_input_files(given)
    page.get_by_role("dialog").get_by_role("button", name="Replace").click()
    told(page, "The hooks were imported.")
    assert list(sessions.ask("GET", "/api/profiles/work/hooks")) == ["Stop"]
    assert page.get_by_role("textbox", name="Command").input_value() == HOSTILE
    nothing_executed(page)


def test_a_prompt_is_run_and_a_terminal_opened(page: Page, sessions: Sessions) -> None:
    sessions.profile("work")
    page.goto("/ui/profiles/work?tab=run")
    page.get_by_label("Prompt").fill(f"answer {HOSTILE} ")
    page.get_by_role("button", name="Run", exact=True).click()
    output = page.get_by_role("region", name="Output")
    output.wait_for()
    assert f"{HOSTILE} headless" in output.inner_text()
    nothing_executed(page)
    page.get_by_role("link", name="Open a terminal").click()
    page.get_by_role("dialog").get_by_role("button", name="Start").click()
    page.wait_for_url("**/ui/terminals/*-*")
    assert len(sessions.ask("GET", "/api/terminal/sessions")) == 1


def test_deleting_asks_for_the_name(page: Page, sessions: Sessions, daemon: Daemon) -> None:
    sessions.profile("work")
    sessions.start("work", "exec cat")
    home = daemon.directory / "homes/work"
    page.goto("/ui/profiles")
    page.get_by_role("button", name="Actions for work").click()
    page.get_by_role("menuitem", name="Delete…").click()
    delete = page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True)
    assert delete.is_disabled()
    page.get_by_label("Also delete its home directory").check()
    page.get_by_label("Type “work” to confirm").fill("work")
    delete.click()
    page.get_by_label("End its sessions").check()
    delete.click()
    told(page, "No profiles yet")
    assert not home.exists()


def test_agents_providers_and_what_is_broken(page: Page, sessions: Sessions) -> None:
    page.goto("/ui/agents")
    told(page, "Manifests that cannot be used")
    told(page, "broken.toml")
    page.get_by_role("link", name="Claude Code").click()
    told(page, "claude-sonnet-5")
    page.goto("/ui/agents/hostile")
    told(page, "onerror=window.__xss=1")
    page.goto("/ui/agents?tab=providers")
    page.get_by_role("button", name="Acme").click()
    told(page, "No key is stored")
    page.get_by_label("New key").fill(KEY)
    page.get_by_role("button", name="Store").click()
    told(page, "A key is stored.")
    told(page, "The key of Acme was stored.")
    assert KEY not in page.content()
    page.get_by_role("button", name="Remove…").click()
    page.get_by_role("dialog", name="Remove the stored key").get_by_role("button", name="Remove").click()
    told(page, "No key is stored")
    nothing_executed(page)


def test_hostile_names_are_text(page: Page, sessions: Sessions) -> None:
    sessions.profile(
        "work",
        agent_id="hostile",
        env={HOSTILE.replace("=", ""): HOSTILE, "X": "javascript:window.__xss=1"},
        model=HOSTILE,
    )
    shows_as_text(
        page,
        "/ui/profiles",
        "/ui/profiles/work",
        "/ui/profiles/work?tab=environment",
        "/ui/profiles?new",
        "/ui/terminals?new",
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", ["desktop", "phone"])
def test_the_pages_are_accessible(
    make_context: Callable[..., BrowserContext],
    sessions: Sessions,
    axe: Callable[[Page], None],
    scheme: str,
    viewport: str,
) -> None:
    page = make_context(scheme=scheme, viewport=viewport).new_page()
    page.goto("/ui/profiles")
    told(page, "No profiles yet")
    axe(page)
    hooks = {"Stop": [{"matcher": "*", "hooks": [{"type": "command", "command": "true"}]}]}
    sessions.profile("work", env={"SOME_TOKEN": "x", "PLAIN": "y"}, hooks_config=hooks)
    seen = {
        "/ui/profiles": "work",
        "/ui/profiles?new": "Choose an agent",
        "/ui/profiles/work": "Home",
        "/ui/profiles/work?tab=environment": "Environment of the agent",
        "/ui/profiles/work?tab=hooks": "Action",
        "/ui/profiles/work?tab=run": "Time limit (s)",
        "/ui/agents": "Claude Code",
        "/ui/agents?tab=providers": "Acme",
        "/ui/agents/claude": "Models",
    }
    for path, text in seen.items():
        page.goto(path)
        page.get_by_text(text, exact=True).first.wait_for()
        axe(page)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), path


def test_a_template_fills_in_what_can_be_changed(page: Page, daemon: Daemon) -> None:
    (daemon.config_dir / "templates.d").mkdir(exist_ok=True)
    (daemon.config_dir / "templates.d/mine.toml").write_text(
        'id = "mine"\nname = "My own"\ndescription = "As I like it."\nagent_id = "shell"\n'
        '[profile]\nprovider_id = "self"\nargs = ["two words"]\nenv = { A = "1" }\nlimits = { processes = 99 }\n'
    )
    page.goto("/ui/profiles?new")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Template").click()
    page.get_by_role("option", name="My own (shell)").click()
    dialog.get_by_text("As I like it.").wait_for()
    dialog.get_by_role("button", name="Next").click()
    dialog.get_by_role("button", name="Next").click()
    dialog.get_by_role("textbox", name="Name", exact=True).fill("of-template")
    dialog.get_by_role("button", name="More options").click()
    assert dialog.get_by_label("Arguments").input_value() == "'two words'"
    dialog.get_by_label("Arguments").fill("one")
    dialog.get_by_role("button", name="Create the profile").click()
    page.get_by_role("heading", name="of-template").wait_for()
    found = daemon.client().get("/api/profiles/of-template").json()["data"]
    assert (found["args"], found["env"], found["limits"]["processes"]) == (["one"], {"A": "1"}, 99)
