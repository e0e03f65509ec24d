"""The parts of the execution's data that JavaScript sources read, so that no more than that crosses to a worker.

Found by pattern, and always at least what a source reads. Text that only looks like an access costs a little, and
whatever is not a plain path reads all. Method names end a path, since a method may look at the whole value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from jackfield.api.expressions import Fields, NodeReads, Reads

_TEXT = r"""'(?:[^'\\\n]|\\[^\w\r\u2028\u2029])*'|"(?:[^"\\\n]|\\[^\w\r\u2028\u2029])*"|`[^`$\\\r]*`"""
"""Without escapes that stand for another character than the one after the backslash: such a text is not read."""
_WORD = r"[\w$]*+(?![^\x00-\x7f])"
"""The rest of a name. JavaScript's names have marks and joiners that Python takes for no letters. Such a name is not
read, as half of it would be another name."""
_STEP = re.compile(
    rf"""\s*(?:\??\.\s*((?:[^\W\d]|\$){_WORD})|(?:\?\.)?\s*\[\s*(?:({_TEXT})|(\d{{1,15}}))\s*\])(\s*(?:\?\.)?\s*[(`])?"""
)
_ITEM = re.compile(r"\$(json|input|data|binary|items|item|thisItem)\b")
_INPUT_JSON = re.compile(r"\s*\??\.\s*(?:item|first\s*\(\s*\)|last\s*\(\s*\))\s*\??\.\s*json\b")
_NODE = re.compile(
    rf"\$(?:\(\s*({_TEXT})\s*\)|node\s*(?:\??\.\s*([\w$]{_WORD})|(?:\?\.)?\[\s*({_TEXT})\s*\])|items\s*\(\s*({_TEXT})\s*[,)])"
)
_ANY_NODE = re.compile(
    r"""\$\s*(?:\?\.)?\s*\(|\$(?:node|item|items)\b|\$input\b(?!\s*\??\.\s*(?:item|first|last|all|context)\b)
    |(?:\A|(?<=[\s,(=\[:?|&>]))\$(?=\s*[,)\];:|&]|\s*\?\?|\s*\?\s|\s*\.[a-z]|\s*\Z)""",
    re.VERBOSE,
)
"""The last one: `$` itself as a value."""
_NODE_JSON = re.compile(r"\s*\??\.\s*(item|first\s*\(\s*\)|last\s*\(\s*\))\s*\??\.\s*json\b")
_NODE_FACT = re.compile(r"\s*\??\.\s*(?:isExecuted|params|context|parameter|runIndex)\b")
_OLD_JSON = re.compile(r"\s*\??\.\s*json\b")
_PAIRED = re.compile(r"\b(?:item|itemMatching|pairedItem)\b|\]\s*\(|\$\w*\s*\[")
_PYTHON_SIGN = re.compile(r"(?<![\w$])_(?=\s*\(|[a-z])")
"""Python's names begin with _ where JavaScript's begin with $."""
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_OPAQUE = re.compile(r"\\u|/\*|(?<!:)//")
"""Escapes inside names, and comments, which the patterns here don't read. The text after a colon is the rest of an
address, or a comment between two parts of an expression, where it splits no access."""
_DYNAMIC = re.compile(r"\$(?:parameter|rawParameter|evaluateExpression)\b")
"""Members that evaluate expressions that stand elsewhere."""
_HIDDEN_ROOT = re.compile(r"\\u|\$\s*/[*/]")
"""Signs that may keep the name of a node from being found."""


def reads_of(sources: Iterable[str]) -> Reads:
    """The parts that these sources read together."""
    item: Fields = {}
    nodes: dict[str, NodeReads] = {}
    text = "\n;\n".join(sources)  # so that no access goes on in the next one
    dynamic = _DYNAMIC.search(text) is not None
    opaque = dynamic or _OPAQUE.search(text) is not None
    whole = opaque
    for match in _ITEM.finditer(text):
        path = _item_path(text, match)
        if path is None:
            whole = True
        item = _with(item, path or ())
    for match in _NODE.finditer(text):
        name, reads = _node_reads(text, match)
        nodes[name] = _merged(nodes.get(name), NodeReads(None, False) if opaque else reads)
    named = sum(1 for _ in _NODE.finditer(text))
    everything = dynamic or named < sum(1 for _ in _ANY_NODE.finditer(text)) or _HIDDEN_ROOT.search(text) is not None
    pairs = everything or _PAIRED.search(text) is not None
    return Reads(item, whole, nodes, everything, pairs, everything)


def script_reads(source: str, language: str = "javaScript") -> Reads:
    """The parts that a Code node's source reads: all the items, and of the nodes that it names. Of a language that is
    not known here: of every node."""
    if language not in ("javaScript", "python"):
        return Reads(None, True, {}, True, True, True)
    found = reads_of([_PYTHON_SIGN.sub("$", source) if language == "python" else source])
    nodes = {name: NodeReads(None, False) for name in found.nodes}
    return Reads(None, True, nodes, found.everything, found.pairs, True)


def _item_path(text: str, root: re.Match[str]) -> tuple[str, ...] | None:
    """The fields of `json` that an access reads; None: the item has to be there whole."""
    name, position = root.group(1), root.end()
    if name == "input":
        if not (match := _INPUT_JSON.match(text, position)):
            return None
        position = match.end()
    elif name != "json":
        return None
    return _path(text, position)


def _path(text: str, position: int) -> tuple[str, ...]:
    steps: list[str] = []
    while match := _STEP.match(text, position):
        name, quoted, number, call = match.groups()
        if call is not None:
            break
        steps.append(name or number or _unquoted(quoted))
        position = match.end()
    return tuple(steps)


def _unquoted(text: str) -> str:
    return _ESCAPE.sub(r"\1", text[1:-1])


def _node_reads(text: str, match: re.Match[str]) -> tuple[str, NodeReads]:
    called, dotted, indexed, listed = match.groups()
    end = match.end()
    name = dotted if dotted is not None else _unquoted(called or indexed or listed)
    if _NODE_FACT.match(text, end):
        return name, NodeReads({}, True)
    if called is not None and (found := _NODE_JSON.match(text, end)):
        return name, NodeReads(_with({}, _path(text, found.end())), found.group(1) == "item")
    if called is None and listed is None and (found := _OLD_JSON.match(text, end)):
        return name, NodeReads(_with({}, _path(text, found.end())), False)
    return name, NodeReads(None, False)


def _with(fields: Fields, path: tuple[str, ...]) -> Fields:
    """These fields and one path more."""
    if fields is None or not path:
        return None
    first, rest = path[0], path[1:]
    return {**fields, first: _with(fields.get(first, {}), rest)}


def _joined(one: Fields, other: Fields) -> Fields:
    if one is None or other is None:
        return None
    made = dict(one)
    for name, below in other.items():
        made[name] = _joined(made[name], below) if name in made else below
    return made


def _merged(one: NodeReads | None, other: NodeReads) -> NodeReads:
    if one is None:
        return other
    return NodeReads(_joined(one.fields, other.fields), one.paired and other.paired)
