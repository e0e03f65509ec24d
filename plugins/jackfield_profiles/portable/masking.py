"""Texts of a profile without their secrets: what leaves the host is read by more people than its settings are."""

from __future__ import annotations

import re

from jackfield.api.jsontext import Json
from jackfield_profiles.mcp_servers import HIDDEN
from jackfield_profiles.wiring.environment import MASK

_CALLED_SO = (
    r"(?P<scheme>authorization)|(?P<several>cookie)|token(?!s)|api[_-]?key|access[_-]?key|private[_-]?key|secret"
    r"|passw(?:or)?d|passphrase|credential"
)
_NAME = (
    rf"(?P<name>(?<![A-Za-z0-9_-])(?:(?>[A-Za-z0-9_-]*?(?:{_CALLED_SO})[A-Za-z0-9_-]*)"
    r"|[A-Za-z0-9_-]*[_-](?:key|pwd|jwt)|-*(?:pass|pwd)|[A-Za-z0-9_-]*(?:pass|pwd)(?=\s*=)))"
)
"""Looked for at the beginnings of words alone, and once. Otherwise each character of a long word would be looked at
from each other one."""
_HIDDEN = r"\*\*\*(?![A-Za-z0-9])"
_TO = r"""[^\s"'&;]+"""
_BARE = rf"(?(scheme)(?:[A-Za-z][\w-]*[ \t]+)?+|(?:(?:Bearer|Basic)\s+)?+)(?!\$|{_HIDDEN}){_TO}"
"""An address or a program's line has no value behind `&` and `;`; commas stand in passwords."""
_DOLLAR = r"(?:\w+ )?\$"
_VALUE = (
    rf"""(?:"(?!{_DOLLAR})[^"]+"|'(?!{_DOLLAR}\{{?[A-Za-z_][A-Za-z0-9_]*\}}?')[^']+'"""
    rf"""|(?(several)(?!\$|{_HIDDEN})[^\s"'][^"'\n]*|{_BARE}))"""
)
_NAMED = re.compile(rf"""{_NAME}(?P<between>["']?\s*[=:]\s*){_VALUE}""", re.IGNORECASE)
_FLAG = re.compile(rf"(?<!\S)(?=-){_NAME}(?P<between>\s+)(?!-){_VALUE}", re.IGNORECASE)
_ARGUMENT = re.compile(rf"{_NAME}(?P<between>=)(?P<value>.+)", re.IGNORECASE | re.DOTALL)
_CALLED = re.compile(_NAME, re.IGNORECASE)
_USER = re.compile(r"""(://)[^\s/"']+@""")
_KNOWN = re.compile(
    r"(?<![\w-])(?:sk-[\w-]{20,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|xox[a-z]-[\w-]{10,}"
    r"|AKIA[0-9A-Z]{16}|AIza[\w-]{35}|eyJ[\w-]{10,}\.eyJ[\w-]{5,}\.[\w-]+)"
)
"""Keys and tokens that say by their form that they are one."""
_REFERENCE = re.compile(r"(?:\w+ )?\$\{?[A-Za-z_][A-Za-z0-9_]*\}?")
"""The name of a variable in place of a value, such as `Bearer ${TOKEN}`."""


def hidden(value: Json) -> Json:
    """The same in its form: values of `env` and `headers` are masked unless they name a variable. A proxy does not
    show the value of a secret header that it compares. Other texts are masked that are called like a secret."""
    if isinstance(value, dict):
        of_header = value.get("type") == "header" and _is_secret(str(value.get("name")))
        return {
            name: MASK if of_header and name == "equals" else _values(part) if name in HIDDEN else _named(name, part)
            for name, part in value.items()
        }
    if isinstance(value, list):
        return _listed(value)
    return _text(value) if isinstance(value, str) else value


def has_mask(value: Json) -> bool:
    """Whether anything in it is hidden."""
    if isinstance(value, dict):
        return any(has_mask(part) for part in value.values())
    if isinstance(value, list):
        return any(has_mask(part) for part in value)
    return isinstance(value, str) and MASK in value


def _values(part: Json) -> Json:
    if not isinstance(part, dict):
        return hidden(part)
    return {name: one if _REFERENCE.fullmatch(str(one)) else MASK for name, one in part.items()}


def _named(name: str, part: Json) -> Json:
    return MASK if isinstance(part, str) and _is_secret(name) and not _REFERENCE.fullmatch(part) else hidden(part)


def _listed(values: list[Json]) -> Json:
    """Arguments: a value may stand behind its flag."""
    made: list[Json] = []
    for index, each in enumerate(values):
        flag = values[index - 1] if index else None
        follows = isinstance(flag, str) and flag.startswith("-") and _is_secret(flag)
        is_value = isinstance(each, str) and not each.startswith("-") and not _REFERENCE.fullmatch(each)
        made.append(MASK if follows and is_value else _argument(each))
    return made


def _argument(each: Json) -> Json:
    """No shell reads it: behind `=` everything is the value."""
    found = _ARGUMENT.fullmatch(each) if isinstance(each, str) else None
    if found is None or found["value"][0] in "$\"'{[" or found["value"] == MASK:
        return hidden(each)
    return f"{found['name']}={MASK}"


def _text(text: str) -> str:
    for pattern in (_NAMED, _FLAG):
        text = pattern.sub(rf"\g<name>\g<between>{MASK}", text)
    return _KNOWN.sub(MASK, _USER.sub(rf"\g<1>{MASK}@", text))


def _is_secret(name: str) -> bool:
    return _CALLED.fullmatch(name) is not None
