"""Counts of ended executions by spans of time, which stores keep so that nobody counts rows: what they share of it.

A span is 2**22 ms, about 70 minutes of the time of creation. Ended executions of a span, a workflow, a mode and a
status are one row; open ones are few and counted as they are. A list finds its page by the counts of spans, and looks
at the rows of one span alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .records import record

SPAN_BITS = 22


def span_of(moment: int) -> int:
    """Of a time of creation in Unix ms."""
    return moment >> SPAN_BITS


def last_of(span: int) -> int:
    """The last moment of a span."""
    return (span + 1 << SPAN_BITS) - 1


@record
class Stretch:
    """A span between two moments.

    `first`, `last`: the whole spans of it; None: there is no bound on this side. `edges`: first and last moments of
    what is left of two spans, the newest first. `empty`: there are no whole spans.
    """

    first: int | None
    last: int | None
    edges: Sequence[tuple[int, int]] = ()
    empty: bool = False


def stretch(since: int | None, until: int | None) -> Stretch:
    """since, until: Unix ms, both included; None: unbounded."""
    first = None if since is None else span_of(since - 1) + 1
    last = None if until is None else span_of(until + 1) - 1
    if since is not None and until is not None and span_of(since) == span_of(until):
        whole = first == last == span_of(since)
        return Stretch(first, last) if whole else Stretch(None, None, ((since, until),) if since <= until else (), True)
    edges = []
    if until is not None and last != span_of(until):
        edges.append((span_of(until) << SPAN_BITS, until))
    if since is not None and first != span_of(since):
        edges.append((since, last_of(span_of(since))))
    if first is not None and last is not None and first > last:
        return Stretch(None, None, edges if first == last + 1 else (), True)
    return Stretch(first, last, edges)


@record
class Place:
    """Where a page begins: that many rows behind the newest one that was made by then."""

    until: int
    skipped: int


def place_of(offset: int, spans: Iterable[tuple[int, int]], until: int | None) -> Place | None:
    """spans: of the list's rows, their number in each span, the newest first. until: the list's own bound. None behind
    the last row."""
    left = offset
    for span, count in spans:
        if left < count:
            newest = last_of(span)
            return Place(newest if until is None else min(newest, until), left)
        left -= count
    return None
