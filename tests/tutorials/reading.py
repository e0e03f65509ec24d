"""The steps of a tutorial: its code blocks, in order.

A block `sh` is run. With the title `First terminal` it runs beside the others until the end. A block with the title
`Output` is what the block before it prints. Any other title is the name of a file that the reader saves. A comment
`<!-- reader: logs in -->` is an act in the browser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

TUTORIALS = Path(__file__).resolve().parents[2] / "docs" / "tutorials"
BLOCK = re.compile(
    r'^```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$|^<!-- reader: (?P<act>[\w ]+) -->$',
    re.MULTILINE | re.DOTALL,
)
TERMINAL = re.compile(r"^(?:First|Another) terminal$")


@dataclass(frozen=True)
class Save:
    """A file that the reader saves."""

    name: str
    text: str


@dataclass(frozen=True)
class Run:
    """Commands in the reader's shell. output: what the page says that they print; None says nothing of it."""

    commands: str
    output: str | None = None
    beside: bool = False


@dataclass(frozen=True)
class Act:
    """Something that the reader does in a browser."""

    name: str


Step = Save | Run | Act


def steps(page: str) -> list[Step]:
    """The steps of the page, in order. Raises ValueError for a block that is none of them."""
    found: list[Step] = []
    for block in BLOCK.finditer((TUTORIALS / page).read_text(encoding="utf-8")):
        title, text = block["title"], block["text"]
        if block["act"]:
            found.append(Act(block["act"]))
        elif title == "Output":
            last = found.pop()
            if not isinstance(last, Run):
                raise ValueError(f"{page}: an output follows no command:\n{text}")
            found.append(Run(last.commands, text, last.beside))
        elif block["language"] == "sh":
            found.append(Run(text, beside=bool(TERMINAL.match(title or ""))))
        elif title:
            found.append(Save(title, text))
        else:
            raise ValueError(f"{page}: a block is neither run nor saved:\n{text}")
    return found
