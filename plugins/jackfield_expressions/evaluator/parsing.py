"""Reads the simple expressions that Python can evaluate as JavaScript would. They have literals, member access, calls,
operators, conditionals, lists, objects, template literals, regular expressions, `new Date`, and arrow functions of one
expression. Objects may be spread into objects, and a function's parameter may be a list that is taken apart. No
statements, no assignments.

A function's parameters are numbered: each has its own place in the whole source, as no function calls itself. A syntax
tree is nested tuples, kind first. A source that is not understood raises `NotSimple`, and JavaScript has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from jackfield_expressions.scope import MOST_LOCALS

Tree: TypeAlias = "tuple[Any, ...]"  # kind, then what this kind has: trees, texts, numbers

_SPACE = r"(?:[ \t\n\r]|/\*(?:[^*]|\*(?!/))*+\*/|//[^\n\r\u2028\u2029]*+)*+"
_TOKEN = re.compile(
    _SPACE
    + r"""(?P<whole>
    (?P<number>(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?![\w$.]))
  | (?P<text>'(?:[^'\\\n\r]|\\[^\n\r\u2028\u2029ux0-9])*'|"(?:[^"\\\n\r]|\\[^\n\r\u2028\u2029ux0-9])*")
  | (?P<template>`(?:[^`\\$]|\$(?!\{)|\\[^\n\r\u2028\u2029ux0-9])*(?:`|\$\{))
  | (?P<name>[A-Za-z_$][\w$]*)
  | (?P<mark>\.\.\.|===|!==|==(?!=)|!=(?!=)|<=|>=|&&(?!=)|\|\|(?!=)|\?\?(?!=)|\?\.(?!\d)
            |\+(?![+=])|-(?![-=])|\*(?![*=])|/(?![/*=])|%(?!=)|<(?![<!])|>(?!>)|!|\?|:|[()\[\]{},.])
    )""",
    re.VERBOSE | re.ASCII,
)
_TOKEN_KINDS = ("name", "mark", "text", "number", "template")
_TEMPLATE_REST = re.compile(r"(?:[^`\\$]|\$(?!\{)|\\[^\n\r\u2028\u2029ux0-9])*(?:`|\$\{)")
_END = re.compile(_SPACE + r";?" + _SPACE + r"\Z")
_NAME = r"[A-Za-z_$][\w$]*"
_ARROW = re.compile(rf"(?:(?P<one>{_NAME})|\((?P<many>[^()]{{0,200}})\))[ \t]*=>", re.ASCII)
_PARAMETER = re.compile(rf"\[[^\[\]]*\]|{_NAME}", re.ASCII)
_PARAMETERS = re.compile(rf"\s*(?:{_PARAMETER.pattern})\s*(?:,\s*(?:{_PARAMETER.pattern})\s*)*,?\s*", re.ASCII)
_REGEX = re.compile(r"/((?:[^/\\\[\n\r]|\\[^\n\r]|\[(?:[^\]\\\n\r]|\\[^\n\r])*\])+)/([a-z]*)(?![\w$])")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPE = re.compile(r"\\(.)")
_BINARY = {
    "??": 1, "||": 2, "&&": 3, "==": 6, "!=": 6, "===": 6, "!==": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_REFUSED = re.compile(r"\.\s*constructor\b")
_DEEPEST = 40
_MOST_OPERATORS = 60
_LONGEST = 2000
LITERALS = frozenset({"true", "false", "null"})
NO_PARAMETERS = frozenset("async eval arguments undefined true false null NaN Infinity".split())  # noqa: SIM905
RESERVED = frozenset(
    """
    break case catch class const continue debugger default delete do else enum export extends finally for function
    if import in instanceof new return super switch this throw try typeof var void while with yield let static
    await implements interface package private protected public
    """.split()  # noqa: SIM905 - a list of so many words is a page long
)


class NotSimple(Exception):
    """More than this reader knows, or not JavaScript at all."""


def parse(source: str) -> Tree:
    """The tree of a whole source. Raises `NotSimple`."""
    if len(source) > _LONGEST or ("`" in source and "\r" in source):  # a template prints each line end as \n
        raise NotSimple
    if _REFUSED.search(source):
        raise NotSimple  # the user gets the error
    return _Parser(source).whole()


class _Parser:
    def __init__(self, source: str) -> None:
        self._source = source
        self._position = 0
        self._start = 0
        self._known: list[dict[str, int]] = []
        self._places = 0
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
        self._kind = next(kind for kind in _TOKEN_KINDS if match.group(kind) is not None)
        self._token = match.group("whole")
        self._start, self._position = match.start("whole"), match.end()

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
        begins = self._kind == "name" or (self._kind == "mark" and self._source[self._start] == "(")
        arrow = _ARROW.match(self._source, self._start) if begins else None
        tree = self._binary(1) if arrow is None else self._arrow(arrow)
        if arrow is None and self._take("?"):
            yes = self._conditional()
            self._expect(":")
            tree = ("if", tree, yes, self._conditional())
        self._depth -= 1
        return tree

    def _arrow(self, match: re.Match[str]) -> Tree:
        names: dict[str, int] = {}
        one, many = match.group("one", "many")
        places = tuple(self._parameter(part, names) for part in ([one] if one is not None else _parameters(many)))
        self._position = match.end()
        self._next()
        if self._kind == "mark" and self._token == "{":  # noqa: S105 - a bracket
            raise NotSimple  # statements, after a comment
        self._known.append(names)
        body = self._conditional()
        self._known.pop()
        return ("arrow", places, body)

    def _parameter(self, text: str, names: dict[str, int]) -> int | tuple[int, ...]:
        """Its place; those of its entries where it is a list that is taken apart."""
        if text.startswith("["):
            return tuple(self._place(name.strip(), names) for name in text[1:-1].split(","))
        return self._place(text, names)

    def _place(self, name: str, names: dict[str, int]) -> int:
        """A new place for a parameter."""
        if name in names or name in RESERVED or name in NO_PARAMETERS or not re.fullmatch(_NAME, name, re.ASCII):
            raise NotSimple
        if self._places >= MOST_LOCALS:
            raise NotSimple
        names[name] = self._places
        self._places += 1
        return names[name]

    def _named(self, name: str) -> Tree:
        """The meaning of a name here."""
        for names in reversed(self._known):
            if name in names:
                return ("local", names[name])
        return ("name", name)

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
            return self._new() if token == "new" else self._identifier()  # noqa: S105 - a word
        if kind == "mark" and token == "/":  # noqa: S105 - a mark
            return self._regex()
        if self._take("("):
            tree = self._conditional()
            self._expect(")")
            return ("group", tree)
        if self._take("["):
            return ("list", self._arguments("]"))
        if self._take("{"):
            return ("object", tuple(self._entries()))
        raise NotSimple

    def _identifier(self) -> Tree:
        if self._token in RESERVED:
            raise NotSimple
        return self._named(self._name())

    def _new(self) -> Tree:
        """`new Date(...)`, which is all that is known here."""
        self._next()
        if self._kind != "name" or self._named(self._name()) != ("name", "Date"):
            raise NotSimple
        self._expect("(")
        return ("new", self._arguments(")"))

    def _regex(self) -> Tree:
        match = _REGEX.match(self._source, self._start)
        if match is None:
            raise NotSimple
        self._position = match.end()
        self._next()
        return ("regex", match.group(1), match.group(2))

    def _entries(self) -> Iterator[tuple[str | None, Tree]]:
        """Keys and their values; None: the entries of another object."""
        while not self._take("}"):
            if self._take("..."):
                yield None, self._conditional()
                if not self._take(","):
                    self._expect("}")
                    return
                continue
            key = _ESCAPE.sub(_unescaped, self._token[1:-1]) if self._kind == "text" else self._token
            if self._kind not in ("text", "name") or key == "__proto__" or key.isdigit():
                raise NotSimple
            short = self._kind == "name" and key not in RESERVED and key not in LITERALS
            self._next()
            if short and (self._token in (",", "}") and self._kind == "mark"):
                yield key, self._named(key)
            else:
                self._expect(":")
                yield key, self._conditional()
            if not self._take(","):
                self._expect("}")
                return

    def _template(self) -> Tree:
        text, closed = _template_text(self._token[1:])
        parts: list[str | Tree] = [text]
        while not closed:
            self._next()
            parts.append(self._conditional())
            if self._kind != "mark" or self._token != "}":  # noqa: S105 - a bracket
                raise NotSimple
            match = _TEMPLATE_REST.match(self._source, self._position)
            if match is None:
                raise NotSimple
            text, closed = _template_text(match.group())
            parts.append(text)
            self._position = match.end()
        self._next()
        return ("literal", parts[0]) if len(parts) == 1 else ("template", tuple(parts))


def _parameters(text: str) -> list[str]:
    """The parameters between the brackets of a function."""
    if not text.strip():
        return []
    if not _PARAMETERS.fullmatch(text):
        raise NotSimple
    return _PARAMETER.findall(text)


def _template_text(token: str) -> tuple[str, bool]:
    """The text up to the next substitution, and whether it is the last."""
    closed = token.endswith("`")
    return _ESCAPE.sub(_unescaped, token[:-1] if closed else token[:-2]), closed


def _unescaped(match: re.Match[str]) -> str:
    return _ESCAPES.get(match.group(1), match.group(1))
