"""The questions that conditions ask JavaScript, in one call before they are evaluated: regular expressions, and dates
of unusual forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from typing import Literal, NamedTuple, TypeAlias

_FLAGS = re.compile(r"/(.*?)/([gimusy]*)")
_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{3})?)?(?:Z|[+-]\d\d:\d\d)", re.ASCII)
"""Dates that Python reads exactly as JavaScript does."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_LOCAL = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{3})?)?)?", re.ASCII)


class RegexQuestion(NamedTuple):
    """Whether the text matches."""

    pattern: str
    flags: str
    text: str


class DateQuestion(NamedTuple):
    """The Unix milliseconds of a date.

    `reader`: luxon, whose dates without offset are in the workflow's zone, or JavaScript's own Date, whose are in the
    process'.
    """

    text: str
    reader: Literal["luxon", "Date"]


Question: TypeAlias = RegexQuestion | DateQuestion
Answers: TypeAlias = "Mapping[Question, bool | int | None]"
"""None: the pattern is not valid, the text is no date."""


def regex_question(text: str, pattern: str) -> RegexQuestion:
    """`/pattern/flags` gives flags."""
    match = _FLAGS.fullmatch(pattern)
    return RegexQuestion(match[1], match[2], text) if match else RegexQuestion(pattern, "", text)


def plain_date(text: str) -> int | None:
    """The milliseconds of a date in the most frequent form, whoever reads it."""
    if not _ISO.fullmatch(text):
        return None
    try:
        return round(datetime.fromisoformat(text).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


def local_date(text: str, zone: tzinfo) -> int | None:
    """The same of a day, and of a time without offset, in a zone; None where the clock is set on that day."""
    try:
        moment = datetime.fromisoformat(text) if _LOCAL.fullmatch(text) else None
    except ValueError:
        return None
    if moment is None:
        return None
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=zone)
    if day.utcoffset() != day.replace(hour=23, minute=59).utcoffset():
        return None
    return round(moment.replace(tzinfo=zone).timestamp() * 1000)


def unanswered(text: str, reader: Literal["luxon", "Date"], zone: tzinfo) -> Iterator[Question]:
    """The question that a date raises, if any."""
    if date_at_once(text, reader, zone) is None:
        yield DateQuestion(text, reader)


def date_at_once(text: str, reader: Literal["luxon", "Date"], zone: tzinfo) -> int | None:
    """The milliseconds of a date that needs no asking."""
    found = plain_date(text)
    if found is None and reader == "Date":
        return local_date(text, UTC) if _DAY.fullmatch(text) else None  # JavaScript's days begin in UTC
    return local_date(text, zone) if found is None else found


def date_of(text: str, reader: Literal["luxon", "Date"], zone: tzinfo, answers: Answers) -> int | None:
    """The milliseconds, None for what is no date."""
    found = date_at_once(text, reader, zone)
    return answers.get(DateQuestion(text, reader)) if found is None else found
