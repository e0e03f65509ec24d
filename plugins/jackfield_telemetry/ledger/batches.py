"""Rows of numbers on their way into the ledger, with the names that they refer to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec

from jackfield_telemetry.ledger.schema import SLOT_MS

REQUEST_BITS = 19
REQUEST_MASK = (1 << REQUEST_BITS) - 1
Dim = tuple[int, str, str, str, str, str, str]
Session = tuple[int, str, str, str]
Row = tuple[int, int, int, int, int, int, int, int, int, int, float | None, int]
PlainRow = tuple[int, int, int, int, int, int, int, int, int, int]
"""The fields of a row up to its cost."""
PLAIN = 10
Response = tuple[int, str]
Shares = tuple[Sequence[Sequence[int]], Sequence[tuple[int, ...]], tuple[int, ...], Sequence[Row]]


class EntryBatch(msgspec.Struct, array_like=True):
    """`dims`: (id, agent, provider, profile, model, service tier, source). `sessions`: (id, agent, name, project).
    `plain`: rows of the table `entries` that are their answer's only one and have no cost, `PLAIN` fields of each, one
    after the other. `others`: whole rows. Both are in the order of their keys, and each key is there once. Ids follow
    from the names, so that rows need not be changed any more to be stored. `profiled`: the last field of plain rows.
    `responses`: (key of a row, the provider's id of the answer), where it is known.
    """

    dims: list[Dim]
    sessions: list[Session]
    plain: list[int]
    others: list[Row]
    profiled: bool = False
    responses: list[Response] = []

    def __len__(self) -> int:
        return len(self.plain) // PLAIN + len(self.others)

    def rows(self) -> list[Row]:
        """All, whole."""
        return sorted([*self.others, *_whole(plain_rows(self.plain), self.profiled)], key=_key)

    def answers(self) -> str:
        """Of all its answers the first key that a row of them can have, as an array in JSON."""
        keys = self.plain[::PLAIN]
        keys += {row[0] & ~REQUEST_MASK for row in self.others}
        return str(sorted([key & ~REQUEST_MASK for key in keys]))

    def split(self, known: Collection[int], profiled: bool, together: int) -> Shares:
        """As `jackfield_native.Part.split`: the rows that can be stored as they are, that many together (plain).

        Then the sums by quarter of an hour, their total, and the other rows. `known`: answers of which something is
        stored. `profiled`: whether a row with a profile may be another's twin.
        """
        taken = frozenset(known)
        if profiled and self.profiled:
            free, rest = list[int](), list(plain_rows(self.plain))
        elif taken:
            free, rest = _divided(self.plain, taken)
        else:
            free, rest = self.plain, []
        whole = len(free) - len(free) % (together * PLAIN)
        rest += plain_rows(free[whole:])
        others = sorted([*self.others, *_whole(rest, self.profiled)], key=_key)
        free = free[:whole]
        stored = [free[start : start + together * PLAIN] for start in range(0, whole, together * PLAIN)]
        return stored, _slots(free), _total(free), others


def plain_rows(numbers: Sequence[int]) -> Iterator[PlainRow]:
    return zip(*[iter(numbers)] * PLAIN, strict=True)


def _whole(rows: Iterable[PlainRow], profiled: bool) -> Iterator[Row]:
    return ((*row, None, int(profiled)) for row in rows)


def _key(row: Row) -> int:
    return row[0]


def _divided(numbers: Sequence[int], taken: frozenset[int]) -> tuple[list[int], list[PlainRow]]:
    """Rows of other answers than these, and rows of these."""
    free, rest = list[int](), list[PlainRow]()
    for row in plain_rows(numbers):
        if row[0] & ~REQUEST_MASK in taken:
            rest.append(row)
        else:
            free += row
    return free, rest


def _slots(numbers: Sequence[int]) -> list[tuple[int, ...]]:
    slots: dict[tuple[int, int, int, int], list[int]] = {}
    for _, time, dim, session, step, given, out, written, read, hours in plain_rows(numbers):
        place = (time // SLOT_MS, dim, session, step)
        known = slots.get(place)
        if known is None:
            slots[place] = [1, given, out, written, read, hours, time, time]
            continue
        known[0] += 1
        known[1] += given
        known[2] += out
        known[3] += written
        known[4] += read
        known[5] += hours
        if time < known[6]:
            known[6] = time
        elif time > known[7]:
            known[7] = time
    return [(*place, *slots[place]) for place in sorted(slots)]


def _total(numbers: Sequence[int]) -> tuple[int, ...]:
    """How many rows, and the sum of each of their counts."""
    return len(numbers) // PLAIN, *(sum(numbers[field::PLAIN]) for field in range(5, PLAIN))
