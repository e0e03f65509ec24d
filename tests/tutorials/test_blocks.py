"""Each block of a tutorial is a step, and each document that a reader saves can be parsed."""

from __future__ import annotations

import json
import tomllib

import pytest

from .reading import TUTORIALS, Run, Save, steps

PAGES = sorted(page.name for page in TUTORIALS.glob("*.md") if page.name != "index.md")


@pytest.mark.parametrize("page", PAGES)
def test_each_block_is_a_step(page: str) -> None:
    found = steps(page)
    assert [step for step in found if isinstance(step, Run)]
    for step in found:
        if isinstance(step, Save) and step.name.endswith(".json"):
            assert json.loads(step.text)
        elif isinstance(step, Save) and step.name.endswith(".toml"):
            assert tomllib.loads(step.text)
