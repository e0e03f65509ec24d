"""The language of the interface: the browser's, or the one chosen; and no page says anything outside of a catalogue."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browsers import NAME
from pages import pages_of_the_menu
from seeding import Seeded, seeded

from jackfield.testing.daemon import PASSWORD, USERNAME, Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

pytestmark = pytest.mark.skipif(NAME != "chromium", reason="what is said does not depend on the browser")

ASSETS = Path(__file__).resolve().parents[2] / "plugins/jackfield_ui/static/assets"
DRAWN = """!document.querySelector('.mantine-Skeleton-root, .mantine-Loader-root')
  && document.querySelector('h1, canvas') !== null"""
MARKED = """(
  (text) => Object.fromEntries(Object.entries(JSON.parse(text)).map(([key, parts]) => [key, ['⟦', ...parts, '⟧']]))
)("""
UNTRANSLATED = """() => {
  const found = new Set();
  let depth = 0;
  const tell = (text) => {
    let outside = '';
    for (const sign of text) {
      if (sign === '⟦') depth += 1;
      else if (sign === '⟧') depth -= 1;
      else if (depth === 0) outside += sign;
    }
    if (/[A-Za-z]{3}/.test(outside)) found.add(outside.trim());
  };
  const walk = document.createTreeWalker(document.querySelector('#root'), NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (!node.parentElement.closest('style, time, code, pre, .cm-editor, .xterm')) tell(node.data);
  }
  for (const one of document.querySelectorAll('#root :is([aria-label], [placeholder])')) {
    for (const name of ['aria-label', 'placeholder']) tell(one.getAttribute(name) ?? '');
  }
  return [...found];
}"""
DATA = re.compile(
    r"[a-z0-9_.,: /-]+|Jackfield.*|Ctrl K|[\d.,]+\sMio\.|.*/.*|URL|POST|JSON|CSV|API|Webhook|Orders|A draft"
    r"|Nightly report"
    r"|Nobody knows this customer|File it|Known customer\?|Is it large\?|Tell sales|Refuse:?"
    r"|Claude Code|Codex.*|Coder|Aider"
    r"|Droid|Gemini CLI|Grok CLI|OpenCode|Qwen Code|X-API-Key.*|held the event loop.*"
)
"""What the daemon was given or sends, and names of programs."""
ENGLISH_PAGES = {"logs", "help", "plugins"}
"""Messages of the daemon, the documentation and the plugins' own words."""


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seeded]:
    with seeded(tmp_path_factory.mktemp("busy")) as found:
        yield found


@pytest.fixture(scope="module")
def daemon(seed: Seeded) -> Daemon:
    return seed.daemon


def german(make_context: Callable[..., BrowserContext], **more: Any) -> BrowserContext:
    context = make_context(**more)
    context.add_init_script("Object.defineProperty(navigator, 'languages', {value: ['de-AT', 'de', 'en']})")
    return context


def test_a_german_browser_gets_german_and_keeps_a_choice(make_context: Callable[..., BrowserContext]) -> None:
    page = german(make_context, stranger=True).new_page()
    page.goto("/")
    page.get_by_label("Benutzername").fill(USERNAME)
    page.locator("input[autocomplete=current-password]").fill(PASSWORD)
    page.get_by_role("button", name="Anmelden", exact=True).click()
    page.get_by_role("link", name="Einstellungen").wait_for()
    assert page.evaluate("document.documentElement.lang") == "de"
    page.get_by_role("button", name="Konto").click()
    page.get_by_role("menuitem", name="English").click()
    page.get_by_role("link", name="Settings", exact=True).wait_for()
    page.reload()
    page.get_by_role("link", name="Settings", exact=True).wait_for()
    assert page.evaluate("document.documentElement.lang") == "en"
    page.get_by_role("button", name="Account").click()
    page.get_by_role("menuitem", name="Deutsch").click()
    page.get_by_role("link", name="Einstellungen").wait_for()
    page.reload()
    page.get_by_role("link", name="Einstellungen").wait_for()


