"""Entries as they are wanted, put into a ledger by a reader of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from hypothesis import strategies as st

from jackfield.api.telemetry import Bookmark, LogFile, Reading, Tokens, UsageEntry
from jackfield_telemetry.importing.imports import ImportEffort, run_import
from jackfield_telemetry.importing.jobs import LogSource
from jackfield_telemetry.ledger.database import Ledger
from jackfield_telemetry.prices.price_list import PriceTable
from jackfield_telemetry.reports.queries import Pricing

HOUR = 3_600_000
START = 1_767_225_600_000
"""2026-01-01, 00:00 UTC, Unix ms."""
PRICES = {
    "m-one": {"input_cost_per_token": 3e-6, "output_cost_per_token": 15e-6},
    "m-two": {
        "input_cost_per_token": 1e-6,
        "output_cost_per_token": 2e-6,
        "input_cost_per_token_above_200k_tokens": 2e-6,
        "cache_read_input_token_cost": 1e-7,
    },
}
REQUEST, MARGINAL = Pricing(PriceTable(PRICES)), Pricing(PriceTable(PRICES), "marginal")


class Given:
    """A `UsageReader` that has read already."""

    name, version = "given", 1

    def __init__(self, entries: Sequence[UsageEntry]) -> None:
        self._entries = entries

    def directories(self, environment: Mapping[str, str], home: Path) -> Sequence[Path]:
        return []

    def files(self, directory: Path) -> Iterable[LogFile]:
        return [LogFile(directory, str(directory))]

    def read(self, file: LogFile, start: Bookmark) -> Iterator[Reading]:
        yield Reading(self._entries, Bookmark(-1))


def ledger_of(directory: Path, entries: Sequence[UsageEntry]) -> Ledger:
    made = Ledger(directory / "telemetry" / "ledger.db")
    run_import(made, [LogSource(Given(entries), directory)], ImportEffort())
    return made


def entry(number: int, moment: int, tokens: Tokens | None = None, **more: str) -> UsageEntry:
    """moment: Unix ms."""
    of = {"agent": "claude", "session_id": "s1", "model": "m-one", **more}
    return UsageEntry(
        of.pop("agent"), f"a{number}", of.pop("session_id"), moment, of.pop("model"), tokens or Tokens(100, 10), **of
    )


@st.composite
def entries(draw: st.DrawFn, *, most: int = 30) -> list[UsageEntry]:
    """Moments in clusters and with gaps, many exactly on borders of quarters, hours and windows."""
    found, moment = list[UsageEntry](), START
    for number in range(draw(st.integers(0, most))):
        step = draw(
            st.sampled_from([0, 1, HOUR // 4, HOUR, 5 * HOUR - 1, 5 * HOUR, 5 * HOUR + 1, 11 * HOUR, 26 * HOUR])
        )
        moment += step + draw(st.integers(0, 900_000))
        counts = [draw(st.integers(0, 1000)), draw(st.integers(1, 1000)), 0, draw(st.sampled_from([0, 7, 250_000]))]
        of = {
            "agent": draw(st.sampled_from(["claude", "codex"])),
            "model": draw(st.sampled_from(["m-one", "m-two", "unknown"])),
            "session_id": draw(st.sampled_from(["s1", "s2", "s3"])),
            "project": draw(st.sampled_from(["/home/user/demo", "/work/demo", "/work/other"])),
            "profile": draw(st.sampled_from(["", "mine"])),
        }
        found.append(entry(number, moment, Tokens(*counts), **of))
    return found
