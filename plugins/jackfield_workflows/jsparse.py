"""Reads the simple expressions that Python can evaluate as JavaScript would: literals, member access, calls, operators,
conditionals, lists, objects and template literals. No functions, regular expressions, assignments or comments.

A syntax tree is nested tuples, kind first. Whatever is not understood raises `NotSimple`, and JavaScript has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

Tree: TypeAlias = "tuple[Any, ...]"  # kind, then what this kind has: trees, texts, numbers

_TOKEN = re.compile(
    r"""[ \t\n\r]*(?:
    (?P<number>(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?![\w$.]))
  | (?P<text>'(?:[^'\\\n\r]|\\[^\n\rux0-9])*'|"(?:[^"\\\n\r]|\\[^\n\rux0-9])*")
  | (?P<template>`(?:[^`\\$]|\$(?!\{))*(?:`|\$\{))
  | (?P<name>[A-Za-z_$][\w$]*)
  | (?P<mark>===|!==|==(?!=)|!=(?!=)|<=|>=|&&(?!=)|\|\|(?!=)|\?\?(?!=)|\?\.(?!\d)
            |\+(?![+=])|-(?![-=])|\*(?![*=])|/(?![/*=])|%(?!=)|<(?![<!])|>(?!>)|!|\?|:|[()\[\]{},.])
    )""",
    re.VERBOSE | re.ASCII,
)
_TEMPLATE_REST = re.compile(r"(?:[^`\\$]|\$(?!\{))*(?:`|\$\{)")
_END = re.compile(r"[ \t\n\r]*;?[ \t\n\r]*\Z")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPE = re.compile(r"\\(.)")
_BINARY = {
    "??": 1, "||": 2, "&&": 3, "==": 6, "!=": 6, "===": 6, "!==": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_DEEPEST = 40
_MOST_OPERATORS = 60
_LONGEST = 2000
RESERVED = frozenset(
    """
    break case catch class const continue debugger default delete do else enum export extends finally for function
    if import in instanceof new return super switch this throw try typeof var void while with yield let static
    await
    """.split()  # noqa: SIM905 - a list of so many words is a page long
)


class NotSimple(Exception):
    """More than this reader knows, or not JavaScript at all."""


def parse(source: str) -> Tree:
    """The tree of a whole source. Raises `NotSimple`."""
    if len(source) > _LONGEST or ("`" in source and "\r" in source):  # a template prints each line end as \n
        raise NotSimple
    return _Parser(source).whole()


class _Parser:
    def __init__(self, source: str) -> None:
        self._source = source
        self._position = 0
        self._depth = 0
        self._operators = 0
        self._kind: str | None = None
        self._token = ""
        self._next()

    def _next(self) -> None:
        match = _TOKEN.match(self._source, self._position)
        if match is None:
            if not _END.match(self._source, self._position):
                raise NotSimple
            self._kind, self._token = None, ""
            return
        self._kind = match.lastgroup
        self._token = match.group(match.lastgroup or 0)
        self._position = match.end()

    def _take(self, mark: str) -> bool:
        if self._kind == "mark" and self._token == mark:
            self._next()
            return True
        return False

    def _expect(self, mark: str) -> None:
        if not self._take(mark):
            raise NotSimple

    def whole(self) -> Tree:
        tree = self._conditional()
        if self._kind is not None:
            raise NotSimple
        return tree

    def _conditional(self) -> Tree:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotSimple
        tree = self._binary(1)
        if self._take("?"):
            yes = self._conditional()
            self._expect(":")
            tree = ("if", tree, yes, self._conditional())
        self._depth -= 1
        return tree

    def _binary(self, level: int) -> Tree:
        left = self._unary()
        while self._kind == "mark" and _BINARY.get(self._token, 0) >= level:
            mark = self._token
            self._operators += 1
            if self._operators > _MOST_OPERATORS:
                raise NotSimple
            self._next()
            right = self._binary(_BINARY[mark] + 1)
            mixed = {mark, *(side[1] for side in (left, right) if side[0] == "binary")}
            if "??" in mixed and mixed & {"||", "&&"}:
                raise NotSimple  # without brackets a mistake; with brackets the tree below is a group
            left = ("binary", mark, left, right)
        return left

    def _unary(self) -> Tree:
        for mark in ("!", "-", "+"):
            if self._take(mark):
                self._depth += 1
                if self._depth > _DEEPEST:
                    raise NotSimple
                tree = ("unary", mark, self._unary())
                self._depth -= 1
                return tree
        return self._chain()

    def _chain(self) -> Tree:
        root = self._primary()
        steps: list[Tree] = []
        while True:
            optional = self._take("?.")
            if optional and self._kind == "name":
                steps.append(("key", True, ("literal", self._name())))
            elif self._take("["):
                key = self._conditional()
                self._expect("]")
                steps.append(("key", optional, key))
            elif self._take("("):
                steps.append(("call", optional, self._arguments(")")))
            elif optional:
                raise NotSimple
            elif self._take("."):
                if self._kind != "name":
                    raise NotSimple
                steps.append(("key", False, ("literal", self._name())))
            elif self._kind == "template":
                raise NotSimple
            else:
                return ("chain", root, tuple(steps)) if steps else root

    def _name(self) -> str:
        name = self._token
        self._next()
        return name

    def _arguments(self, end: str) -> tuple[Tree, ...]:
        made: list[Tree] = []
        while not self._take(end):
            made.append(self._conditional())
            if not self._take(","):
                self._expect(end)
                break
        return tuple(made)

    def _primary(self) -> Tree:
        kind, token = self._kind, self._token
        if kind == "number":
            self._next()
            return ("literal", float(token) if "." in token else int(token))
        if kind == "text":
            self._next()
            return ("literal", _ESCAPE.sub(_unescaped, token[1:-1]))
        if kind == "template":
            return self._template()
        if kind == "name":
            if token in RESERVED:
                raise NotSimple
            self._next()
            return ("name", token)
        if self._take("("):
            tree = self._conditional()
            self._expect(")")
            return ("group", tree)
        if self._take("["):
            return ("list", self._arguments("]"))
        if self._take("{"):
            return ("object", tuple(self._entries()))
        raise NotSimple

    def _entries(self) -> Iterator[tuple[str, Tree]]:
        while not self._take("}"):
            key = _ESCAPE.sub(_unescaped, self._token[1:-1]) if self._kind == "text" else self._token
            if self._kind not in ("text", "name") or key == "__proto__" or key.isdigit():
                raise NotSimple
            self._next()
            self._expect(":")
            yield key, self._conditional()
            if not self._take(","):
                self._expect("}")
                return

    def _template(self) -> Tree:
        parts: list[str | Tree] = [self._token[1:].removesuffix("`").removesuffix("${")]
        closed = self._token.endswith("`")
        while not closed:
            self._next()
            parts.append(self._conditional())
            if self._kind != "mark" or self._token != "}":  # noqa: S105 - a bracket
                raise NotSimple
            match = _TEMPLATE_REST.match(self._source, self._position)
            if match is None:
                raise NotSimple
            text = match.group()
            closed = text.endswith("`")
            parts.append(text.removesuffix("`").removesuffix("${"))
            self._position = match.end()
        self._next()
        return ("template", tuple(parts))


def _unescaped(match: re.Match[str]) -> str:
    return _ESCAPES.get(match.group(1), match.group(1))
