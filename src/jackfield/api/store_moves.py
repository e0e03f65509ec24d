"""How a store lets itself be copied to another one, of the same kind or another: `jackfield store copy`.

Both sides speak in the forms of `store_forms`, so that no store knows another. All of this blocks, and runs while no
daemon uses either store.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, runtime_checkable

from .store_forms import Cell, Row, StoreForm


class TableReader(Protocol):
    """An open store that nobody else changes."""

    identity: str
    """Says which store it is: another one never has the same."""

    def rows(self, form: StoreForm, after: Sequence[Cell] | None) -> Iterator[Row]:
        """In the order of their keys, behind this key; None: all. One read at a time; close the iterator when you leave
        it early. No more than a few rows are in memory. Raises `StoreUnavailable`."""

    def expect_alone(self) -> None:
        """Nobody has changed the store since it was opened. Raises `Conflict`, `StoreUnavailable`."""


class TableWriter(Protocol):
    """A store that is being filled. No daemon, of earlier versions either, opens it before `finish`."""

    def notes(self) -> Mapping[str, str]:
        """The notes under each name so far, by earlier attempts too."""

    def put(self, form: StoreForm, rows: Sequence[Row], name: str, note: str) -> None:
        """Add rows and note this text under the name, both or neither. Tables of a `rows_form` are made with the
        first call, also of no rows. Raises `StoreUnavailable`; then nobody knows whether both were done."""

    def rows(self, form: StoreForm, after: Sequence[Cell] | None) -> Iterator[Row]:
        """As `TableReader`."""

    def finish(self) -> None:
        """All of it is there: from now on it is a store like every other. Raises `StoreUnavailable`."""


@runtime_checkable
class MovableStore(Protocol):
    """Asked with `isinstance(store, MovableStore)`. None of these needs the store to be open."""

    @property
    def place(self) -> str:
        """Where it is, for people, without a secret. Two stores of one place are one store."""

    def reading(self) -> AbstractContextManager[TableReader]:
        """The store, whose schema is that of this version. Until the end no daemon can start on it. Raises
        `ConfigurationError`, also while a daemon uses it, and `StoreUnavailable`."""

    def filling(self) -> AbstractContextManager[TableWriter]:
        """The store when it is empty or not there, or a copy that has begun and not ended. Nobody else can fill it
        until the end. Raises `Conflict` for one that holds something else, `ConfigurationError`,
        `StoreUnavailable`."""

    def discard_unfinished(self) -> None:
        """Delete a copy that has not ended. Raises `Conflict` for everything else."""


UNFINISHED = 1_000_000
"""Added to the number of a schema while a copy fills it: versions of before take it for a newer one and refuse it."""


def unfinished_told(place: str) -> str:
    """Why a daemon does not start on a copy that has not ended."""
    return (
        f"{place} is a copy of a store that has not ended. Run `jackfield store copy` to it again, which goes on where "
        "it was, or with --restart. Until then set `store.name` and its settings to the store that it is copied from."
    )
