"""Texts that people see or that leave the host, such as commands and addresses, without the secrets in them.

A secret is known by what stands before it: a name such as `token`, an option of a program, the place in an address. The
name of a variable such as `${TOKEN}` stays where it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .caller_secrets import MASK, is_secret_parameter
from .command_secrets import hidden_option, hidden_options, programs_of

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
_BETWEEN = r"""["']?\s*(?:={1,3}+>?+|:=?+)\s*"""
"""Also of a comparison, and of a pair in code."""
_LITERAL = r"""(?!(?:true|false|null|none|undefined)(?:[\s"'&;)]|[,}\]]+(?:[\s"]|$)|$))"""
"""A value that is no secret."""
_VALUE = (
    rf"""(?:"(?!{_DOLLAR})[^"]+"|'(?!{_DOLLAR}\{{?[A-Za-z_][A-Za-z0-9_]*\}}?')[^']+'"""
    rf"""|(?(several)(?!\$|{_HIDDEN})[^\s"'][^"'\n]*|{_BARE}))"""
)
_NAMED = re.compile(rf"{_NAME}(?P<between>{_BETWEEN}){_LITERAL}{_VALUE}", re.IGNORECASE)
_FLAG = re.compile(rf"(?<!\S)(?=-){_NAME}(?P<between>\s+)(?!-){_VALUE}", re.IGNORECASE)
_ARGUMENT = re.compile(rf"{_NAME}(?P<between>=)(?P<value>.+)", re.IGNORECASE | re.DOTALL)
_CALLED = re.compile(_NAME, re.IGNORECASE)
_REFERENCE = r"(?:\w+ )?\$(?:\{?[A-Za-z_][A-Za-z0-9_]*\}?|\([^()]*\))"
"""The name of a variable in place of a value, such as `Bearer ${TOKEN}`, or a command that tells it."""
_IS_REFERENCE = re.compile(r"(?:\w+ )?\$\{?[A-Za-z_][A-Za-z0-9_]*\}?")
_AUTHORIZATION = r"(?:proxy-)?authorization[ \t]*:[ \t]*+"
_HEADERS = (
    re.compile(rf"(?P<begin>(?m:^){_AUTHORIZATION})(?!(?:{_REFERENCE}|\*\*\*)(?m:$))[^\n]+", re.IGNORECASE),
    re.compile(rf'(?P<begin>"{_AUTHORIZATION})(?!(?:{_REFERENCE}|\*\*\*)")[^"\n]+', re.IGNORECASE),
    re.compile(rf"(?P<begin>'{_AUTHORIZATION})(?!(?:{_REFERENCE}|\*\*\*)')[^'\n]+", re.IGNORECASE),
)
"""A whole header in its quotes, or a whole line: whatever its scheme is, the rest of it is the secret."""
_PARAMETER = re.compile(r"""(?P<name>(?<=[?&])[\w.%-]+)=(?!\$\{?[A-Za-z_][A-Za-z0-9_]*\}?(?:[&#\s"']|$))[^\s"'&#]+""")
_USER = re.compile(
    r"""(?P<before>(?P<ssh>(?<=ssh)|(?<=sftp))?+://)"""
    r"""(?:(?(ssh)[^\s/"':@]*:)[^\s/"']+"""
    r"""|[^\s/"':@\[]{0,256}+:\d*+[^\d\s/"'@][^\s/"'@]*+(?:/[^\s"'@]{0,1024}+)?+)@"""
)
"""A password may have a slash that nobody has encoded, and is no port. A user alone is a secret but for ssh."""
_KNOWN = re.compile(
    r"(?<![\w-])(?:sk-[\w-]{20,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|xox[a-z]-[\w-]{10,}"
    r"|AKIA[0-9A-Z]{16}|AIza[\w-]{35}|eyJ[\w-]{10,}\.eyJ[\w-]{5,}\.[\w-]+)"
)
"""Keys and tokens that say by their form that they are one."""


def hidden_text(text: str) -> str:
    """The same with `***` in place of each secret, and nothing else changed. Doing it twice changes nothing more."""
    for pattern in _HEADERS:
        text = pattern.sub(rf"\g<begin>{MASK}", text)
    text = hidden_options(text)
    for pattern in (_NAMED, _FLAG):
        text = pattern.sub(rf"\g<name>\g<between>{MASK}", text)
    text = _PARAMETER.sub(_parameter, text)
    return _KNOWN.sub(MASK, _USER.sub(rf"\g<before>{MASK}@", text))


def hidden_arguments(values: Sequence[str], program: str = "") -> list[str]:
    """The same of arguments, which no shell reads. program: that they are for, where it is not the first of them."""
    made: list[str] = []
    programs = programs_of(program)
    for index, each in enumerate(values):
        flag = values[index - 1] if index else program
        if (found := hidden_option(programs, flag, each)) is not None:
            made.append(found)
        elif flag.startswith("-") and is_secret_name(flag) and not each.startswith("-") and not is_reference(each):
            made.append(MASK)
        else:
            made.append(_argument(each))
        programs |= programs_of(f"{flag} {each}")
    return made


def is_secret_name(name: str) -> bool:
    """Whether a value of this name is a secret: of a variable, an option, a header or a key."""
    return _CALLED.fullmatch(name) is not None


def is_reference(text: str) -> bool:
    """Whether it only names a variable."""
    return _IS_REFERENCE.fullmatch(text) is not None


def _argument(each: str) -> str:
    """Behind `=` everything is the value."""
    found = _ARGUMENT.fullmatch(each)
    if found is None or found["value"][0] in "$\"'{[" or found["value"] == MASK:
        return hidden_text(each)
    return f"{found['name']}={MASK}"


def _parameter(found: re.Match[str]) -> str:
    return f"{found['name']}={MASK}" if is_secret_parameter(found["name"]) else found[0]
