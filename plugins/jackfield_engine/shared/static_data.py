"""The memory of workflows across executions, by section: `global`, `node:<name>`, `deduplication`.

While node runs use a workflow's memory, they share one copy, so that executions side by side lose no change. It is read
when the first comes and forgotten when the last has gone. A change that another daemon has stored meanwhile stays, key
by key.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, MutableMapping
from typing import Any, TypeAlias

import orjson

from jackfield.api.errors import JackfieldError
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import state
from jackfield.api.storage import Store

Sections: TypeAlias = "dict[str, dict[str, Json]]"
_TRIES = 20
"""Of a write that other daemons were faster than."""
_NONE: Any = object()
"""No value at all, where a value of JSON is compared."""
_NOT_JSON = "The workflow's static data cannot be kept: it is nested too deeply or is not JSON."


@state
class _Shared:
    """One workflow's memory. `stored`: what the store has, as far as is known here, `{}` for nothing; None: it was not
    read. `known`: the same as it stands there, None for nothing. `users`: node runs that hold it."""

    workflow_id: str
    lock: asyncio.Lock
    sections: Sections
    stored: bytes | None = None
    known: bytes | None = None
    users: int = 0


class StaticData:
    """The memories that are in use."""

    def __init__(self, store: Store, limit: int) -> None:
        """limit: bytes of JSON that one workflow's memory may have."""
        self._store = store
        self._limit = limit
        self._shared: dict[str, _Shared] = {}

    async def borrow(self, workflow_id: str) -> Borrowed:
        """Every one that is borrowed is given back. Raises `NodeError` when the store does not answer."""
        shared = self._shared.get(workflow_id)
        if shared is None:
            shared = self._shared[workflow_id] = _Shared(workflow_id, asyncio.Lock(), {})
        shared.users += 1
        try:
            async with shared.lock:
                if shared.stored is None:
                    await self._read(shared)
        except BaseException:
            self._leave(shared)
            raise
        return Borrowed(self, shared)

    async def _read(self, shared: _Shared) -> None:
        try:
            shared.known = await self._store.static_data(shared.workflow_id)
        except JackfieldError as exc:
            raise NodeError(f"The workflow's static data cannot be read: {exc.message}") from None
        shared.stored = shared.known or b"{}"
        shared.sections.update(_sections(shared.stored))

    async def _save(self, shared: _Shared) -> None:
        """Raises `NodeError`; then nothing has changed."""
        async with shared.lock:
            try:
                await self._write(shared)
            except JackfieldError as exc:
                _revert(shared)
                raise NodeError(f"The workflow's static data cannot be stored: {exc.message}") from None
            except NodeError:
                _revert(shared)
                raise

    async def _write(self, shared: _Shared) -> None:
        """Raises `NodeError`, `StoreUnavailable`."""
        for _ in range(_TRIES):
            data = self._encoded(shared.sections)
            if data == shared.stored:
                return
            if await self._store.set_static_data(shared.workflow_id, data, shared.known):
                shared.stored = shared.known = data
                return
            await self._take_over(shared)
        raise NodeError("The workflow's static data cannot be stored: other daemons change it all the time; try again.")

    async def _take_over(self, shared: _Shared) -> None:
        """The changes of another daemon since it was read here; what was changed here too stays as it is here."""
        known = await self._store.static_data(shared.workflow_id)
        given, theirs = _sections(shared.stored or b"{}"), _sections(known or b"{}")
        for name in given.keys() | theirs.keys():
            section = shared.sections.setdefault(name, {})
            take_over(section, given.get(name, {}), theirs.get(name, {}))
        shared.known, shared.stored = known, known or b"{}"

    def _encoded(self, sections: Sections) -> bytes:
        try:
            data: bytes = orjson.dumps({name: section for name, section in sections.items() if section})
        except TypeError:
            raise NodeError(_NOT_JSON) from None
        if len(data) > self._limit:
            raise NodeError(
                f"The workflow's static data has {len(data)} bytes, more than {self._limit}. Keep less in it, or raise "
                "the setting executions.max_static_data."
            )
        return data

    def _leave(self, shared: _Shared) -> None:
        shared.users -= 1
        if not shared.users:
            del self._shared[shared.workflow_id]


class Borrowed:
    """A workflow's memory in the hands of one node run."""

    def __init__(self, data: StaticData, shared: _Shared) -> None:
        self._data = data
        self._shared = shared

    def section(self, name: str) -> dict[str, Json]:
        """The live section, which others see as well."""
        return self._shared.sections.setdefault(name, {})

    async def give_back(self) -> None:
        """Return once what changed is durable. Raises `NodeError`."""
        try:
            await self._data._save(self._shared)
        finally:
            self._data._leave(self._shared)

    def abandon(self) -> None:
        """The node run was interrupted; it runs again. The changes of others to the memory meanwhile stay."""
        self._data._leave(self._shared)


def copied(section: Mapping[str, Json]) -> dict[str, Json]:
    """The section as it is now, for one who changes a copy and merges it back. Raises `NodeError`."""
    try:
        copy: dict[str, Json] = orjson.loads(orjson.dumps(dict(section)))
    except TypeError:
        raise NodeError(_NOT_JSON) from None
    return copy


def merge(section: MutableMapping[str, Json], given: Mapping[str, Json], made: Mapping[str, Json]) -> None:
    """Write into the live section what was changed in a copy of it, key by key. The changes of others to other keys
    meanwhile stay. `given`: the copy as it was. `made`: what it became."""
    for key in given.keys() - made.keys():
        section.pop(key, None)
    for key, value in made.items():
        if key not in given or not _same(given[key], value):
            section[key] = value


def take_over(section: MutableMapping[str, Json], given: Mapping[str, Json], theirs: Mapping[str, Json]) -> None:
    """Write into the live section what others made of what was given, but for what was changed in it since. Of a key
    that both changed, this one's value counts, and of two objects each key. Objects stay the same ones."""
    for key in given.keys() | theirs.keys():
        mine, old, new = section.get(key, _NONE), given.get(key, _NONE), theirs.get(key, _NONE)
        if isinstance(mine, dict) and isinstance(new, dict):
            take_over(mine, old if isinstance(old, dict) else {}, new)
        elif not _alike(old, new) and _alike(mine, old):
            if new is _NONE:
                section.pop(key, None)
            else:
                section[key] = new


def _alike(one: Json, other: Json) -> bool:
    return one is other or (one is not _NONE and other is not _NONE and _same(one, other))


def _same(one: Json, other: Json) -> bool:
    """Python takes `True` for 1, JSON does not."""
    try:
        return one == other and _text(one) == _text(other)
    except TypeError:
        return False


def _text(value: Json) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def _sections(stored: bytes) -> Sections:
    """The store's value; another shape than this module wrote counts as nothing."""
    try:
        found = orjson.loads(stored)
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: section for name, section in found.items() if isinstance(section, dict)}


def _revert(shared: _Shared) -> None:
    """Put back in place what the store has, because others hold the same objects."""
    known = _sections(shared.stored or b"{}")
    for name, section in shared.sections.items():
        section.clear()
        section.update(known.get(name, {}))
