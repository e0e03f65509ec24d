"""One library for HTTP, `aiohttp`, which stands in few places (docs/decisions.md, 'One client for HTTP'). `httpx` is a
tool of tests, and needs an extra."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
AIOHTTP = (
    "plugins/jackfield_nodes/http/",
    "plugins/jackfield_profiles/launching/key_check.py",
    "plugins/jackfield_proxy/child/",
    "src/jackfield/http/hosts/",
    "src/jackfield/api/plain_http.py",
)
PLACES = {
    "aiohttp": AIOHTTP,
    "anyio": (
        "plugins/jackfield_ai/mcp_client/",
        "plugins/jackfield_ai/mcp_server/",
        "plugins/jackfield_mcp/",
    ),  # streams of the MCP SDK
    "httpx": ("src/jackfield/testing/daemon.py",),
    "yarl": AIOHTTP,
}
OTHERS = frozenset({"httpcore", "requests", "urllib3"})
"""Other clients, and what they are made of."""


def imported(path: Path) -> set[str]:
    """The top packages of every import of the file."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return {name.partition(".")[0] for name in names}


@pytest.fixture(scope="module")
def importing() -> dict[str, list[str]]:
    """Library -> the modules of the product that import it."""
    found: dict[str, list[str]] = {}
    for path in (path for folder in ("src", "plugins") for path in (ROOT / folder).rglob("*.py")):
        if "node_modules" not in path.parts:
            for name in imported(path):
                found.setdefault(name, []).append(str(path.relative_to(ROOT)))
    return found


@pytest.mark.parametrize("library", PLACES)
def test_a_library_stands_in_its_places(importing: dict[str, list[str]], library: str) -> None:
    assert importing[library]
    assert [path for path in importing[library] if not path.startswith(PLACES[library])] == []


def test_no_other_client_is_used(importing: dict[str, list[str]]) -> None:
    assert {name: importing[name] for name in OTHERS & importing.keys()} == {}


def test_httpx_is_no_dependency_of_the_product() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {re.split(r"[^a-z0-9-]", one)[0] for one in project["dependencies"]}
    assert not names & {"httpx", "httpcore", "anyio"}
    assert project["optional-dependencies"]["testing"] == ["httpx>=0.28"]


def test_the_daemon_of_tests_says_what_is_missing_without_httpx() -> None:
    code = "import sys; sys.modules['httpx'] = None; import jackfield.testing.daemon"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "install it with pip install 'jackfield[testing]'" in found.stderr


def test_a_proxy_s_process_has_no_other_library() -> None:
    code = (
        "import sys; import jackfield_proxy.child.serving.server; "
        "print(sorted({'aiohttp', 'httpx', 'httpcore', 'pydantic', 'quart'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "['aiohttp']"
