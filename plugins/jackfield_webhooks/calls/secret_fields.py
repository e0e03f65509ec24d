"""Fields of bodies that are named like secrets: `***` for their values, in texts of JSON, XML and parts of forms.

A text may be cut off anywhere, and JSON may stand in a text of JSON. Searching takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import quote_plus, unquote_plus

from jackfield.api.caller_secrets import MASK

STEMS = ("pass", "pwd", "secret", "token", "key", "cookie", "credential", "jwt", "hmac", "signature", "authorization")
"""One of them is in the name, in lower case, of each field that is named like a secret."""
_SECRET_FIELD = re.compile(
    r"authorization|cookie|signature|secret|token|passw|passphrase|passcode|pwd|credential|jwt|hmac"
    r"|(?:api|access|private|auth|client|encryption)[-_]?key|(?:\A|[-_])pass\Z"
)
"""In a field's name, in lower case."""
_ABOUT_SECRETS = re.compile(r"(?:ur[il]|type|expir(?:y|es|ation)(?:[-_]?(?:in|at|on))?)s?$")
"""Ends of names, in lower case, whose values tell of a secret and are none, such as GitHub's `access_tokens_url`."""
_NUMBERS = re.compile(r"secret|passw|passcode|pwd")
"""Numbers are hidden under these names alone: `max_tokens` is none."""
_NAME = re.compile(r"""(?<!\\)(\\{7}|\\{3}|\\|)"((?:[^"\\]|\\{1,8}[^"\\]){1,100})\1"\s*:\s*""")
"""A name of JSON; the backslashes say how deep its text lies in other texts."""
_ESCAPED = re.compile(r"\\{1,8}u([0-9a-fA-F]{4})")
_QUOTE = re.compile(r'(?<!\\)(\\*)"')
_TOKEN = re.compile(r'(?<!\\)(\\*)"|[][{}]')
_COLON = re.compile(r"\s*:")
_OPENING = ("{", "[")
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"-?\d[\d.eE+-]*")
_PART = re.compile(
    r'name=(?:"([^"]{1,100})"|([^"\s;]{1,100})(?=[;\r]))[^\r\n]{0,300}(?:\r\n[^\r\n]{1,300}){0,4}\r\n\r\n(.*?)(?=\r\n--|\Z)',
    re.DOTALL,
)
_ELEMENT = re.compile(r"<([\w:.-]{1,100})(?:\s[^<>]{0,300})?(?<!/)>")
_ATTRIBUTE = re.compile(r"""(?<=\s)([\w:.-]{1,100})\s*=\s*(?:"([^"]+)|'([^']+))""")
_CDATA = "<![CDATA["

Span = tuple[int, int, str]
"""Begin and end of a value in its text, and what stands there instead."""


def names_secret(name: str) -> bool:
    """name: in lower case."""
    return _SECRET_FIELD.search(name) is not None and _ABOUT_SECRETS.search(name) is None


def masked_text(text: str) -> str:
    """With `***` for the values of fields."""
    if '"' in text:
        text = _replaced(text, _members)
    if "name=" in text:
        text = _replaced(text, _parts)
    if "<" in text:
        text = _replaced(text, _elements)
        if text.lstrip("\ufeff \t\r\n").startswith("<"):
            text = _replaced(text, _attributes)
    return text


def masked_form(text: str) -> str:
    """A form in a URL's writing, whose fields may hold JSON."""
    return "&".join(_masked_pair(part) for part in text.split("&"))


def _masked_pair(part: str) -> str:
    raw, equals, value = part.partition("=")
    if not equals:
        return part
    if names_secret(unquote_plus(raw).lower()):
        return f"{raw}={MASK}"
    plain = unquote_plus(value)
    if plain.lstrip()[:1] not in ("{", "[", "<"):
        return part
    kept = masked_text(plain)
    return part if kept == plain else f"{raw}={quote_plus(kept, safe='*')}"


def _replaced(text: str, find: Callable[[str], Iterator[Span]]) -> str:
    parts: list[str] = []
    at = 0
    for begin, end, instead in find(text):
        parts += (text[at:begin], instead)
        at = end
    return "".join([*parts, text[at:]]) if parts else text