def test_the_login_page_offers_the_languages(make_context: Callable[..., BrowserContext]) -> None:
    page = make_context(stranger=True).new_page()
    page.goto("/")
    page.get_by_label("User name").wait_for()
    page.get_by_role("button", name="Deutsch").click()
    page.get_by_label("Benutzername").wait_for()


def test_a_catalogue_that_does_not_come_leaves_english(make_context: Callable[..., BrowserContext]) -> None:
    context = german(make_context, stranger=True)
    context.route(re.compile(r"/assets/de-[^/]*\.js"), lambda route: route.fulfill(status=404))
    page = context.new_page()
    page.goto("/")
    page.get_by_label("User name").wait_for()
    assert page.evaluate("document.documentElement.lang") == "en"


def test_a_browser_without_storage_follows_its_own_languages(make_context: Callable[..., BrowserContext]) -> None:
    context = german(make_context, stranger=True)
    context.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }})"
    )
    page = context.new_page()
    errors: list[object] = []
    page.on("pageerror", lambda error: errors.append(error))
    page.goto("/")
    page.get_by_label("Benutzername").wait_for()
    page.get_by_role("button", name="English").click()
    page.get_by_label("Benutzername").wait_for()
    assert errors == []


def test_numbers_are_typed_and_shown_as_the_language_writes_them(make_context: Callable[..., BrowserContext]) -> None:
    context = german(make_context)
    page = context.new_page()
    page.goto("/ui/settings/virtual-keys?new")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Bezeichnung").fill("Ofen")
    limit = dialog.get_by_label("US-Dollar pro Monat")
    limit.press_sequentially("1.234,5")
    assert limit.input_value() == "1.234,5", "as it is typed, until the field is left"
    limit.blur()
    assert limit.input_value() == "1\N{NO-BREAK SPACE}234,5", "as Austria groups digits"
    dialog.get_by_role("button", name="Schlüssel anlegen").click()
    page.get_by_test_id("virtual-key").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("row", name="Ofen").get_by_text(re.compile(r"von \$\s1\.234,50 pro Monat")).wait_for()
    (key,) = context.request.get("/api/gateway/keys").json()["data"]
    assert [(budget["unit"], budget["limit"]) for budget in key["budgets"]] == [("usd", 1234.5)]


def test_an_error_is_said_in_german_with_the_words_of_the_daemon(make_context: Callable[..., BrowserContext]) -> None:
    page = german(make_context).new_page()
    page.goto("/ui/executions/gone")
    failure = page.get_by_role("alert")
    failure.get_by_text("Das gibt es nicht, oder Sie haben keinen Zugriff darauf.").wait_for()
    assert len(failure.inner_text().splitlines()) > 2, "the sentence of the daemon stands below"


def pseudo(route: Route) -> None:
    """The German catalogue with each message in ⟦ ⟧, so that what is outside of them is in no catalogue."""
    text = (ASSETS / route.request.url.rsplit("/", 1)[1]).read_text(encoding="utf-8")
    assert "JSON.parse(" in text
    route.fulfill(body=text.replace("JSON.parse(", MARKED, 1), content_type="text/javascript; charset=utf-8")


def said(page: Page, path: str) -> list[str]:
    page.goto(path)
    page.locator("nav a[href='/ui/settings']").wait_for()
    poll(lambda: page.evaluate(DRAWN), f"{path} is drawn", timeout=30)
    found: list[str] = page.evaluate(UNTRANSLATED)
    return found


def test_no_page_says_anything_outside_of_a_catalogue(
    make_context: Callable[..., BrowserContext], seed: Seeded
) -> None:
    paths = pages_of_the_menu(make_context())
    context = german(make_context)
    context.route(re.compile(r"/assets/de-[^/]*\.js"), pseudo)
    page = context.new_page()
    asked = {name: path for name, path in {"dashboard": "/", **paths}.items() if name not in ENGLISH_PAGES}
    # Their table is drawn as soon as the daemon has listed them, also while the other tab is open.
    providers = context.request.get("/api/providers").json()["data"]
    words = {one[key] for one in providers for key in ("name", "default_model")}
    left = {
        name: [text for text in said(page, path) if not DATA.fullmatch(text) and text not in words]
        for name, path in asked.items()
    }
    assert {name: texts for name, texts in left.items() if texts} == {}
