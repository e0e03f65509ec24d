"""Pages of the documentation, their sections, and what is found in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jackfield.api.errors import NotFound
from jackfield_mcp.documentation.pages import DocPages, DocSection, shipped_pages
from jackfield_mcp.documentation.searching import search

TEXT = """# Kettles

They boil.

## Size

Litres.

```sh
# Not a heading
```

### Of [large](x.md) `ones`

More litres.

## Size

Again.
"""


@pytest.fixture
def pages(tmp_path: Path) -> DocPages:
    (tmp_path / "kettles.md").write_text(TEXT)
    (tmp_path / "generate.py").write_text("# Not a page")
    return DocPages(tmp_path)


def test_a_page_is_its_sections(pages: DocPages) -> None:
    assert pages.titles() == {"kettles": "Kettles"}
    sections = pages.sections("kettles")
    assert [one.anchor for one in sections] == ["", "size", "of-large-ones", "size_1"]
    assert "".join(one.text for one in sections) == TEXT
    assert sections[2].uri == "jackfield://docs/kettles/of-large-ones"
    assert pages.section("kettles", "size").endswith("More litres.\n\n")


@pytest.mark.parametrize(
    ("page", "anchor"), [("absent", ""), ("../secrets", ""), ("kettles", "absent"), ("generate", "")]
)
def test_nothing_else_is_read(pages: DocPages, page: str, anchor: str) -> None:
    with pytest.raises(NotFound):
        pages.section(page, anchor) if anchor else pages.text(page)


def test_every_link_between_our_pages_finds_its_section() -> None:
    """The build of the documentation refuses a link that leads nowhere, so that anchors are MkDocs' own."""
    pages = DocPages(shipped_pages())
    names = pages.titles()
    text = {name: pages.text(name) for name in names}
    links = {link for page in text.values() for link in re.findall(r"\]\(([\w-]+)\.md#([\w-]+)\)", page)}
    anchors = {name: {one.anchor for one in pages.sections(name)} for name in names}
    assert len(links) > 50
    assert [(page, anchor) for page, anchor in links if page in names and anchor not in anchors[page]] == []


def test_a_search_has_the_nearest_first() -> None:
    def section(name: str, text: str) -> DocSection:
        return DocSection("page", name, name, 2, text)

    rare = section("other", "A kettle and the webhook of it.\nNext line.")
    common = [section(f"s{number}", "kettle " * 5) for number in range(5)]
    named = section("kettle", "Short.")
    assert search([*common, rare], "kettles webhooks")[0].section is rare
    assert search([*common, named], "KETTLE")[0].section is named
    assert search([rare], "next line")[0].excerpt == "Next line."
    assert search([rare], "teapot") == []
    assert search([], "kettle") == []


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("webhook authentication", "webhooks"),
        ("mcp.body_limit", "configuration"),
        ("virtual key budget", "virtual-keys"),
        ("restore a backup", "operations"),
    ],
)
def test_questions_find_their_page(query: str, page: str) -> None:
    found = search(DocPages(shipped_pages()).every_section(), query)
    assert page in [one.section.page for one in found[:8]]
