"""Options of programs that take a secret and are not called like one, such as curl's `-u user:password`.

Source: the programs' manual pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .caller_secrets import MASK
from .records import record

_WORD = r"""(?:"[^"]*"|'[^']*'|\\.|[^\s"';|\\]|["'](?=\S))++"""
"""Of a shell. A quote that nothing closes is part of it."""
_COMMAND = r"""(?P<rest>(?:"[^"]*"|'[^']*'|\\.|&(?!&)|[^"';|&\n\\]|["'\\])*+)"""
"""Up to the next command; a line goes on behind a backslash."""
_REFERENCE = re.compile(r"""["']?(?:[^\s:"']*:)?\$(?:\{?[A-Za-z_][A-Za-z0-9_]*\}?|\([^()]*\))["']?|["']?\*\*\*["']?""")
"""A variable, also behind a user's name, or what is hidden already."""


@record
class ProgramOptions:
    """Regular expressions: the names of the program, its options with a secret, and the beginning of such a value.

    Another value tells no secret. is_attached: whether the value is part of the same word."""

    programs: re.Pattern[str]
    options: str
    value: str = ""
    is_attached: bool = False

    @property
    def pattern(self) -> re.Pattern[str]:
        between = "" if self.is_attached else r"(?:\s*=\s*|\s+|(?<=-\w)|(?<=-\w\w))"
        return re.compile(rf"(?P<option>(?<!\S){self.options}{between})(?={self.value})(?P<value>{_WORD})", re.DOTALL)

    def of_words(self, option: str, value: str) -> str | None:
        """An argument behind this one, or within itself, with the secret hidden. None: there is none in it."""
        known = re.compile(self.options)
        if not self.is_attached and known.fullmatch(option) and self._is_secret(value):
            return MASK
        found = known.match(value)
        if found is None or value == found[0]:
            return None
        begin = found.end() + (value[found.end()] == "=" and found[0].startswith("--"))
        is_apart = found[0].startswith("--") and begin == found.end()
        return None if is_apart or not self._is_secret(value[begin:]) else f"{value[:begin]}{MASK}"

    def _is_secret(self, value: str) -> bool:
        return re.match(self.value, value) is not None and _REFERENCE.fullmatch(value) is None


def _called(names: str) -> re.Pattern[str]:
    return re.compile(rf"""(?<![\w.-])(?:{names})(?:\.exe)?["']?(?=\s|$)""")


_PAIR = r"""["']?[^\s:"']*:"""
"""A user and a password; a user alone tells none."""
PROGRAMS: Sequence[ProgramOptions] = (
    ProgramOptions(_called("curl"), "(?:-[sSkLfvigIjlnNqRaBGO0-9#]*[uU]|--user|--proxy-user)", _PAIR),
    ProgramOptions(_called("curl"), "--oauth2-bearer"),
    ProgramOptions(_called("curl"), "(?:-b|--cookie)", r"""["']?[^\s="']+="""),
    ProgramOptions(
        _called("(?:mysql|mariadb)(?:dump|admin|import|show|check|-dump|-admin|-import)?"), "-p", is_attached=True
    ),
    ProgramOptions(_called("sshpass"), "-p"),
    ProgramOptions(_called(r"(?:docker|podman|nerdctl|buildah|skopeo|crane|oras|helm registry)\s+login"), "-p"),
    ProgramOptions(_called("redis-cli|valkey-cli"), "-a"),
    ProgramOptions(_called("https?|xhs?"), "(?:-a|--auth)"),
    ProgramOptions(_called("mongo(?:sh|dump|restore|export|import)?"), "-p"),
    ProgramOptions(_called("ldap(?:search|add|modify|delete|whoami|passwd)"), "-w"),
    ProgramOptions(_called("lftp"), "(?:-u|--user)", r"""["']?[^\s,"']+,"""),
    ProgramOptions(_called("smbclient"), "(?:-U|--user)", r"""["']?[^\s%"']+%"""),
    ProgramOptions(_called("zip|unzip"), "-P"),
)


def hidden_options(text: str) -> str:
    """The text of commands without these secrets."""
    for one in _COMPILED:
        text = one.hidden(text)
    return text


def programs_of(text: str) -> frozenset[int]:
    """Places in `PROGRAMS` of those that it calls."""
    return frozenset(place for place, one in enumerate(PROGRAMS) if one.programs.search(text))


def hidden_option(programs: frozenset[int], option: str, value: str) -> str | None:
    """An argument of these programs, behind another one, with its secret hidden. None: there is none in it."""
    for place in sorted(programs):
        if (found := PROGRAMS[place].of_words(option, value)) is not None:
            return found
    return None


class _Compiled:
    def __init__(self, one: ProgramOptions) -> None:
        self._command = re.compile(rf"(?P<program>{one.programs.pattern}){_COMMAND}", re.DOTALL)
        self._option = one.pattern

    def hidden(self, text: str) -> str:
        return self._command.sub(lambda found: found["program"] + self._option.sub(_hidden, found["rest"]), text)


def _hidden(found: re.Match[str]) -> str:
    return found[0] if _REFERENCE.fullmatch(found["value"]) else f"{found['option']}{MASK}"


_COMPILED = tuple(_Compiled(one) for one in PROGRAMS)
