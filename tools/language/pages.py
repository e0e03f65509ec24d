"""The passages of a Markdown page, without its code, its comments, and what a program has generated."""

from __future__ import annotations

import re
from collections.abc import Iterator

from language.texts import Passage

FENCE = re.compile(r"^\s*(?:`{3,}|~{3,})")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+")
CONTAINER = re.compile(r'^\s*(?:!!!|\?\?\?\+?|===)\s*(?:[\w-]+\s*)?(?:"(?P<title>[^"]*)")?\s*$')
DEFINITION = re.compile(r"^\[[^\]]+\]:\s")
LONE_MARKUP = re.compile(r"^\s*(?:</?\w[^>]*>\s*)+$|^\s*:::\s|^\s*\{[^}]*\}\s*$|^\s*---+\s*$")
CELL_EDGE = re.compile(r"(?<!\\)\|")
CODE = re.compile(r"(`+).*?\1")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
GENERATED = re.compile(r"<!-- generated: ([\w-]+) -->.*?<!-- end: \1 -->", re.DOTALL)


def passages(text: str) -> Iterator[Passage]:
    """Each passage of the page, in order."""
    for pattern in (GENERATED, COMMENT):
        text = pattern.sub(lambda found: "\n" * found.group().count("\n"), text)
    collected: list[str] = []
    begun = 0
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        fence = bool(FENCE.match(line))
        if fence or fenced or ends_passage(line):
            yield from finished(begun, collected)
            fenced ^= fence
            if not fence and not fenced:
                yield from whole_line(number, line)
            continue
        if item := ITEM.match(line):
            yield from finished(begun, collected)
            line = line[item.end() :]
        if not collected:
            begun = number
        collected.append(line.strip())
    yield from finished(begun, collected)


def ends_passage(line: str) -> bool:
    """Whether the line is no part of a running paragraph."""
    stripped = line.strip()
    begins = stripped.startswith(("#", "|"))
    return not stripped or begins or any(form.match(line) for form in (CONTAINER, DEFINITION, LONE_MARKUP))


def whole_line(number: int, line: str) -> Iterator[Passage]:
    """The passages of a heading, of a table's row, or of the title of a note."""
    stripped = line.strip()
    if stripped.startswith("#"):
        yield Passage(number, stripped.lstrip("#").strip())
    elif stripped.startswith("|"):
        for cell in cells(stripped):
            yield Passage(number, cell)
    elif (container := CONTAINER.match(line)) and container["title"]:
        yield Passage(number, container["title"])


def cells(row: str) -> Iterator[str]:
    """The cells of a table's row that hold words."""
    hidden = CODE.sub(lambda code: code.group().replace("|", "\x00"), row)
    for cell in CELL_EDGE.split(hidden):
        text = cell.replace("\x00", "|").strip()
        if re.search(r"[A-Za-z]", text):
            yield text.replace("<br>", " ")


def finished(line: int, collected: list[str]) -> Iterator[Passage]:
    """The paragraph that has been collected, if there is one; the list is empty afterwards."""
    if collected:
        yield Passage(line, " ".join(collected))
        collected.clear()
