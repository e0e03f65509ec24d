"""A daemon that leaves a kind out forgets nothing of it."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from jackfield.api.storage import Entry, Store
from jackfield.testing.context import FakeContext
from jackfield_git.base import Base, BaseBook, next_base
from jackfield_git.comparing import changes, digest
from jackfield_git.settings import GitSettings

FILES = {"workflows/a.json": b"{}\n", "profiles/p.json": b"{}\n"}
DIGESTS = {path: digest(text) for path, text in FILES.items()}


class _OneEntry:
    found: Entry | None = None

    async def entry(self, kind: str, ident: str) -> Entry | None:
        return self.found

    async def put_entry(self, entry: Entry, revision: int | None) -> bool:
        self.found = entry
        return True


async def test_files_of_a_folder_that_is_left_out_stay_in_the_base(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeContext, "store", cast("Store", _OneEntry()))
    context = FakeContext(tmp_path)
    context.tables = [GitSettings()]
    book = BaseBook(context)
    await book.keep(Base("one", DIGESTS))
    base = (await book.base()).within({"workflows"})
    here = {"workflows/a.json": b"{}\n"}
    assert changes(base.files, base.here, here, here) == []
    await book.keep(next_base(base, "two", here, here))
    again = (await book.base()).within({"workflows", "profiles"})
    assert (again.commit, again.files, again.aside) == ("two", DIGESTS, {})
    changed = {**FILES, "profiles/p.json": b"[]\n"}
    assert [each.side for each in changes(again.files, again.here, FILES, changed)] == ["there"]
