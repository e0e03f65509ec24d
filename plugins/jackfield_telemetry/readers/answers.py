"""Where a reader puts the answers that it finds: into rows for an import, into entries for whoever asks for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from jackfield.api.telemetry import Bookmark, LogFile, Tokens, UsageEntry

Counts = tuple[int, int, int, int, int]
"""Of tokens, in the order of `Tokens`."""


class Answers(Protocol):
    """The values of a `UsageEntry`, in its order.

    An import makes some hundred thousand of them, so that the parameters stand here and in each class that has it. Of
    the 1.5 us of an answer, a tuple in their place would add 0.06, a record 0.11.
    """

    def add(
        self,
        agent: str,
        answer: str,
        session: str,
        time: int,
        model: str,
        counts: Counts,
        request: str = "",
        copy: bool = False,
        cost: float | None = None,
        tier: str | None = None,
        project: str | None = None,
        provider: str | None = None,
        profile: str | None = None,
        response: str | None = None,
    ) -> None: ...


class AnswerReader(Protocol):
    """A `UsageReader` that makes no entries."""

    def read_into(self, file: LogFile, start: Bookmark, answers: Answers) -> Iterator[Bookmark]:
        """As `UsageReader.read`: at each bookmark, all answers before it have been added. Raises OSError."""


class EntryList:
    """Answers as entries."""

    def __init__(self) -> None:
        self.entries: list[UsageEntry] = []

    def add(
        self,
        agent: str,
        answer: str,
        session: str,
        time: int,
        model: str,
        counts: Counts,
        request: str = "",
        copy: bool = False,
        cost: float | None = None,
        tier: str | None = None,
        project: str | None = None,
        provider: str | None = None,
        profile: str | None = None,
        response: str | None = None,
    ) -> None:
        tokens = Tokens(*counts)
        self.entries.append(
            UsageEntry(
                agent,
                answer,
                session,
                time,
                model,
                tokens,
                request,
                copy,
                cost,
                tier,
                project,
                provider,
                profile,
                response,
            )
        )

    def taken(self) -> list[UsageEntry]:
        """The answers that were added since the last call."""
        entries, self.entries = self.entries, []
        return entries


def add_entry(answers: Answers, entry: UsageEntry) -> None:
    tokens = entry.tokens
    counts = (tokens.input, tokens.output, tokens.cache_creation, tokens.cache_read, tokens.cache_creation_1h)
    answers.add(
        entry.agent,
        entry.answer,
        entry.session_id,
        entry.time_ms,
        entry.model,
        counts,
        entry.request,
        entry.copy,
        entry.cost_usd,
        entry.service_tier,
        entry.project,
        entry.provider,
        entry.profile,
        entry.response_id,
    )
