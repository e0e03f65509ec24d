"""The templates of a Helm chart, as far as ours go: values, `if`, `range`, `define`, `include`, `quote`, `toYaml`,
`nindent`. Anything else is an error, and so is a value that is not there. `helm template` is the judge where it is
installed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

_TAG = re.compile(r"(?P<before>\s*)\{\{(?P<left>-?)\s*(?P<code>.*?)\s*(?P<right>-?)\}\}(?P<after>\s*)", re.DOTALL)
Tree = list[Any]  # texts, and (code, tree) for blocks and expressions


class Chart:
    """A chart, and the values that its templates have asked for."""

    def __init__(self, directory: Path, release: str = "jackfield") -> None:
        self.values: dict[str, Any] = yaml.safe_load((directory / "values.yaml").read_text())
        self.asked: set[str] = set()
        self._release = release
        self._parts: dict[str, Tree] = {}
        self._texts = {path.name: path.read_text() for path in sorted((directory / "templates").iterdir())}

    def documents(self) -> list[dict[str, Any]]:
        """Of all templates, by these values."""
        trees = {name: _parsed(_tokens(text)) for name, text in self._texts.items()}
        for tree in trees.values():
            self._parts |= {part[0].split()[1].strip('"'): part[1] for part in tree if _is(part, "define")}
        rendered = [self._text(tree, {}) for name, tree in trees.items() if not name.startswith("_")]
        return [found for text in rendered for found in yaml.safe_load_all(text) if found]

    def _text(self, tree: Tree, local: Mapping[str, Any]) -> str:
        return "".join(part if isinstance(part, str) else self._part(*part, local) for part in tree)

    def _part(self, code: str, inner: Tree | None, local: Mapping[str, Any]) -> str:
        word, _, rest = code.partition(" ")
        if inner is None:
            return self._expression(code, local)
        if word == "if":
            negated = rest.startswith("not ")
            return self._text(inner, local) if bool(self._term(rest.removeprefix("not "), local)) != negated else ""
        if word == "range":
            names, _, source = rest.partition(" := ")
            key, value = names.split(", ")
            pairs = self._term(source, local).items()
            return "".join(self._text(inner, {**local, key: k, value: v}) for k, v in pairs)
        assert word == "define", code
        return ""

    def _expression(self, code: str, local: Mapping[str, Any]) -> str:
        first, *filters = code.split(" | ")
        found = self._term(first, local)
        for each in filters:
            name, _, argument = each.partition(" ")
            if name == "quote":
                found = '"' + str(found).replace('"', '\\"') + '"'
            elif name == "nindent":
                found = "\n" + "\n".join(" " * int(argument) + line if line else "" for line in found.splitlines())
            else:
                raise ValueError(code)
        assert not isinstance(found, bool | dict | list), code
        return str(found)

    def _term(self, code: str, local: Mapping[str, Any]) -> Any:
        word, _, rest = code.partition(" ")
        if word == "include":
            return self._text(self._parts[rest.removesuffix(" .").strip('"')], local).lstrip("\n")
        if word == "toYaml":
            return yaml.safe_dump(self._term(rest, local), sort_keys=False)
        if word.startswith("$"):
            return local[word]
        if word == ".Release.Name":
            return self._release
        assert word.startswith(".Values."), code
        self.asked.add(word.removeprefix(".Values."))
        found: Any = self.values
        for name in word.split(".")[2:]:
            found = found[name]
        return found


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens, end = [], 0
    for tag in _TAG.finditer(text):
        tokens.append(("text", text[end : tag.start()] + ("" if tag["left"] else tag["before"])))
        tokens.append(("code", tag["code"]))
        end = tag.end() if tag["right"] else tag.start("after")
    return [*tokens, ("text", text[end:])]


def _parsed(tokens: list[tuple[str, str]]) -> Tree:
    stack: list[Tree] = [[]]
    for kind, token in tokens:
        if kind == "text":
            stack[-1].append(token)
        elif token == "end":
            stack.pop()
        elif token.split()[0] in ("if", "range", "define"):
            inner: Tree = []
            stack[-1].append((token, inner))
            stack.append(inner)
        else:
            stack[-1].append((token, None))
    assert len(stack) == 1, "a block has no end"
    return stack[0]


def _is(part: object, word: str) -> bool:
    return isinstance(part, tuple) and part[0].startswith(f"{word} ")
