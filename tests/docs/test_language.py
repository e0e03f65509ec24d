"""The check of the language rule reads all that people read, and nothing else."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = str(ROOT / "tools")
PAGE = """# What a page has

<!-- What a comment has -->
First line
and the second. It will end.

```sh
What a shell has
```

- an item with `code; What it is`
| What | `a | b` |
| --- | --- |

!!! note "Who reads"
    A note.

<!-- generated: part -->
What a program wrote.
<!-- end: part -->
"""
MODULE = '''"""What a module is."""

LIMIT = 5
"""What a limit is."""


def _hidden():
    """What is hidden."""


def shown(name, log):
    """Shows it.

    Who calls it gets an answer.
    """
    log.info("what a log says")
    raise ValueError(f"The name {name} " "is not there.")


NAMES = ("An identifier", "SELECT a FROM b", "SELECT a FROM b WHERE c = ?")
'''


def module(name: str) -> ModuleType:
    sys.path.insert(0, TOOLS)
    try:
        return import_module(f"language.{name}")
    finally:
        sys.path.remove(TOOLS)


def rules_broken(texts: Sequence[str]) -> list[str]:
    passage = module("texts").Passage
    return [flaw.rule for text in texts for flaw in module("rules").flaws(passage(1, text))]


def test_a_page_gives_its_prose_with_lines() -> None:
    read = [(passage.line, passage.text) for passage in module("pages").passages(PAGE)]
    assert read == [
        (1, "What a page has"),
        (4, "First line and the second. It will end."),
        (11, "an item with `code; What it is`"),
        (12, "What"),
        (12, "`a | b`"),
        (15, "Who reads"),
        (16, "A note."),
    ]


def test_a_module_gives_docstrings_and_messages() -> None:
    read = {(passage.line, passage.text) for passage in module("programs").passages(MODULE)}
    assert read == {
        (1, "What a module is."),
        (4, "What a limit is."),
        (12, "Shows it."),
        (14, "Who calls it gets an answer."),
        (16, "what a log says"),
        (17, "The name `x` is not there."),
    }


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("word " * 25, []),
        ("word " * 26, ["length"]),
        ("word " * 20 + "end. Another " + "word " * 20, []),
        ("word " * 24 + "`some code of many words`", []),
        ("[a link of words](https://example.com/with-many) " * 6, []),
        ("What a caller gets", ["opening"]),
        ("It answers. Who calls gets it.", ["opening"]),
        ("What is Jackfield?", []),
        ("Jackfield will start.", ["future"]),
        ("They work at will.", []),
    ],
)
def test_rules_of_words_and_beginnings(text: str, broken: list[str]) -> None:
    assert rules_broken([text]) == broken


CATALOGUE = r"""msgid ""
msgstr ""
"Language: en\n"

#: src/app/Nav.tsx
msgid "Delete the project “{name}”?"
msgstr ""

msgid "{rows, plural, one {# row} other {# rows}} <b>here</b>"
msgstr ""
"""


def test_a_catalogue_gives_its_messages() -> None:
    read = {(passage.line, passage.text) for passage in module("catalogues").passages(CATALOGUE)}
    assert read == {(6, "Delete the project “{}”?"), (9, "# rows  here")}


def test_every_kind_of_text_is_read() -> None:
    names = set(module("scope").files())
    wanted = {
        "README.md",
        "docs/index.md",
        "plugins/jackfield_ui/frontend/src/language/catalogues/en.po",
        "src/jackfield/api/errors.py",
    }
    assert wanted <= names
    assert "CHANGELOG.md" not in names
    assert not [name for name in names if "node_modules" in name]


def test_the_baseline_names_files_that_are_there() -> None:
    baseline = json.loads((ROOT / "tools/language/baseline.json").read_text())
    assert not [name for name in baseline if not (ROOT / name).is_file()]
