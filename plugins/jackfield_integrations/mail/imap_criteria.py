"""Rules by which mails are searched, in the words of node-imap, as n8n's node takes them: `["UNSEEN", ["SINCE",
"May 20, 2010"], ["!FROM", "me@example.com"], ["OR", "SEEN", ["SUBJECT", "x"]]]`. Source: RFC 3501 section 6.4.4."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from email.utils import parsedate_to_datetime
from typing import TypeAlias, Union

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeError

Criteria: TypeAlias = list[Union[str, int, date, "Criteria"]]
_BARE = frozenset({
    "ALL", "ANSWERED", "DELETED", "DRAFT", "FLAGGED", "NEW", "SEEN", "RECENT", "OLD", "UNANSWERED", "UNDELETED",
    "UNDRAFT", "UNFLAGGED", "UNSEEN",
})  # fmt: skip
_TEXT = frozenset(
    {"BCC", "BODY", "CC", "FROM", "SUBJECT", "TEXT", "TO", "KEYWORD", "UNKEYWORD", "X-GM-RAW", "X-GM-LABELS"}
)
_DATE = frozenset({"BEFORE", "ON", "SENTBEFORE", "SENTON", "SENTSINCE", "SINCE"})
_SIZE = frozenset({"LARGER", "SMALLER"})
_IDS = frozenset({"X-GM-MSGID", "X-GM-THRID"})
_FORMATS = ("%Y-%m-%d", "%B %d, %Y", "%b %d, %Y", "%d-%b-%Y", "%d %B %Y", "%d %b %Y", "%m/%d/%Y", "%Y/%m/%d")
_DEEPEST = 10


def criteria_of(text: str) -> Criteria:
    """Of the option `customEmailConfig`. Raises `NodeError`."""
    try:
        given = loads(text.encode())
    except InvalidInput:
        raise NodeError("The option customEmailConfig is not valid JSON.") from None
    if not isinstance(given, list):
        raise NodeError('The option customEmailConfig is no list of rules, such as ["UNSEEN"].')
    return [part for rule in given for part in _rule(rule, 0)] or ["ALL"]


def _rule(rule: Json, depth: int) -> Criteria:
    if isinstance(rule, str):
        words: Sequence[Json] = [rule]
    elif isinstance(rule, list) and rule and isinstance(rule[0], str) and depth < _DEEPEST:
        words = rule
    else:
        raise NodeError(f"The rule {rule!r} of the option customEmailConfig is not known.")
    name = str(words[0]).upper()
    negated = name.startswith("!")
    name, values = name.lstrip("!"), list(words[1:])
    return [*(["NOT"] if negated else []), name, *_values(name, values, depth)]


def _values(name: str, values: list[Json], depth: int) -> Criteria:
    if name in _BARE and not values:
        return []
    if name == "OR" and len(values) == 2:
        return [_rule(values[0], depth + 1), _rule(values[1], depth + 1)]
    if name == "HEADER" and len(values) in (1, 2):
        return [str(values[0]), str(values[1]) if len(values) == 2 else ""]
    if name == "UID" and values:
        return [",".join(str(one) for one in values)]
    if len(values) == 1:
        if name in _TEXT:
            return [str(values[0])]
        if name in _DATE:
            return [_date(values[0])]
        if name in _SIZE | _IDS:
            return [_number(name, values[0])]
    raise NodeError(f"The rule {name} of the option customEmailConfig is not known, or lacks its value.")


def _number(name: str, value: Json) -> int:
    try:
        return int(str(value))
    except ValueError:
        raise NodeError(f"The rule {name} of the option customEmailConfig needs a whole number.") from None


def _date(value: Json) -> date:
    """Any of the spellings that people and JavaScript use."""
    text = str(value).strip()
    for form in _FORMATS:
        try:
            return datetime.strptime(text, form).date()  # noqa: DTZ007 - IMAP's dates have no zone
        except ValueError:
            continue
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(text).date()
    except ValueError:
        raise NodeError(f"{text} in the option customEmailConfig is no date.") from None
