"""Which rows of a list are new: by their id, by their time, or by their contents.

A rule keeps what it has seen in a mapping that the caller stores. It never gives a row twice, whatever a service
repeats or however it orders its pages. It gives every row that it meets after the first time, in the order of the list.

- `id`: the ids that were seen. Needs no order and no clock; remembers the newest `most`, and never forgets one that is
  still listed.

- `time`: the latest time that was seen, and the ids at it. Remembers little, and lets a request ask for later rows. A
  row that turns up with an earlier time than the latest one counts as old, unless it is within `overlap` seconds.

- `hash`: as `id`, with the contents of the row in place of its id, so that a changed row is new too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import inf, isfinite
from typing import Literal, TypeAlias

import orjson

from ..jsontext import Json
from ..records import record

Told: TypeAlias = "Callable[[Json], Json]"
"""The part of a row that a rule reads: its id, or its time."""
_MILLISECONDS = 10**11
"""A greater number of a time counts milliseconds."""


@record
class Newness:
    """`id`, `time`: what of a row tells.

    A row without an id is known by its hash, and one without a time is never new by its time. `most`: ids that are
    remembered. `overlap`: seconds before the latest time in which a row may still turn up.
    """

    by: Literal["id", "time", "hash"]
    id: Told
    time: Told | None = None
    most: int = 1000
    overlap: float = 0.0

    def since(self, state: MutableMapping[str, Json]) -> float | None:
        """From when on rows may be new, Unix seconds, as far as a request may ask; None: it cannot say."""
        latest = state.get("latest")
        if self.by != "time" or not isinstance(latest, int | float):
            return None
        return latest - self.overlap

    def is_first(self, state: Mapping[str, Json]) -> bool:
        """Nothing was seen yet, so that nothing is new: also where something else has left a state."""
        return ("latest" if self.by == "time" else "seen") not in state

    def is_known(self, row: Json, state: Mapping[str, Json]) -> bool:
        """Whether it was seen, as far as that is remembered."""
        seen = state.get("at" if self.by == "time" else "seen")
        return isinstance(seen, dict | list) and self._key(row) in seen

    def begin(self, state: MutableMapping[str, Json], now: float) -> None:
        """Rows older than now (Unix seconds) count as seen; only by time."""
        state["latest"], state["at"] = now, {}

    def advance(self, state: MutableMapping[str, Json], moment: float) -> None:
        """Rows older than this (Unix seconds) count as seen from now on, however long nothing came.

        Services list only that much of the past. Only by time.
        """
        latest, at = state.get("latest"), _times(state.get("at"))
        if isinstance(latest, int | float) and latest < moment:
            state["latest"] = moment
            state["at"] = {key: when for key, when in at.items() if when >= moment - self.overlap}

    def new(
        self, rows: Sequence[Json], state: MutableMapping[str, Json], limit: int, now: float = inf
    ) -> tuple[list[Json], bool]:
        """The rows that are new, at most `limit`, and whether there are more of them; `state` changes in place.

        With an empty state nothing is new: what is listed counts as seen. `now`: Unix seconds. A row that has a later
        time, such as a date to come, is new and makes nothing old that comes before it.
        """
        if self.by == "time":
            return self._by_time(rows, state, limit, now)
        return self._by_key(rows, state, limit)

    def _key(self, row: Json) -> str:
        found = None if self.by == "hash" else self.id(row)
        if found is None or found == "":
            return "#" + hashlib.sha256(orjson.dumps(row, option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]
        return found if isinstance(found, str) else orjson.dumps(found, option=orjson.OPT_SORT_KEYS).decode()

    def _by_key(self, rows: Sequence[Json], state: MutableMapping[str, Json], limit: int) -> tuple[list[Json], bool]:
        first = not isinstance(state.get("seen"), list)
        seen = _texts(state.get("seen"))
        known = set(seen)
        keys = list(dict.fromkeys(map(self._key, rows)))
        fresh = set(keys) if first else {key for key in keys if key not in known}
        given = [] if first else _firsts(rows, self._key, fresh)
        # Lists begin with what is newest, as a rule: of too many the last ones come first.
        taken = given[-limit:] if len(given) > limit else given
        left = {key for key, _ in given} - {key for key, _ in taken}
        listed = [key for key in keys if key not in left]
        older = [key for key in seen if key not in set(listed)]
        state["seen"] = [*listed, *older[: max(0, self.most - len(listed))]]
        return [row for _, row in taken], bool(left)

    def _by_time(
        self, rows: Sequence[Json], state: MutableMapping[str, Json], limit: int, now: float
    ) -> tuple[list[Json], bool]:
        latest = state.get("latest")
        first = not isinstance(latest, int | float)
        mark = float(latest) if isinstance(latest, int | float) else 0.0
        seen = _times(state.get("at"))
        timed = {self._key(row): seconds(self.time(row)) if self.time is not None else None for row in rows}
        fresh = {key for key, at in timed.items() if at is not None and key not in seen and at >= mark - self.overlap}
        given = [] if first else _firsts(rows, self._key, fresh)
        taken = given
        if len(given) > limit:
            oldest = {key for key, _ in sorted(given, key=lambda each: timed[each[0]] or 0.0)[:limit]}
            taken = [each for each in given if each[0] in oldest]
        told = (
            {key: at for key, at in timed.items() if at is not None}
            if first
            else {key: timed[key] or 0.0 for key, _ in taken}
        )
        mark = max([mark, *(min(when, now) for when in told.values())])
        at = {key: when for key, when in {**seen, **told}.items() if when >= mark - self.overlap}
        state["latest"] = mark
        state["at"] = {**at}
        return [row for _, row in taken], len(taken) < len(given)


def of_source(state: MutableMapping[str, Json], source: Json) -> None:
    """Begin anew where rows come from another source than before, such as the address of another feed: what is listed
    there is not new. `source`: what tells it.
    """
    if "source" in state and state["source"] != source:
        state.clear()
    state["source"] = source


def _firsts(rows: Sequence[Json], key: Told, fresh: set[str]) -> list[tuple[str, Json]]:
    """Key and row of each that is fresh, once, in the list's order."""
    found: dict[str, Json] = {}
    for row in rows:
        name = str(key(row))
        if name in fresh:
            found.setdefault(name, row)
    return list(found.items())


def _texts(value: Json) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _times(value: Json) -> dict[str, float]:
    listed = value.items() if isinstance(value, dict) else ()
    return {key: float(at) for key, at in listed if isinstance(at, int | float)}


def seconds(value: Json) -> float | None:
    """A time as services write it, as Unix seconds.

    It is a number of seconds or milliseconds (also as text), ISO 8601, or RFC 5322 (`Tue, 10 Jun 2025 04:00:00 GMT`).
    Without a zone it is UTC. None: it is no time.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return _number(float(value))
    if not isinstance(value, str) or not (text := value.strip()):
        return None
    try:
        return _number(float(text))
    except ValueError:
        pass
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, OverflowError):
            continue
    return None


def _number(value: float) -> float | None:
    if not isfinite(value):
        return None
    return value / 1000 if abs(value) > _MILLISECONDS else value
