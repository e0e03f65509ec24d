"""Nodes pair items, fail per item, and take parameters, files and credentials through `jackfield.api.nodes` alone."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

PLUGINS = Path(__file__).resolve().parents[2] / "plugins"
Finder = Callable[[ast.AST], Iterator[ast.AST]]


def pairs_by_hand(tree: ast.AST) -> Iterator[ast.AST]:
    """An item's pairing as a key: `{"pairedItem": ...}`, `item["pairedItem"]`, `item.get("pairedItem")`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value == "pairedItem":
            yield node
        if isinstance(node, ast.keyword) and node.arg == "pairedItem":
            yield node


def failures_by_hand(tree: ast.AST) -> Iterator[ast.AST]:
    """An item that stands for a failure: `{"json": {"error": ...}}`; and the question whether a node goes on."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "on_error":
            yield node
        if isinstance(node, ast.Dict):
            yield from (inner for json in values_of(node, "json") for inner in values_of(json, "error"))


def values_of(node: ast.AST, name: str) -> list[ast.expr]:
    """What a literal of a dictionary has under this key."""
    if not isinstance(node, ast.Dict):
        return []
    pairs = zip(node.keys, node.values, strict=True)
    return [value for key, value in pairs if isinstance(key, ast.Constant) and key.value == name]


def files_by_hand(tree: ast.AST) -> Iterator[ast.AST]:
    """The errors of files, and the calls that raise them: `run.binary.read(...)`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.alias) and node.name == "BinaryError":
            yield node
        if is_member(node, "binary", ("read", "write", "stream", "content")):
            yield node


def is_member(node: ast.AST, owner: str, names: Collection[str]) -> bool:
    """Whether this is `anything.owner.name`."""
    if not isinstance(node, ast.Attribute) or node.attr not in names:
        return False
    return isinstance(node.value, ast.Attribute) and node.value.attr == owner


def runs_nodes(tree: ast.AST) -> bool:
    return any(isinstance(node, ast.alias) and node.name == "NodeRun" for node in ast.walk(tree))


def credentials_by_hand(tree: ast.AST) -> Iterator[ast.AST]:
    """Of modules that run nodes: the port of credentials, or the store's sealed ones."""
    if not runs_nodes(tree):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.alias) and node.name == "Credentials":
            yield node
        if is_member(node, "store", ("credential",)):
            yield node


def parameters_by_hand(tree: ast.AST) -> Iterator[ast.AST]:
    """Of modules that run nodes: models that are no `NodeParameters`."""
    if runs_nodes(tree):
        yield from (node for node in ast.walk(tree) if isinstance(node, ast.alias) and node.name == "BaseModel")


ENGINE = "it runs the nodes"
EXCEPTIONS: Mapping[Finder, Mapping[str, str]] = {
    pairs_by_hand: {
        "jackfield_community_nodes/nodes/results.py": "it checks the pairing that a package's code returned",
        "jackfield_expressions/pairing.py": "it reads pairings, backwards through a run",
        "jackfield_nodes/code/code_node.py": "it checks the pairing that an author's program returned",
    },
    failures_by_hand: {
        "jackfield_community_nodes/nodes/node.py": "a package sees its node with `onError`, as in n8n",
        "jackfield_engine": ENGINE,
        "jackfield_python/child": "a confined process, in which there is no jackfield",
    },
    files_by_hand: {
        "jackfield_binary": "it keeps the files",
        "jackfield_binary_s3": "it keeps the files",
        "jackfield_engine": ENGINE,
        "jackfield_forms/keeping.py": "it keeps the files of a submission, before a run",
        "jackfield_nodes/http/transport/exchange.py": "it keeps the error of a body while the HTTP library sends it",
        "jackfield_nodes/http/sending.py": "it names the host in the error, and sends for others than nodes too",
        "jackfield_webhooks": "it keeps the files of a call before a run, and sends those of an answer after it",
        "jackfield_workflows/history/contents.py": "it hands a file of an execution to its reader, after the run",
        "jackfield_workflows/history/files.py": "it deletes the files of executions",
    },
    credentials_by_hand: {},
    parameters_by_hand: {},
}


@cache
def trees() -> Mapping[str, ast.AST]:
    """Module, as a path below plugins/ -> its syntax."""
    paths = [path for path in PLUGINS.glob("jackfield_*/**/*.py") if "node_modules" not in path.parts]
    return {path.relative_to(PLUGINS).as_posix(): ast.parse(path.read_text()) for path in paths}


def excepted(module: str, reasons: Mapping[str, str]) -> str | None:
    return next((place for place in reasons if module == place or module.startswith(f"{place}/")), None)


@pytest.mark.parametrize("finder", EXCEPTIONS, ids=lambda finder: finder.__name__)
def test_built_in_nodes_use_the_sdk_and_nothing_else(finder: Finder) -> None:
    found = [
        f"{module}:{getattr(node, 'lineno', 0)}"
        for module, tree in trees().items()
        if excepted(module, EXCEPTIONS[finder]) is None
        for node in finder(tree)
    ]
    assert not found, f"{finder.__doc__} Use jackfield.api.nodes."


@pytest.mark.parametrize("finder", EXCEPTIONS, ids=lambda finder: finder.__name__)
def test_an_exception_is_still_needed(finder: Finder) -> None:
    needed = {excepted(module, EXCEPTIONS[finder]) for module, tree in trees().items() if any(finder(tree))}
    assert set(EXCEPTIONS[finder]) <= needed


@pytest.mark.parametrize(
    ("finder", "source"),
    [
        (pairs_by_hand, 'made = {**item, "pairedItem": {"item": 0}}'),
        (pairs_by_hand, "made = Item(json={}, pairedItem=pair)"),
        (failures_by_hand, 'item = {"json": {"error": str(exc)}}'),
        (failures_by_hand, 'if run.node.on_error == "stopWorkflow": raise'),
        (files_by_hand, "from jackfield.api.binary import BinaryError"),
        (files_by_hand, "content = await run.binary.read(file)"),
        (credentials_by_hand, "from x import NodeRun\nvalues = await context.store.credential(found)"),
        (credentials_by_hand, "from x import NodeRun, Credentials"),
        (parameters_by_hand, "from x import NodeRun\nfrom pydantic import BaseModel"),
    ],
)
def test_what_a_node_does_by_hand_is_found(finder: Finder, source: str) -> None:
    assert list(finder(ast.parse(source)))
