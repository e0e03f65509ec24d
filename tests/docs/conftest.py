"""The documentation's pages and the code blocks in them."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r'^```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<code>.*?)^```$', re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="session")
def plugin_page() -> str:
    return (ROOT / "docs/plugins.md").read_text()


@pytest.fixture(scope="session")
def plugin_files(plugin_page: str) -> dict[str, str]:
    """File name -> source: the blocks of the plugins page, those of one file one after the other."""
    files: dict[str, list[str]] = defaultdict(list)
    for block in BLOCK.finditer(plugin_page):
        if block["title"]:
            files[block["title"]].append(block["code"])
    return {name: "\n\n".join(parts) for name, parts in files.items()}
