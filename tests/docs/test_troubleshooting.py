"""The messages on the page of troubleshooting are those of the program."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| `(?P<message>[^`]+)`", re.MULTILINE)
JOINED = re.compile(r"\"\s*\n\s*f?\"")
"""Where a string goes on in the next line."""


def test_each_message_is_one_of_the_program() -> None:
    page = (ROOT / "docs/troubleshooting.md").read_text()
    messages = [found["message"] for found in ROW.finditer(page)]
    assert len(messages) > 20
    modules = [path for folder in ("src", "plugins") for path in (ROOT / folder).rglob("*.py")]
    said = JOINED.sub("", "\n".join(path.read_text(encoding="utf-8") for path in modules))
    forms = {message: ".*".join(map(re.escape, message.split("..."))) for message in messages}
    assert [message for message, form in forms.items() if not re.search(form, said)] == []
