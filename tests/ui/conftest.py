"""The browser interface in a real browser, against the real daemon.

`browsers.py` says which one; tests marked `firefox` run in both. Without Playwright, the browser or the built interface
the tests are skipped and say so; in their tox environments that is a failure.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import jackfield_ui
from jackfield.testing.daemon import Daemon

sys.path.insert(0, str(Path(__file__).parent))
from browsers import ARGUMENTS, CHROMIUM, FIREFOX, MOZ_FIREFOX, NAME, PREFERENCES, PROGRAM, SCRIPTS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright

FRONTEND = Path(__file__).resolve().parents[2] / "plugins/jackfield_ui/frontend"
AXE = FRONTEND / "node_modules/axe-core/axe.min.js"
STATIC = Path(jackfield_ui.__file__).parent / "static"
STRANGER = {"X-Forwarded-For": "203.0.113.9"}
"""With this a request is not of the daemon's own user."""
VIEWPORTS = {"desktop": (1280, 800), "phone": (390, 844)}
WATCH = """
window.__violations = [];
document.addEventListener('securitypolicyviolation', (event) => {
  window.__violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
});
"""


def missing() -> str:
    """Why nothing can be tested here; empty when it can."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "Playwright is not installed; `tox -e ui` has it"
    if not (STATIC / "index.html").is_file():
        return "the interface is not built: npm is missing, or `npm run build` was not run"
    return "" if shutil.which(PROGRAM) else f"there is no {PROGRAM}"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("pictures")
    group.addoption("--update", action="store_true", help="keep the pictures of the interface as it looks now")
    group.addoption("--record", action="store_true", help="ask a busy daemon what the pages show, and keep that")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = missing()
    if reason and os.environ.get("TOX_ENV_NAME") not in {"ui", "ui-firefox", "pictures"}:
        here = Path(__file__).parent
        for item in items:
            if here in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    assert not missing(), missing()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as found:
        yield found


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def firefox(playwright: Playwright) -> Iterator[Browser]:
    browser = playwright.firefox.launch(executable_path=FIREFOX, channel=MOZ_FIREFOX, firefox_user_prefs=PREFERENCES)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def browser(request: pytest.FixtureRequest) -> Browser:
    """The one that `JACKFIELD_TEST_BROWSER` names."""
    found: Browser = request.getfixturevalue(NAME)
    return found


@pytest.fixture
def software_gl(chromium: Browser) -> Iterator[Browser]:
    """A browser whose processor plays a graphics card."""
    more = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    browser = chromium.browser_type.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, *more])
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One daemon for the tests of a file."""
    found = Daemon(tmp_path_factory.mktemp("daemon")).start()
    yield found
    found.close()


class Watched:
    """What a browser said against its pages. A test that expects some of it takes it out of `complaints`."""

    def __init__(self) -> None:
        self.complaints: list[str] = []

    def on_console(self, message: ConsoleMessage) -> None:
        # A refused request is no mistake of the page: the daemon says so, and the page shows it.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.complaints.append(message.text)

    def on_page(self, page: Page) -> None:
        page.on("console", self.on_console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))


@pytest.fixture
def watched() -> Iterator[Watched]:
    found = Watched()
    yield found
    assert found.complaints == []


@pytest.fixture
def make_context(browser: Browser, daemon: Daemon, watched: Watched) -> Iterator[Callable[..., BrowserContext]]:
    """A fresh profile of the browser: `make_context(stranger=True, scheme="dark", viewport="phone")`."""
    made: list[BrowserContext] = []

    def make(
        *, stranger: bool = False, scheme: str = "light", viewport: str = "desktop", base_url: str = "", **more: Any
    ) -> BrowserContext:
        width, height = VIEWPORTS[viewport]
        context = browser.new_context(
            base_url=base_url or daemon.base_url,
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
            viewport={"width": width, "height": height},
            extra_http_headers=STRANGER if stranger else {},
            locale="en-GB",
            timezone_id="UTC",
            **more,
        )
        context.set_default_timeout(30_000)
        context.add_init_script(WATCH + SCRIPTS[NAME])
        context.on("page", watched.on_page)
        made.append(context)
        return context

    yield make
    for context in made:
        for page in context.pages:
            if page.url.startswith("http"):
                watched.complaints += page.evaluate("window.__violations ?? []")
        context.close()


@pytest.fixture
def page(make_context: Callable[..., BrowserContext]) -> Page:
    """A page of the daemon's own user; a complaint of the browser fails the test."""
    return make_context().new_page()


@pytest.fixture
def stranger_page(make_context: Callable[..., BrowserContext]) -> Page:
    """A page of somebody else, who has to log in."""
    return make_context(stranger=True).new_page()


@pytest.fixture
def axe() -> Callable[[Page], None]:
    """`axe(page)` fails with every violation that axe-core finds (WCAG 2.2 A and AA, and its best practices)."""
    if not AXE.is_file():
        pytest.skip(f"axe-core is not installed: run `npm ci` in {FRONTEND.name}")
    source = AXE.read_text(encoding="utf-8")

    def check(page: Page) -> None:
        page.mouse.move(0, 0)  # a hint of what the mouse is on lies outside of all landmarks
        page.wait_for_function("![...document.querySelectorAll('[role=tooltip]')].some((it) => it.checkVisibility())")
        page.evaluate(source)  # past the page's policy, which allows no such script
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        told = [
            f"{violation['id']}: {violation['help']}: {node['html'][:200]}"
            for violation in found["violations"]
            for node in violation["nodes"]
        ]
        assert told == []

    return check
