"""The export of several hosts is one, in either form."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, tzinfo
from pathlib import Path

import pytest

from jackfield.api.asgi import Scope
from jackfield.api.errors import Conflict, JackfieldError
from jackfield.api.hosts import Host, HostUnavailable, OnlyHost
from jackfield.api.storage.ledgers import StoredLedger
from jackfield.testing.context import FakeContext
from jackfield_telemetry.http.exporting import ExportScope, exported_everywhere
from jackfield_telemetry.reports.export import COLUMNS, FORMS, ExportForm, csv_parts, json_parts, told_if_broken
from jackfield_telemetry.reports.queries import UsageFilter

PARTS = {"csv": csv_parts, "json": json_parts}


def export(form: str, name: str, count: int, error: JackfieldError | None = None) -> Iterator[bytes]:
    def rows() -> Iterator[Sequence[object]]:
        yield from [(name, *("],[" for _ in COLUMNS[1:]))] * count
        if error is not None:
            raise error

    return told_if_broken(PARTS[form](rows()), FORMS[form].broken)


async def streamed(parts: Iterator[bytes]) -> AsyncGenerator[bytes]:
    """In pieces that end anywhere."""
    for part in parts:
        for at in range(0, len(part), 7):
            yield part[at : at + 7]


class Fleet(OnlyHost):
    """Others with an export each; None: it does not answer."""

    def __init__(self, exports: Mapping[str, Iterator[bytes] | None]) -> None:
        super().__init__(Host("here", "", ["agents"], id="here"))
        self.exports = exports

    @property
    def others(self) -> Sequence[Host]:
        return [Host(name, "", ["agents"], id=name) for name in self.exports]

    @asynccontextmanager
    async def stream(self, host: Host, path: str, scope: Scope) -> AsyncIterator[AsyncIterator[bytes]]:
        found = self.exports[host.name]
        if found is None:
            raise HostUnavailable
        yield streamed(found)


class Told:
    """What hosts have told the store, by ids. names: those that are none of them; inside: see `StoredLedger`."""

    def __init__(self, exports: Mapping[str, Iterator[bytes]], names: Mapping[str, str], inside: Collection[str]):
        self._exports = exports
        self._names = names
        self._inside = inside

    async def exports(
        self, form: ExportForm, where: UsageFilter, zone: tzinfo, answered: Collection[str]
    ) -> AsyncIterator[tuple[StoredLedger, AsyncGenerator[bytes]]]:
        for host, export in self._exports.items():
            if host not in answered:
                yield StoredLedger(host, self._names.get(host, host), 0, host in self._inside), streamed(export)


async def everywhere(
    directory: Path,
    form: str,
    own: Iterator[bytes],
    told: Mapping[str, Iterator[bytes]] | None = None,
    names: Mapping[str, str] | None = None,
    inside: Collection[str] = (),
    scope: Scope | None = None,
    **others: Iterator[bytes] | None,
) -> str:
    fleet = Fleet(others)
    context = FakeContext(directory, ports={"Hosts": fleet, "HostCalls": fleet})
    asked = ExportScope(FORMS[form], UsageFilter(), UTC, "/api/usage/export", scope or {})
    found = exported_everywhere(context, streamed(own), asked, Told(told or {}, names or {}, inside))
    return b"".join([part async for part in found]).decode()


def names(form: str, text: str) -> list[str]:
    """Of the hosts of its rows."""
    rows = json.loads(text)["data"] if form == "json" else csv.DictReader(io.StringIO(text))
    return [row[COLUMNS[0]] for row in rows if not row[COLUMNS[0]].startswith("#")]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("counts", [(2, 1, 3), (0, 1, 0), (0, 0, 0), (1, 0, 2), (300, 0, 700)])
async def test_rows_of_all_hosts_come_once(tmp_path: Path, form: str, counts: Sequence[int]) -> None:
    own, first, second = (export(form, name, count) for name, count in zip("abc", counts, strict=True))
    text = await everywhere(tmp_path, form, own, b=first, c=second)
    assert names(form, text) == [name for name, count in zip("abc", counts, strict=True) for _ in range(count)]
    if form == "json":
        assert json.loads(text)["success"] is True
    else:
        assert text.count(",".join(COLUMNS)) == 1
        assert "#" not in text


@pytest.mark.parametrize("form", FORMS)
async def test_one_that_lacks_rows_says_whose(tmp_path: Path, form: str) -> None:
    own = export(form, "a", 600, Conflict("too many"))
    others = {"b": export(form, "b", 700, Conflict("too many")), "c": None, "d": export(form, "d", 1)}
    text = await everywhere(tmp_path, form, own, **others)
    assert names(form, text) == ["a"] * 500 + ["b"] * 500 + ["d"]
    told = json.loads(text)["error"] if form == "json" else text.splitlines()[-1].partition(": ")[2]
    assert told == "These hosts did not give all of theirs: here, b, c."
    assert "too many" not in text


@pytest.mark.parametrize("form", FORMS)
async def test_what_a_host_has_told_stands_for_one_that_gave_nothing(tmp_path: Path, form: str) -> None:
    """Never beside rows of its own, which may be the same ones."""
    own = export(form, "a", 1)
    told = {name: export(form, f"{name} told", 2) for name in ("here", "b", "c", "d", "gone")}
    others = {"b": export(form, "b", 700, Conflict("too many")), "c": None, "d": export(form, "d", 0)}
    text = await everywhere(tmp_path, form, own, told, **others)
    assert names(form, text) == ["a", *["b"] * 500, "c told", "c told", "gone told", "gone told"]
    assert "did not give all of theirs: b." in text
    text = await everywhere(tmp_path, form, export(form, "a", 0), {"c": export(form, "c told", 0)}, c=None)
    assert names(form, text) == []
    assert "not whole" not in text
    assert "did not give" not in text


async def test_what_is_gone_and_had_its_name_does_not_complete_one_that_broke_off(tmp_path: Path) -> None:
    broken = export("json", "b", 700, Conflict("too many"))
    told = {"old": export("json", "b told", 1)}
    text = await everywhere(tmp_path, "json", export("json", "a", 1), told, {"old": "b"}, b=broken)
    assert names("json", text) == ["a", *["b"] * 500, "b told"]
    assert json.loads(text)["success"] is False
    assert "did not give all of theirs: b." in text


@pytest.mark.parametrize(("scope", "left"), [({}, ["a", "b told"]), ({"jackfield.public_host": True}, ["a"])])
async def test_a_host_that_serves_no_public_host_is_not_told_of_there(
    tmp_path: Path, scope: Scope, left: list[str]
) -> None:
    told = {"b": export("json", "b told", 1)}
    text = await everywhere(tmp_path, "json", export("json", "a", 1), told, inside=["b"], scope=scope, b=None)
    assert names("json", text) == left
    assert ("did not give all of theirs: b." in text) is ("b told" not in left)


async def test_what_cannot_be_read_here_is_no_answer(tmp_path: Path) -> None:
    with pytest.raises(Conflict):
        await everywhere(tmp_path, "json", export("json", "a", 1, Conflict("too many")), b=export("json", "b", 1))


SIGNS = '"},{\\\r\n'
"""What stands between two rows, within a text."""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("left", [0, 60, 5_000, 20_011, 33_333, 39_999])
async def test_a_row_that_breaks_off_is_not_given(tmp_path: Path, form: str, left: int) -> None:
    """Its host dies under way; the rows of others stand behind the last whole one."""
    rows = [(f"b{number}", *(SIGNS for _ in COLUMNS[1:])) for number in range(300)]
    theirs = b"".join(PARTS[form](iter(rows)))

    def broken() -> Iterator[bytes]:
        yield theirs[:left]
        raise HostUnavailable

    text = await everywhere(tmp_path, form, export(form, "a", 1), b=broken(), c=export(form, "c", 1))
    found = names(form, text)
    assert [found[0], found[-1]] == ["a", "c"]
    assert found[1:-1] == [f"b{number}" for number in range(len(found) - 2)]
    assert "did not give all of theirs: b." in text
