"""What an editor proposes is what the engine has: every name, every example, every result."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest

from jackfield_javascript.vocabulary import FILE

TOOL = Path(__file__).resolve().parents[3] / "tools/expression_vocabulary.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("expression_vocabulary", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def test_the_vocabulary_is_what_the_engine_has(tool: ModuleType) -> None:
    """It names what the engine names, and each example gives what stands beside it."""
    assert tool.written(await tool.vocabulary()) == FILE.read_text("utf-8"), "run tools/expression_vocabulary.py"


def test_words_and_names_that_differ_are_told(tool: ModuleType) -> None:
    words = {"string": {"trim": ["()", "", ""], "gone": ["()", "", ""], "hidden": "trim old"}}
    assert list(tool.complaints({"string": ["trim", "fresh"]}, words)) == [
        "string.fresh: the engine has it, and no words tell of it",
        "string.gone: words tell of it, and the engine has no such member",
        "string.old: words tell of it, and the engine has no such member",
        "string.trim: it has words and is hidden",
    ]


def test_every_member_has_words_and_an_example_that_uses_it() -> None:
    vocabulary = json.loads(FILE.read_text("utf-8"))
    for kind, members in vocabulary.items():
        for member in members:
            assert member["help"].endswith("."), member
            assert len(member["help"].split()) <= 25, member
            assert member["name"] in member["example"], (kind, member)
            assert member["returns"] in vocabulary or member["returns"] in {
                "any", "element", "same", "strings", "items", "json", "params", "parameters", "vars", "secrets", "env",
            }, member  # fmt: skip
