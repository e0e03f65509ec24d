"""The files that hold words for people, and their passages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from language import catalogues, pages, programs
from language.texts import Passage

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = "plugins/jackfield_ui/frontend/src/language/catalogues/en.po"
PAGES = (
    "*.md",
    "docs/**/*.md",
    "changelog.d/*.md",
    "deploy/**/*.md",
    "examples/**/*.md",
    "rhai-python/*.md",
    "rhai-python/docs/*.md",
)
PROGRAMS = ("src/**/*.py", "plugins/**/*.py", "rhai-python/python/**/*.py*", "native/python/**/*.py*")
NOT_OURS = frozenset({"CODE_OF_CONDUCT.md"})
HISTORY = frozenset({"CHANGELOG.md", "rhai-python/CHANGELOG.md"})
"""Releases as they were told of; the fragments of the next one are read."""
NOT_SOURCES = frozenset({"node_modules", "static", "__pycache__"})


def files() -> Iterator[str]:
    """Every file that the rule holds for, by its path below the repository."""
    found = {path for form in (*PAGES, *PROGRAMS) for path in ROOT.glob(form) if path.suffix in {".md", ".py", ".pyi"}}
    for name in sorted({path.relative_to(ROOT).as_posix() for path in found} | {CATALOGUE}):
        if name not in NOT_OURS | HISTORY and not NOT_SOURCES & set(name.split("/")):
            yield name


def passages(name: str) -> list[Passage]:
    """All that people read of a file."""
    text = (ROOT / name).read_text(encoding="utf-8")
    if name.endswith(".md"):
        return list(pages.passages(text))
    if name.endswith((".py", ".pyi")):
        return list(programs.passages(text))
    return list(catalogues.passages(text))
