"""The browsers that the tests drive. `JACKFIELD_TEST_BROWSER` chooses: `chromium` (default) or `firefox`."""

from __future__ import annotations

import os

NAME = os.environ.get("JACKFIELD_TEST_BROWSER", "chromium")
CHROMIUM = os.environ.get("JACKFIELD_TEST_CHROMIUM", "/usr/bin/chromium")
FIREFOX = os.environ.get("JACKFIELD_TEST_FIREFOX", "/usr/bin/firefox-esr")
PROGRAM = {"chromium": CHROMIUM, "firefox": FIREFOX}[NAME]
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage"]
"""Of Chromium."""
MOZ_FIREFOX = "moz-firefox"
"""Playwright's name for a Firefox that is not its own. It speaks WebDriver BiDi with it."""
PREFERENCES = {"ui.prefersReducedMotion": 1}
"""Of Firefox, whose driver asks no context for it."""
SCRIPTS = {
    "chromium": "",
    # Playwright presses twice by two actions, and Firefox counts the clicks of each action anew.
    "firefox": """
{
  let last = {timeStamp: -1000};
  addEventListener('click', (event) => {
    const {clientX, clientY, target, timeStamp} = event;
    if (event.detail !== 1) return;
    if (timeStamp - last.timeStamp < 500 && clientX === last.clientX && clientY === last.clientY) {
      const how = {bubbles: true, cancelable: true, composed: true, detail: 2, view: window, clientX, clientY};
      target.dispatchEvent(new MouseEvent('dblclick', how));
    }
    last = {clientX, clientY, timeStamp};
  });
}
""",
}
"""What every page begins with: it does what the browser's driver cannot."""