def _members(text: str) -> Iterator[Span]:
    """Values of JSON."""
    found, textless, numberless = _NAME.search(text), 0, 0
    while found is not None:
        at, name = found.end(), found[2]
        if "\\" in name:
            name = _ESCAPED.sub(lambda escaped: chr(int(escaped[1], 16)), name)
        name = name.lower()
        if names_secret(name):
            depth, numbers = len(found[1]), _NUMBERS.search(name) is not None
            if text[at : at + 1] not in _OPENING:
                value = _plain_value(text, at, depth, numbers=numbers)
            elif at < (min(textless, numberless) if numbers else textless):
                value = None
            else:
                value, textless = _container(text, at, depth, numbers=numbers)
                numberless = textless if numbers else numberless
            if value is not None:
                yield value
                at = value[1]
        found = _NAME.search(text, at)


def _plain_value(text: str, at: int, depth: int, *, numbers: bool) -> Span | None:
    """The text or number that begins there. depth: backslashes before a quotation mark. numbers: whether numbers are
    secret."""
    mark = "\\" * depth + '"'
    if text.startswith(mark, at):
        begin = at + len(mark)
        end, _ = _end_of_text(text, begin, depth)
        return (begin, end, MASK) if end > begin else None
    number = _NUMBER.match(text, at) if numbers else None
    return (at, number.end(), f"{mark}{MASK}{mark}") if number else None


def _container(text: str, at: int, depth: int, *, numbers: bool) -> tuple[Span | None, int]:
    """The object or list that begins there, and its end; None if it has no secret."""
    mark = "\\" * depth + '"'
    end, has_text, has_number = _end_of_container(text, at, depth)
    is_secret = has_text or (numbers and has_number)
    return ((at, end, f"{mark}{MASK}{mark}") if is_secret else None), end


def _end_of_text(text: str, begin: int, depth: int) -> tuple[int, int]:
    """Where a text ends, and where its last quotation mark does."""
    for mark in _QUOTE.finditer(text, begin):
        run = len(mark[1])
        if _closes(run, depth):
            return mark.end() - 1 - min(run, depth), mark.end()
    return len(text), len(text)


def _closes(run: int, depth: int) -> bool:
    """Whether a quotation mark behind this many backslashes ends a text of this depth, or one around it."""
    while depth:
        if run % 2 == 0:
            return True
        run, depth = run // 2, depth // 2
    return run % 2 == 0


def _end_of_container(text: str, at: int, depth: int) -> tuple[int, bool, bool]:
    """Where an object or a list ends, whether it has a text that is no name, and whether it has a number."""
    level, begin, has_text = 0, at, False
    token = _TOKEN.search(text, at)
    while token is not None:
        at = token.end()
        if token[0][-1] == '"':
            if len(token[1]) < depth:
                at = token.start()
                break
            _, at = _end_of_text(text, at, depth)
            has_text |= _COLON.match(text, at) is None
        else:
            level += 1 if token[0] in _OPENING else -1
            if level == 0:
                break
        token = _TOKEN.search(text, at)
    else:
        at = len(text)
    return at, has_text, _DIGIT.search(text, begin, at) is not None


def _parts(text: str) -> Iterator[Span]:
    """Fields of a form in parts."""
    for part in _PART.finditer(text):
        if part[3] and names_secret((part[1] or part[2]).lower()):
            yield part.start(3), part.end(3), MASK


def _elements(text: str) -> Iterator[Span]:
    """Contents of XML's elements, with all that is in them."""
    unclosed: set[str] = set()
    element = _ELEMENT.search(text)
    while element is not None:
        at, name = element.end(), element[1]
        if names_secret(name.lower()):
            end = -1 if name in unclosed else text.find(f"</{name}", at)
            if end < 0:
                unclosed.add(name)
                is_cut = text.startswith(_CDATA, at) or text.find("<", at) < 0
                end = len(text) if is_cut else at
            if text[at:end].strip():
                yield at, end, MASK
                at = end
        element = _ELEMENT.search(text, at)


def _attributes(text: str) -> Iterator[Span]:
    """Values of XML's attributes."""
    for found in _ATTRIBUTE.finditer(text):
        if names_secret(found[1].lower()):
            group = 2 if found[2] else 3
            yield found.start(group), found.end(group), MASK
