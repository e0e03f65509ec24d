"""Counts that daemons add up: what holds for every store that several share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from jackfield.api.shared_counts import Counted, SharedCounts

WINDOW = 86_400.0
"""No span ends while a test runs, but for one moment of the day."""


@dataclass
class CountsAlone:
    """counts: open and empty; passes: makes a span of `WINDOW` seconds pass by their clock."""

    counts: SharedCounts
    passes: Callable[[], Awaitable[None]]


class StoreCountsContract:
    """Subclass it and give the fixture `counts_alone`, a `CountsAlone`."""

    async def test_what_daemons_add_is_summed_up_by_key_and_kind(self, counts_alone: CountsAlone) -> None:
        counts = counts_alone.counts
        first = await counts.add_counts("calls", {"b": 2, "a": 1}, WINDOW, 100)
        assert first.counts == {"a": Counted(1, 0), "b": Counted(2, 0)}
        assert 0 <= first.age < WINDOW
        second = await counts.add_counts("calls", {"a": 5}, WINDOW, 100)
        assert (second.span, second.counts) == (first.span, {"a": Counted(6, 0)})
        assert (await counts.add_counts("others", {"a": 1}, WINDOW, 100)).counts == {"a": Counted(1, 0)}
        assert (await counts.add_counts("calls", {}, WINDOW, 100)).counts == {}

    async def test_a_span_is_known_for_one_more(self, counts_alone: CountsAlone) -> None:
        counts = counts_alone.counts
        await counts.add_counts("calls", {"a": 3}, WINDOW, 100)
        await counts_alone.passes()
        assert (await counts.add_counts("calls", {"a": 2}, WINDOW, 100)).counts == {"a": Counted(2, 3)}
        await counts_alone.passes()
        assert (await counts.add_counts("calls", {"a": 1}, WINDOW, 100)).counts == {"a": Counted(1, 2)}

    async def test_of_too_many_the_oldest_go(self, counts_alone: CountsAlone) -> None:
        """Not at once, but in time."""
        counts = counts_alone.counts
        await counts.add_counts("calls", {"old": 1}, WINDOW, 100)
        await counts.add_counts("others", {"old": 1}, WINDOW, 100)
        for number in range(120):
            await counts.add_counts("calls", {f"k{number % 60}": 1}, WINDOW, 20)
        assert (await counts.add_counts("calls", {"old": 1}, WINDOW, 100)).counts == {"old": Counted(1, 0)}
        assert (await counts.add_counts("others", {"old": 1}, WINDOW, 100)).counts == {"old": Counted(2, 0)}
