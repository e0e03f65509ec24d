"""What a user feels in a terminal while its agent prints as fast as it can."""

from __future__ import annotations

import contextlib
import os
import pty
import statistics
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LINE = "the quick brown fox jumps over the lazy dog 0123456789 \033[31mred\033[0m and \033[32mgreen\033[0m"
LAST = "this is the last line"
MEGABYTES = 300
KEY_EVERY_MS = 150
SETTLING = 1_000
"""Milliseconds after the page is open that are not counted."""
WATCH = """
window.__long = []; window.__keys = []; window.__echoes = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.__long.push(entry.duration);
}).observe({type: 'longtask', buffered: true});
addEventListener('keydown', (event) => {
  window.__keys.push(performance.now() - event.timeStamp);
  requestAnimationFrame(() => requestAnimationFrame(() => window.__echoes.push(performance.now() - event.timeStamp)));
}, true);
"""


@dataclass(frozen=True, slots=True)
class Flood:
    """offered: MB/s that the agent prints where nothing holds it back; shown: MB/s that the page is sent, the pace that
    its agent is held to; key: ms from a key's press until the page has it; seen: until two frames later; longest: of
    the tasks of 50 ms and more, in ms; interrupt: ms from Ctrl-C until the agent has ended; heap: MB of JavaScript
    at the beginning, and the most afterwards; ended: whether the last line was on the screen."""

    offered: float
    shown: float
    key: float
    key_worst: float
    seen: float
    tasks: int
    longest: float
    interrupt: float
    heap: tuple[float, float]
    ended: bool


class Watched:
    """A page on a session, and the bytes that it was sent."""

    def __init__(self, browser: Browser, daemon: Daemon, script: str) -> None:
        self.api = daemon.client()
        body = {"profile_alias": "flood", "args": ["-c", script], "cols": 120, "rows": 40}
        self.begun = time.monotonic()
        answer = self.api.post("/api/terminal/sessions", json=body).raise_for_status()
        self.session = str(answer.json()["data"]["session_id"])
        self.bytes = 0
        self.page: Page = browser.new_page(viewport={"width": 1280, "height": 800})
        self.page.add_init_script(WATCH)
        self.page.on("websocket", lambda socket: socket.on("framereceived", self._take))
        self.cdp = self.page.context.new_cdp_session(self.page)
        self.cdp.send("Performance.enable")
        self.page.goto(f"{daemon.base_url}/ui/terminals/{self.session}")
        self.page.locator("[data-current] .xterm-rows").wait_for()
        self.page.wait_for_timeout(SETTLING)
        self.page.evaluate("window.__long.length = 0")
        self.page.locator("[data-current] [data-active] .xterm-helper-textarea").focus()

    def _take(self, frame: str | bytes) -> None:
        self.bytes += len(frame)

    def heap(self) -> float:
        """MB in use."""
        found = {one["name"]: one["value"] for one in self.cdp.send("Performance.getMetrics")["metrics"]}
        return float(found["JSHeapUsedSize"]) / 1e6

    def state(self) -> str:
        answer = self.api.get(f"/api/terminal/sessions/{self.session}").raise_for_status()
        return str(answer.json()["data"]["state"])

    def shows(self, text: str) -> bool:
        return text in self.page.locator("[data-current] .xterm-rows").inner_text().replace("\xa0", " ")

    def close(self) -> None:
        self.page.close()
        self.api.delete(f"/api/terminal/sessions/{self.session}")


def offered(script: str) -> float:
    """MB/s that the agent prints into a terminal that takes all at once."""
    master, slave = pty.openpty()
    begun, size = time.monotonic(), 0
    with subprocess.Popen(["sh", "-c", script], stdin=slave, stdout=slave, stderr=slave):
        os.close(slave)
        with contextlib.suppress(OSError):  # Linux says EIO when nobody has the terminal any more
            while data := os.read(master, 65536):
                size += len(data)
    os.close(master)
    return size / 1e6 / (time.monotonic() - begun)


def flooded(browser: Browser, daemon: Daemon) -> Flood:
    body = {"agent_id": "shell", "alias": "flood", "provider_id": "self", "model": "none"}
    daemon.client().post("/api/profiles", json=body).raise_for_status()
    size = MEGABYTES * 1_000_000
    # CAN: the flood may end within an escape sequence, which would swallow a letter of what follows.
    script = f"yes '{LINE}' | head -c {size} | cat; printf '\\030\\n%s\\n' '{LAST}'"
    alone = offered(script)
    watched = Watched(browser, daemon, f"stty -echo; sleep 2; {script}")
    started, sent, heaps = time.monotonic(), watched.bytes, [watched.heap()]
    # Two seconds are the agent's sleep, so that all of its output is from after the page's opening.
    while watched.state() == "running":
        watched.page.keyboard.press("x")
        watched.page.wait_for_timeout(KEY_EVERY_MS)
        heaps.append(watched.heap())
    took = time.monotonic() - max(watched.begun + 2, started)
    shown = (watched.bytes - sent) / took / 1e6
    poll(lambda: watched.shows(LAST), "the last line is on the screen", timeout=30)
    keys, echoes = (sorted(watched.page.evaluate(f"window.__{name}")) for name in ("keys", "echoes"))
    long = watched.page.evaluate("window.__long")
    watched.close()
    return Flood(
        offered=alone, shown=shown, key=statistics.median(keys), key_worst=max(keys),
        seen=statistics.median(echoes), tasks=len(long), longest=max(long, default=0.0),
        interrupt=interrupted(browser, daemon), heap=(heaps[0], max(heaps)), ended=True,
    )  # fmt: skip


def interrupted(browser: Browser, daemon: Daemon) -> float:
    """Milliseconds that a Ctrl-C takes in the midst of a flood."""
    watched = Watched(browser, daemon, f"exec yes '{LINE}'")
    pressed = time.monotonic()
    watched.page.keyboard.press("Control+c")
    poll(lambda: watched.state() != "running", "the agent has ended", timeout=30)
    took = (time.monotonic() - pressed) * 1_000
    watched.close()
    return took
