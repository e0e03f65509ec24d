"""Which constructs the expressions of real workflows use, and by what they are evaluated.

    python tools/expression_figures.py DIRECTORY [--least 0.3]

DIRECTORY holds workflow documents as JSON. An expression is one `{{ ... }}`; each construct counts once in each. The
figures decide what Python evaluates (docs/decisions.md, 'Expressions').
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from jackfield_expressions.parameters import compile_parameters
from jackfield_expressions.paths import compile_path
from jackfield_expressions.templates import split

Token: TypeAlias = "tuple[str, str]"  # noqa: S105 - a word of the language
"""Kind and text."""

TOKEN = re.compile(
    r"""\s+|//[^\n]*|/\*.*?\*/
  | (?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
  | (?P<number>(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<name>[\w$]+)
  | (?P<mark>=>|\.\.\.|\?\.(?!\d)|\?\?=?|[!=]==?|[<>]=|\|\|=?|&&=?|\*\*|\+\+|--|[-+*/%]=|.)""",
    re.VERBOSE | re.DOTALL,
)
REGEX = re.compile(r"/(?![*/])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
TRIM = re.compile(r"/(?:\^[^|]+\|)?(?:\\\w|\[[^\]]*\])[+*]\$/[a-z]*")
OPERATORS = {
    **dict.fromkeys(("===", "!==", "==", "!=", "<", ">", "<=", ">="), "comparison"),
    **dict.fromkeys(("||", "&&", "??"), "&& || ??"),
    **dict.fromkeys(("+", "-", "*", "/", "%"), "+ - * / %"),
    "**": "**", "!": "!", "?": "? :", "?.": "?.", "...": "spread", "=>": "function",
}  # fmt: skip
ASSIGNMENTS = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "||=", "&&=", "??=", "++", "--"})
WORDS = frozenset(
    """
    typeof instanceof in of return if for while function const let var throw try catch await delete void
    """.split()  # noqa: SIM905 - a list of so many words is a page long
)
LITERALS = frozenset({"true", "false", "null", "undefined", "NaN", "Infinity"})
NAMESPACES = frozenset(
    """
    Math Object JSON Date DateTime Array Number String Promise Intl Buffer Duration Interval
    """.split()  # noqa: SIM905 - a list of so many words is a page long
)
DATES = frozenset({"$now", "$today"})


def tokens(source: str) -> Iterator[Token]:
    """The tokens, those inside of template literals among them. A template literal is one of the kind `template` first,
    a regular expression one of the kind `regex`."""
    place, last = 0, ("", "")
    while place < len(source):
        if source[place] == "`":
            end, inner = template(source, place + 1)
            yield "template" if inner else "text", source[place:end]
            for code in inner:
                yield "mark", "("
                yield from tokens(code)
                yield "mark", ")"
            place, last = end, ("text", "")
            continue
        before_value = last[0] == "" or (last[0] == "mark" and last[1] not in (")", "]", "}")) or last[1] == "return"
        found = REGEX.match(source, place) if source[place] == "/" and before_value else None
        match = found or TOKEN.match(source, place)
        if match is None:
            return
        kind = "regex" if found else match.lastgroup
        place = match.end()
        if kind is not None:
            last = (kind, match.group())
            yield last


def template(source: str, place: int) -> tuple[int, list[str]]:
    """From behind the opening mark: where the literal ends, and the code in it."""
    codes: list[str] = []
    while place < len(source) and source[place] != "`":
        if source[place] == "\\":
            place += 2
        elif source.startswith("${", place):
            end, depth = place + 2, 1
            while end < len(source) and depth:
                depth += {"{": 1, "}": -1}.get(source[end], 0)
                end += 1
            codes.append(source[place + 2 : end - 1])
            place = end
        else:
            place += 1
    return place + 1, codes


def constructs(source: str) -> set[str]:
    """What the source uses, each once."""
    found: set[str] = set()
    row = [("", ""), *tokens(source), ("", ""), ("", "")]
    for place in range(1, len(row) - 2):
        found.update(at(row, place))
    return found


def at(row: list[Token], place: int) -> Iterator[str]:
    (kind, text), before, after = row[place], row[place - 1][1], row[place + 1][1]
    if kind in ("template", "regex"):
        yield f"{kind} literal"
        if TRIM.fullmatch(text):
            yield "regex literal that trims"
    elif kind == "name":
        yield from word(row, place, text, before, after)
    elif text in ASSIGNMENTS:
        yield "assignment"
    elif text in ("-", "+") and not value_before(row, place):
        yield "- + before a value"
    elif text in OPERATORS:
        yield OPERATORS[text]
        if text == "=>" and before == ")" and row[place - 2][1] in ("]", "}"):
            yield "parameter taken apart"
        if text == "=>" and after == "{":
            yield "statements"
    elif text == "[":
        yield from bracket(row, place)
    elif text == "{" and before not in (")", "=>", "else", "try"):
        yield "object"


def value_before(row: list[Token], place: int) -> bool:
    kind, text = row[place - 1]
    return kind in ("name", "number", "text", "template", "regex") or text in (")", "]", "}")


def bracket(row: list[Token], place: int) -> Iterator[str]:
    if not value_before(row, place) and row[place - 1][1] != "?.":
        yield "list"
    elif row[place + 1][0] not in ("text", "number") or row[place + 2][1] != "]":
        yield "computed member"


def word(row: list[Token], place: int, text: str, before: str, after: str) -> Iterator[str]:
    if before in (".", "?."):
        owner = row[place - 2][1]
        if after == "(" and owner in NAMESPACES:
            yield f"{owner}.{text}()"
        elif after == "(":
            yield f"{root(row, place)}.{text}()"
        elif owner in DATES:
            yield f"{owner}.{text}"
    elif before == "new":
        yield f"new {text}({'...' if row[place + 2][1] != ')' else ''})"
    elif text in WORDS:
        yield text
    elif after == "(" and text != "new":
        yield f"{text}()"
    elif text in LITERALS:
        yield "word literal"
    elif (text.startswith("$") and after != ":") or (text in NAMESPACES and after not in (".", "?.")):
        yield text


def root(row: list[Token], place: int) -> str:
    """`$input` and `$()` for methods of theirs, nothing for methods of values."""
    if row[place - 2][1] == "$input":
        return "$input"
    inner = [text for _, text in row[max(0, place - 5) : place - 1]]
    return "$()" if len(inner) == 4 and inner[:2] == ["$", "("] and inner[3] == ")" else ""


def texts(value: Any) -> Iterator[str]:
    """All texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts(inner)


def expressions(directory: Path) -> Iterator[str]:
    for path in sorted(directory.rglob("*.json")):
        document = json.loads(path.read_text())
        for node in document.get("nodes", ()) if isinstance(document, dict) else ():
            for text in texts(node.get("parameters")):
                if text.startswith("="):
                    yield from (chunk.text for chunk in split(text[1:]) if chunk.code)


def lines(directory: Path, least: float) -> Iterator[str]:
    """The figures. least: percent of the expressions from which on a construct is common."""
    where: Counter[str] = Counter()
    used: Counter[str] = Counter()
    here: Counter[str] = Counter()
    for source in expressions(directory):
        path = not source.strip() or compile_path(source) is not None
        python = path or not compile_parameters({"p": f"={{{{{source}}}}}"}).sources
        where["paths" if path else "Python" if python else "worker"] += 1
        for construct in () if path else constructs(source):
            used[construct] += 1
            here[construct] += python
    total = where.total()
    yield f"{total} expressions: " + ", ".join(f"{100 * count / total:.1f} % {name}" for name, count in where.items())
    yield f"constructs that at least {least:g} % use:"
    rare = False
    for construct, count in used.most_common():
        if not rare and 100 * count / total < least:
            rare = True
            yield "others:"
        yield f"{count:5d}  {100 * count / total:5.2f} %  {here[construct]:4d} in Python  {construct}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Which constructs the expressions of real workflows use.")
    parser.add_argument("directory", type=Path)
    parser.add_argument("--least", type=float, default=0.3, help="percent of the expressions; 0.3 by default")
    options = parser.parse_args()
    sys.stdout.writelines(f"{line}\n" for line in lines(options.directory, options.least))


if __name__ == "__main__":
    main()
