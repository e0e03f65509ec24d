"""The passages of a Python module: its public docstrings, and the messages among its strings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from language.texts import Passage

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
LABELS = frozenset(
    {"description", "help", "summary", "title", "remedy", "message", "hint", "label", "display_name", "reason"}
)
LOG_METHODS = frozenset({"debug", "info", "warning", "error", "exception", "critical"})
SENTENCE = re.compile(r"^[A-Z`][^\n]*\s[^\n]*\s[^\n]*[.!?:]$")
STATEMENT = re.compile(r"^(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|DROP|ALTER) ")
"""The beginning of a statement for a database, which ends with `?` where a value follows."""


def passages(source: str) -> Iterator[Passage]:
    """Each docstring and each message."""
    tree = ast.parse(source)
    docstrings = dict(documented(tree))
    for node, name in docstrings.items():
        if not name.startswith("_") or name.startswith("__"):
            yield from paragraphs(node)
    labels = {value for node in ast.walk(tree) if isinstance(node, ast.Call) for value in label_values(node)}
    inner = {
        part
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    for node in ast.walk(tree):
        if node in docstrings or node in inner:
            continue
        text = words_of(node)
        if text and not STATEMENT.match(text) and (SENTENCE.match(text) or (node in labels and " " in text)):
            yield Passage(node.lineno, text)  # type: ignore[attr-defined]


def documented(tree: ast.Module) -> Iterator[tuple[ast.Constant, str]]:
    """Each docstring, also of an attribute, with the name that it documents."""
    for node in ast.walk(tree):
        name = getattr(node, "name", "")
        body = getattr(node, "body", None)
        for position, statement in enumerate(body if isinstance(body, list) else ()):
            if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Constant):
                continue
            if isinstance(statement.value.value, str):
                yield statement.value, name if position == 0 and isinstance(node, DOCUMENTED) else ""


def label_values(call: ast.Call) -> Iterator[ast.expr]:
    """The arguments of a call that people read: by their name, or the first of a log's method."""
    for keyword in call.keywords:
        if keyword.arg in LABELS:
            yield keyword.value
    if isinstance(call.func, ast.Attribute) and call.func.attr in LOG_METHODS and call.args:
        yield call.args[0]


def words_of(node: ast.AST) -> str | None:
    """The text of a string; each value that is filled in is code."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return " ".join(node.value.split()) if "\n\n" not in node.value else None
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else "`x`" for part in node.values)
        return " ".join("".join(map(str, parts)).split())
    return None


def paragraphs(docstring: ast.Constant) -> Iterator[Passage]:
    """The paragraphs of a docstring, without blocks of code and lines of an interpreter."""
    line = docstring.lineno
    code = rf"\s*(?:>>>|\.\. )|\s{{{docstring.col_offset + 4},}}"
    for paragraph in re.split(r"\n[ \t]*\n", str(docstring.value)):
        text = paragraph.strip("\n")
        if not re.match(code, text) and not text.rstrip().endswith("::"):
            yield Passage(line, " ".join(text.split()).replace("``", "`"))
        line += paragraph.count("\n") + 2
