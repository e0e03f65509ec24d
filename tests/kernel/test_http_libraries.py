"""One library for HTTP to a process: `httpx` with its `httpcore` in the daemon and its commands, `aiohttp` in the
processes of proxies. Each stands in few places (docs/decisions.md, 'One client for HTTP in each process')."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLACES = {
    "aiohttp": ("plugins/jackfield_proxy/child/",),
    "httpcore": ("plugins/jackfield_nodes/http/",),
    "httpx": (
        "plugins/jackfield_credentials/",  # addresses as the client writes them; nothing is sent
        "plugins/jackfield_nodes/http/",
        "src/jackfield/api/plain_http.py",
        "src/jackfield/testing/",
    ),
}


def imported(path: Path) -> set[str]:
    """The top packages of every import of the file."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("library", PLACES)
def test_a_library_stands_in_its_places(library: str) -> None:
    modules = [
        path
        for folder in ("src", "plugins")
        for path in (ROOT / folder).rglob("*.py")
        if "node_modules" not in path.parts
    ]
    using = [str(path.relative_to(ROOT)) for path in modules if library in imported(path)]
    assert using
    assert [path for path in using if not path.startswith(PLACES[library])] == []


def test_a_proxy_s_process_has_no_other_library() -> None:
    code = (
        "import sys; import jackfield_proxy.child.serving.server; "
        "print(sorted({'aiohttp', 'httpx', 'httpcore', 'pydantic', 'quart'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "['aiohttp']"
