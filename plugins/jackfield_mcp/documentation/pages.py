"""The pages of the documentation, as the wheel or a checkout has them, and the sections of each.

Pages are read from disk when somebody asks: they are a megabyte that hardly any daemon needs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from jackfield.api.errors import NotFound
from jackfield.api.records import record

_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*\s*$")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_NOT_IN_ANCHORS = re.compile(r"[^\w\s-]")


@record
class DocSection:
    """`page`: its name, such as `webhooks`. `anchor`: as the built documentation has it, empty above the page's first
    heading below the title. `level`: 1 for the page's title. `text`: with the heading, without the sections below
    it."""

    page: str
    anchor: str
    heading: str
    level: int
    text: str

    @property
    def uri(self) -> str:
        return f"jackfield://docs/{self.page}" + (f"/{self.anchor}" if self.anchor else "")


def shipped_pages() -> Path:
    """Where the pages are: in the installed package, or in a checkout beside `plugins`."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "pages"
    return installed if installed.is_dir() else package.parents[1] / "docs"


class DocPages:
    """All of one folder. Every method reads files: call them on a thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def titles(self) -> Mapping[str, str]:
        """Name of each page -> its title."""
        found = {}
        for name, path in self._paths().items():
            with path.open(encoding="utf-8") as file:
                found[name] = file.readline().strip("# \n")
        return found

    def text(self, name: str) -> str:
        """Raises `NotFound`."""
        path = self._paths().get(name)
        if path is None:
            raise NotFound(f"There is no page {name[:100]} of the documentation; resources/list names all of them.")
        return path.read_text(encoding="utf-8")

    def sections(self, name: str) -> list[DocSection]:
        """In their order. Raises `NotFound`."""
        return list(_split(name, self.text(name)))

    def section(self, name: str, anchor: str) -> str:
        """A section's text with all sections below it. Raises `NotFound`."""
        sections = self.sections(name)
        at = next((number for number, one in enumerate(sections) if anchor and one.anchor == anchor), None)
        if at is None:
            raise NotFound(f"The page {name} has no section {anchor[:100]}; search_docs names sections.")
        following = range(at + 1, len(sections))
        end = next((number for number in following if sections[number].level <= sections[at].level), len(sections))
        return "".join(one.text for one in sections[at:end])

    def every_section(self) -> Iterator[DocSection]:
        for name in self._paths():
            yield from self.sections(name)

    def _paths(self) -> Mapping[str, Path]:
        return {path.stem: path for path in sorted(self._folder.glob("*.md"))}


def _split(page: str, text: str) -> Iterator[DocSection]:
    anchors: Counter[str] = Counter()
    anchor, heading, level = "", page, 1
    lines: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        if found := _FENCE.match(line):
            fence = "" if fence and found[1].startswith(fence) else fence or found[1]
        title = None if fence else _HEADING.match(line)
        if title is not None and lines:
            yield DocSection(page, anchor, heading, level, "".join(lines))
            lines = []
        if title is not None:
            level, heading = len(title[1]), _LINK.sub(r"\1", title[2]).replace("`", "")
            anchor = "" if level == 1 else _anchor(heading, anchors)
        lines.append(line)
    if lines:
        yield DocSection(page, anchor, heading, level, "".join(lines))


def _anchor(heading: str, taken: Counter[str]) -> str:
    """As MkDocs makes it: of a heading that stands twice on a page, the second has a number."""
    name = re.sub(r"[\s-]+", "-", _NOT_IN_ANCHORS.sub("", heading).strip().lower())
    taken[name] += 1
    return name if taken[name] == 1 else f"{name}_{taken[name] - 1}"
