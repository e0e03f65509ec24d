"""Terminals in the browser: typing, reloads, several clients, floods, recordings, links to look, hostile output."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from samples import nothing_executed
from shells import HOSTILE, Sessions, poll, showing, shown, type_into, with_shell

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

    from conftest import Watched


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


def opened(page: Page, session: str) -> Page:
    page.goto(f"/ui/terminals/{session}")
    page.locator("[data-current] .xterm-rows").wait_for()
    return page


@pytest.mark.firefox
def test_a_new_session_from_the_empty_list(page: Page, sessions: Sessions) -> None:
    page.goto("/ui/terminals")
    page.get_by_text("No terminal session").wait_for()
    page.get_by_role("button", name="New session").click()
    page.get_by_role("button", name="More options").click()
    page.get_by_label("Arguments").fill("-i")
    page.get_by_label("Directory").fill("nowhere")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("It was not started").wait_for()
    page.get_by_label("Directory").fill("/")
    page.get_by_role("button", name="Start").click()
    showing(page, "ready>")
    type_into(page, "pwd; stty size\n")
    text = showing(page, "\n/\n")
    rows, cols = map(int, re.findall(r"^(\d+) (\d+)$", text, re.MULTILINE)[0])
    assert rows > 24
    assert cols > 80
    page.get_by_role("link", name="All sessions").click()
    row = page.get_by_role("row", name="one").first
    row.get_by_text(re.compile(rf"{cols} × {rows}")).wait_for()
    row.get_by_role("link", name="one").click()
    showing(page, "stty size")


@pytest.mark.firefox
def test_a_reload_shows_the_same_screen(page: Page, sessions: Sessions) -> None:
    session = sessions.start("one")
    opened(page, session)
    showing(page, "ready>")
    # A question that the terminal answers: the answer must not be typed again by the reload.
    type_into(page, "printf '\\033[c\\033[6n'; sleep 0.3; tput cup 3 5 2>/dev/null; echo MARK-$((40+2))\n")
    showing(page, "MARK-42")
    type_into(page, "\x15clear; echo left\n")
    poll(lambda: "left\nready>" in shown(page), "the screen is settled")
    before = shown(page)
    page.reload()
    poll(lambda: shown(page) == before, f"the same screen as\n{before}")
    type_into(page, "echo still-$((1+1))\n")
    assert "?1;2c" not in showing(page, "still-2")


def test_two_browsers_see_and_type_in_one_session(
    make_context: Callable[..., BrowserContext], sessions: Sessions
) -> None:
    session = sessions.start("one")
    large, small = make_context().new_page(), make_context(viewport="phone").new_page()
    opened(large, session)
    opened(small, session)
    showing(large, "ready>")
    type_into(small, "echo from-$((6*7))\n")
    showing(large, "from-42")
    type_into(large, "echo $(stty size) is-the-size\n")
    poll(lambda: re.search(r"\d is-the-size", shown(small)) is not None, "the program tells its size")
    cols = int(re.findall(r"(\d+) is-the-size", shown(small))[-1])
    assert cols < 60
    large.get_by_text("2 have this session open").wait_for()
    # Both have the size of the smaller one, so that both show the same.
    poll(lambda: shown(large).split() == shown(small).split(), "both show the same")
    small.close()
    poll(lambda: sessions.state(session)["cols"] > 80, "the terminal grows when the small one has gone")


def test_tabs_and_splits_by_keyboard(page: Page, sessions: Sessions) -> None:
    first = sessions.start("one")
    opened(page, first)
    showing(page, "ready>")
    page.keyboard.press("Alt+Shift+D")
    poll(lambda: page.locator("[data-current] .xterm-rows:visible").count() == 2, "there are two panes")
    poll(lambda: first not in page.url, "the address of the new one")
    second = page.url.rsplit("/", 1)[1]
    assert sessions.state(second)["persistent"] is True
    page.get_by_role("button", name="Menu of").last.click()
    page.get_by_role("menuitem", name="Split with another session…").click()
    page.get_by_role("dialog").get_by_label("Show a running session").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    assert page.get_by_role("separator", name="Resize the panes").count() == 1
    page.keyboard.type("echo in-$((1+1))nd\n")
    sessions.shows(second, "in-2nd")
    page.keyboard.press("Alt+Shift+ArrowDown")
    page.keyboard.type("echo in-$((0+1))st\n")
    sessions.shows(first, "in-1st")
    page.keyboard.press("Alt+Shift+N")
    page.get_by_role("dialog").get_by_role("button", name="More options").click()
    page.get_by_label("Arguments").fill("-i")
    page.get_by_role("dialog").get_by_role("button", name="Start").click()
    poll(lambda: page.get_by_role("navigation", name="Open terminals").get_by_role("link").count() == 2, "two tabs")
    poll(lambda: page.locator("[data-current] .xterm-rows:visible").count() == 1, "the new tab is in front")
    page.keyboard.press("Alt+Shift+ArrowLeft")
    poll(lambda: page.locator("[data-current] .xterm-rows:visible").count() == 2, "the first tab again")
    poll(lambda: first in page.url or second in page.url, "its address")
    page.reload()
    poll(lambda: page.locator("[data-current] .xterm-rows:visible").count() == 2, "the panes after a reload")
    page.keyboard.press("Alt+Shift+W")
    poll(lambda: page.locator("[data-current] .xterm-rows:visible").count() == 1, "one pane is closed")
    assert sessions.state(first)["state"] == sessions.state(second)["state"] == "running"


def test_the_end_is_told_and_it_starts_again(page: Page, sessions: Sessions) -> None:
    session = sessions.start("one", "read line; exit 7")
    opened(page, session)
    page.get_by_role("button", name="Menu of one").click()
    page.get_by_role("menuitem", name="Kill…").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    type_into(page, "\n")
    page.get_by_text("Ended with exit code 7.").wait_for()
    screen, bar = page.locator("[data-current] .xterm-screen"), page.get_by_role("status").filter(has_text="Ended")
    poll(lambda: _bottom(screen) <= _top(bar) + 1, "the last line stands above the bar")
    page.get_by_role("button", name="Start again").click()
    page.wait_for_url(lambda url: session not in url)
    signalled = sessions.start("one", "sleep 60")
    opened(page, signalled)
    page.locator("[data-current]").get_by_role("button", name="Menu of").click()
    page.get_by_role("menuitem", name="Interrupt").click()
    page.get_by_text("Ended by the signal 2 (exit code 130).").wait_for()
    opened(page, "11111111-nothing")
    page.get_by_text("This session is not there any more").wait_for()


def _bottom(what: Locator) -> float:
    box = what.bounding_box()
    assert box is not None
    return box["y"] + box["height"]


def _top(what: Locator) -> float:
    box = what.bounding_box()
    assert box is not None
    return box["y"]


def test_find_and_the_size_of_the_text(page: Page, sessions: Sessions) -> None:
    session = sessions.start("one", "seq 1 3000; exec cat")
    opened(page, session)
    showing(page, "3000")
    page.locator("[data-current] .xterm-helper-textarea").focus()
    page.keyboard.press("Control+Shift+F")
    page.get_by_role("textbox", name="Find").fill("1137")
    page.get_by_text("1 of 1").wait_for()
    showing(page, "1137")
    page.keyboard.press("Escape")
    before = sessions.state(session)["cols"]
    page.get_by_role("button", name="Menu of").click()
    page.get_by_role("menuitem", name="Larger text").click()
    poll(lambda: sessions.state(session)["cols"] < before, "larger text has less room")


def test_a_flood_leaves_the_page_responsive(page: Page, sessions: Sessions) -> None:
    session = sessions.start(
        "one", "trap 'echo; echo STOPPED; exec cat' INT; while :; do yes 0123456789abcdefghijklmnopqrstuvwxyz; done"
    )
    opened(page, session)
    showing(page, "0123456789")
    # The longest time between two frames of two seconds, and the memory that is used after them.
    worst = page.evaluate(
        """() => new Promise((resolve) => {
          let last = performance.now(), worst = 0;
          const end = last + 2000;
          const step = (now) => {
            worst = Math.max(worst, now - last);
            last = now;
            if (now < end) requestAnimationFrame(step); else resolve(worst);
          };
          requestAnimationFrame(step);
        })"""
    )
    assert worst < 1000
    page.get_by_role("button", name="Menu of").click()
    page.get_by_role("menuitem", name="Interrupt").click(timeout=3000)
    showing(page, "STOPPED")


def test_a_daemon_that_restarts_is_waited_for(
    tmp_path_factory: pytest.TempPathFactory, make_context: Callable[..., BrowserContext], watched: Watched
) -> None:
    daemon = with_shell(Daemon(tmp_path_factory.mktemp("restarting")))
    try:
        sessions = Sessions(daemon)
        sessions.profile("one")
        session = sessions.start("one", persist=True)
        page = make_context(base_url=daemon.base_url).new_page()
        opened(page, session)
        type_into(page, "echo before-$((1+1))\n")
        showing(page, "before-2")
        daemon.stop()
        page.get_by_text("The connection is lost").wait_for()
        page.get_by_text("Jackfield does not answer").wait_for()
        daemon.start()
        page.get_by_text("The connection is lost").wait_for(state="hidden", timeout=30_000)
        assert showing(page, "ready>").count("before-2") == 1
        type_into(page, "echo after-$((1+2))\n")
        showing(page, "after-3")
        watched.complaints[:] = [text for text in watched.complaints if "WebSocket connection" not in text]
        Sessions(daemon).end_all()
        page.close()
    finally:
        daemon.close()


def test_a_recording_is_made_and_played(page: Page, sessions: Sessions) -> None:
    session = sessions.start("one")
    opened(page, session)
    showing(page, "ready>")
    page.get_by_role("button", name="Menu of").click()
    page.get_by_role("menuitem", name="Record").click()
    page.get_by_role("img", name="Recording").wait_for()
    type_into(page, "echo recorded-$((40+2))\n")
    showing(page, "recorded-42")
    page.get_by_role("button", name="Menu of").click()
    page.get_by_role("menuitem", name="Stop recording").click()
    page.get_by_role("img", name="Recording").wait_for(state="hidden")
    type_into(page, "echo not-recorded-$((1+1))\n")
    showing(page, "not-recorded-2")
    page.get_by_role("button", name="Menu of").click()
    page.get_by_role("menuitem", name="Play the recording").click()
    page.get_by_role("slider", name="Place in the recording").wait_for()
    assert "not-recorded" not in showing(page, "recorded-42")
    page.get_by_role("button", name="Play", exact=True).wait_for()
    place = page.get_by_role("slider", name="Place in the recording")
    place.focus()
    page.keyboard.press("Home")
    poll(lambda: "recorded-42" not in shown(page), "the beginning is shown")
    page.keyboard.press("End")
    showing(page, "recorded-42")


def test_a_link_to_look(
    make_context: Callable[..., BrowserContext], sessions: Sessions, axe: Callable[[Page], None]
) -> None:
    session = sessions.start("one")
    page = make_context().new_page()
    opened(page, session)
    showing(page, "ready>")
    page.get_by_role("button", name="Menu of").click()
    page.get_by_role("menuitem", name="Share a link to look").click()
    page.get_by_role("button", name="Create a link").click()
    link = page.get_by_text(re.compile("#token=jf_sh_")).inner_text()
    page.get_by_role("button", name="Done").click()
    guest = make_context(stranger=True, viewport="phone").new_page()
    asked: list[str] = []
    guest.on("request", lambda request: asked.append(request.url))
    guest.goto(link)
    showing(guest, "ready>")
    assert "token" not in guest.url
    assert not [url for url in asked if "/api/" in url]
    assert guest.get_by_role("button", name="Account").count() == 0
    guest.locator(".xterm-screen").click()
    guest.keyboard.type("intruder")
    type_into(page, "echo owner-$((1+1))\n")
    assert "intruder" not in showing(guest, "owner-2")
    assert guest.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    axe(guest)
    guest.reload()
    showing(guest, "owner-2")
    page.get_by_role("button", name="Menu of").click()
    page.get_by_role("menuitem", name="Share a link to look").click()
    page.get_by_role("button", name="End all links").click()
    guest.get_by_text("Link not valid").wait_for()


def test_hostile_titles_and_output_are_text(page: Page, sessions: Sessions) -> None:
    title = 'printf \'\\033]0;%s\\007%s\\r\\n\' "$1" "$1"'
    link = "printf '\\033]8;;javascript:window.__xss=1\\007press here\\033]8;;\\007\\r\\n'"
    script = f"{title}; {link}; exec cat"
    body = {"profile_alias": "one", "args": ["-c", script, "sh", HOSTILE]}
    session = str(sessions.ask("POST", "/api/terminal/sessions", json=body)["session_id"])
    opened(page, session)
    showing(page, "onerror=window.__xss=1")
    page.get_by_role("navigation", name="Open terminals").get_by_text("onerror=window.__xss=1").wait_for()
    poll(lambda: "onerror" in page.title(), "the title is the document's")
    page.get_by_role("button", name="Menu of").click()
    page.keyboard.press("Escape")
    spot = page.get_by_text("press here").bounding_box()
    assert spot is not None
    page.mouse.move(spot["x"] + 20, spot["y"] + spot["height"] / 2)
    page.mouse.click(spot["x"] + 20, spot["y"] + spot["height"] / 2)
    page.get_by_role("button", name="Menu of").click()
    page.get_by_role("menuitem", name="Share a link to look").click()
    page.get_by_role("dialog").get_by_text("onerror=window.__xss=1").wait_for()
    nothing_executed(page)


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
    page.goto("/ui/terminals")
    page.get_by_text("No terminal session").wait_for()
    axe(page)
    session = sessions.start(
        "one", "printf '\\033[31mred \\033[34mblue \\033[93mbright\\033[0m\\r\\n'; exec cat", record=True
    )
    page.get_by_role("row", name="one").first.wait_for()
    axe(page)
    page.get_by_role("button", name="New session").click()
    page.get_by_role("dialog").get_by_label("Profile").wait_for()
    axe(page)
    opened(page, session)
    showing(page, "bright")
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.goto(f"/ui/terminals/{session}/recording")
    showing(page, "bright")
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_shell_without_a_profile(page: Page, sessions: Sessions) -> None:
    page.goto("/ui/terminals?new")
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Shell", exact=True).click()
    assert dialog.get_by_label("Profile").count() == 0
    dialog.get_by_label("Directory").fill("/usr")
    dialog.get_by_role("button", name="Start").click()
    page.locator("[data-current] .xterm-rows").wait_for()
    type_into(page, "echo here-is-$PWD\n")
    showing(page, "here-is-/usr")
    page.get_by_role("link", name="All sessions").click()
    page.get_by_role("row", name="Shell").get_by_role("link", name="Shell").wait_for()
