"""What goes into a terminal and comes out of it: pastes, addresses, the clipboard, and drawing on a graphics card."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from samples import nothing_executed
from shells import Sessions, poll, showing, shown, type_into, with_shell

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

Make = Callable[..., "BrowserContext"]
PRETEND = """
const context = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, options) {
  return context.call(this, kind, {...options, failIfMajorPerformanceCaveat: false});
};
const parameter = WebGL2RenderingContext.prototype.getParameter;
WebGL2RenderingContext.prototype.getParameter = function (name) {
  return name === 0x9246 ? 'A graphics card' : parameter.call(this, name);
};
"""
"""A processor that plays a graphics card passes for one: UNMASKED_RENDERER_WEBGL is 0x9246."""
LOSE = """() => {
  for (const canvas of document.querySelectorAll('.xterm-screen canvas')) {
    canvas.getContext('webgl2')?.getExtension('WEBGL_lose_context').loseContext();
  }
}"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    found = with_shell(Daemon(tmp_path_factory.mktemp("terminals")))
    Sessions(found).profile("one")
    yield found
    found.close()


@pytest.fixture
def sessions(daemon: Daemon) -> Iterator[Sessions]:
    found = Sessions(daemon)
    yield found
    found.end_all()


@pytest.fixture
def page(make_context: Make) -> Page:
    return make_context(permissions=["clipboard-read", "clipboard-write"]).new_page()


def opened(page: Page, session: str) -> Page:
    page.goto(f"/ui/terminals/{session}")
    page.locator("[data-current] .xterm-helper-textarea").wait_for(state="attached")
    return page


def paste(page: Page, text: str) -> None:
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.locator("[data-current] [data-active] .xterm-helper-textarea").focus()
    page.keyboard.press("Control+Shift+V")


def focus_is_in_the_terminal(page: Page) -> None:
    page.wait_for_function("document.activeElement.matches('.xterm-helper-textarea')")


def press_on(page: Page, text: str) -> None:
    """A click on the text where it stands last."""
    row = page.locator("[data-current] .xterm-rows > div").filter(has_text=text).last
    place = row.evaluate(
        """(row, text) => {
          const range = document.createRange();
          const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const at = node.data.indexOf(text);
            if (at < 0) continue;
            range.setStart(node, at);
            range.setEnd(node, at + text.length);
            const {x, y, width, height} = range.getBoundingClientRect();
            return [x + width / 2, y + height / 2];
          }
        }""",
        text,
    )
    page.mouse.move(place[0] - 3, place[1])
    page.mouse.move(*place)
    page.locator(".xterm.xterm-cursor-pointer, .xterm-cursor-pointer").first.wait_for(state="attached")
    page.mouse.click(*place)


def test_lines_that_would_run_are_asked_about(page: Page, sessions: Sessions, axe: Callable[[Page], None]) -> None:
    session = sessions.start("one")
    opened(page, session)
    showing(page, "ready>")
    paste(page, "echo first-$((1+1))\r\necho second-$((1+1))\n")
    question = page.get_by_role("dialog", name="Paste 2 lines?")
    question.get_by_text("echo second-").wait_for()
    axe(page)
    page.keyboard.press("Escape")
    focus_is_in_the_terminal(page)
    paste(page, "echo first-$((1+1))\r\necho second-$((1+1))\n")
    question.get_by_role("button", name="Paste").click()
    assert showing(page, "second-2").count("first-2") == 1
    focus_is_in_the_terminal(page)
    paste(page, "echo alone-$((1+1))")
    type_into(page, "\n")
    showing(page, "alone-2")


def test_a_paste_cannot_end_its_own_brackets(page: Page, sessions: Sessions) -> None:
    session = sessions.start("one", "printf '\\033[?2004hBRACKETED\\r\\n'; exec cat -v")
    opened(page, session)
    showing(page, "BRACKETED")
    paste(page, "one\x1b[201~\ntwo\x9b201~\x03")
    type_into(page, "\n")
    poll(lambda: shown(page).count("two201~^[[201~") == 2, "the terminal has echoed both lines, and cat repeated them")
    text = shown(page)
    assert page.get_by_role("dialog").count() == 0
    assert text.count("^[[201~") == text.count("^[[200~") > 0
    assert "one[201~" in text
    assert sessions.state(session)["state"] == "running"


def test_addresses_are_named_before_they_are_opened(page: Page, sessions: Sessions) -> None:
    script = "printf 'see http://shop.example/a?b=1, or 漢字 https://next.example/%0200d\\r\\n' 7; exec cat"
    session = sessions.start("one", script)
    opened(page, session)
    showing(page, "shop.example")
    press_on(page, "http://shop.example/a")
    question = page.get_by_role("dialog", name="Open shop.example?")
    question.get_by_text("http://shop.example/a?b=1", exact=True).wait_for()
    question.get_by_role("button", name="Cancel").click()
    question.wait_for(state="hidden")
    press_on(page, "https://next.example/0")
    whole = page.get_by_role("dialog", name="Open next.example?").get_by_text("https://next.example/")
    assert whole.inner_text() == f"https://next.example/{7:0200d}"


def test_a_program_does_not_reach_the_clipboard(page: Page, sessions: Sessions) -> None:
    session = sessions.start("one", "printf '\\033]52;c;ZXZpbA==\\007\\033]52;c;?\\007done\\r\\n'; exec cat -v")
    opened(page, session)
    page.evaluate("navigator.clipboard.writeText('mine')")
    showing(page, "done")
    assert page.evaluate("navigator.clipboard.readText()") == "mine"
    assert "]52" not in shown(page)
    nothing_executed(page)


def test_a_session_that_went_with_the_daemon_can_be_started_again(page: Page, sessions: Sessions) -> None:
    session = sessions.start("one", "exec cat")
    opened(page, session)
    page.get_by_role("region", name="Session one").first.wait_for()
    sessions.end_all()
    page.get_by_text("Ended by the signal").or_(page.get_by_text("not there any more")).first.wait_for()
    page.get_by_role("button", name="Start again").click()
    page.wait_for_url(lambda url: session not in url)


def test_the_screen_outlives_the_graphics_card(software_gl: Browser, daemon: Daemon, sessions: Sessions) -> None:
    """Drawn with WebGL; then its context is lost."""
    session = sessions.start("one", "printf 'on the card\\r\\n'; exec cat")
    context = software_gl.new_context(base_url=daemon.base_url)
    context.set_default_timeout(30_000)
    context.add_init_script(PRETEND)
    page = opened(context.new_page(), session)
    if not page.evaluate("document.createElement('canvas').getContext('webgl2') !== null"):
        pytest.skip("this browser has no WebGL, not even in software")
    page.locator(".xterm-screen canvas").first.wait_for(state="attached")
    assert page.locator(".xterm-rows").count() == 0
    sessions.shows(session, "on the card")
    page.evaluate(LOSE)
    page.locator(".xterm-rows").wait_for(state="attached")
    showing(page, "on the card")
    poll(lambda: page.locator(".xterm-screen canvas").count() == 0, "the canvases are gone")
    type_into(page, "in the document\n")
    showing(page, "in the document")
