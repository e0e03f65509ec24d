"""What docstrings and pages cite is in the repository: headings of the decisions, and no papers that are elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("src", "plugins", "tests", "bench", "tools", "examples")
MODULES = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if "node_modules" not in path.parts]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
HEADINGS = re.findall(r"^#{2,3} (.+)$", (ROOT / "docs/decisions.md").read_text(), re.MULTILINE)
CITED = re.compile(r"decisions\.md,? '([^']+)'")
MISSING = re.compile(r"\bfacts/[\w-]+\.md|decisions\.md,? sections? \d|\b(?:agent-daemon|workflow-service)\.md")


def _texts(paths: list[Path]) -> dict[str, str]:
    own = Path(__file__).resolve()
    return {
        str(path.relative_to(ROOT)): " ".join(path.read_text(encoding="utf-8").split())
        for path in paths
        if path != own and "build" not in path.parts
    }


def test_a_cited_decision_has_its_heading() -> None:
    cited = [(name, heading) for name, text in _texts(MODULES).items() for heading in CITED.findall(text)]
    assert len(cited) > 5
    assert not [(name, heading) for name, heading in cited if heading not in HEADINGS]


def test_a_linked_decision_has_its_heading() -> None:
    anchors = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in HEADINGS}
    linked = [
        (name, anchor)
        for name, text in _texts(PAGES).items()
        for anchor in re.findall(r"\]\((?:docs/)?decisions\.md#([\w-]+)\)", text)
    ]
    assert linked
    assert not [(name, anchor) for name, anchor in linked if anchor not in anchors]


def test_nothing_is_cited_that_is_not_here() -> None:
    texts = _texts([*MODULES, *PAGES])
    assert not [(name, found.group()) for name, text in texts.items() if (found := MISSING.search(text)) is not None]
