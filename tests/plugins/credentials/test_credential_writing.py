"""Credentials from elsewhere, put by a daemon whose lease was lost to another one."""

from __future__ import annotations

from typing import Any

import pytest
from credential_lab import Lab

from jackfield.api.credentials import CredentialValues
from jackfield.api.errors import Conflict
from jackfield.api.storage import Credential
from jackfield_credentials.writing import SealingWriter

OURS = CredentialValues("c", "Ours", "httpBasicAuth", {"user": "a", "password": "b"})
THEIRS = Credential("c", "Theirs", "httpBasicAuth", b"theirs", 5, 5)


def others_write(lab: Lab, *theirs: Credential) -> None:
    """Right behind each read of ours, as long as there is something."""
    read, left = lab.store.credential, list(theirs)

    async def credential(credential_id: str) -> Credential | None:
        found = await read(credential_id)
        if left:
            await lab.store.put_credential(left.pop(0))
        return found

    lab.store.credential = credential  # type: ignore[method-assign]


async def stored(lab: Lab) -> Credential:
    found = await lab.store.credential("c")
    assert found is not None
    return found


@pytest.mark.parametrize("is_there", [False, True])
async def test_it_is_put_in_place_of_what_stands_there_and_not_of_what_stood_there(lab: Lab, is_there: bool) -> None:
    if is_there:
        await lab.store.put_credential(Credential("c", "Before", "httpBasicAuth", b"before", 1, 1))
    others_write(lab, THEIRS)
    await SealingWriter(lab.context).put(OURS)
    found = await stored(lab)
    assert (found.name, found.created_at) == ("Ours", 5)


async def test_another_kind_that_came_meanwhile_stays(lab: Lab) -> None:
    theirs = Credential("c", "Theirs", "jwtAuth", b"theirs", 5, 5)
    others_write(lab, theirs)
    with pytest.raises(Conflict, match="is of the kind jwtAuth"):
        await SealingWriter(lab.context).put(OURS)
    assert await stored(lab) == theirs


async def test_it_gives_up_when_others_change_it_all_the_time(lab: Lab) -> None:
    changes: list[Any] = [Credential("c", f"Theirs {n}", "httpBasicAuth", b"theirs", 5, n) for n in range(9)]
    others_write(lab, *changes)
    with pytest.raises(Conflict, match="meanwhile"):
        await SealingWriter(lab.context).put(OURS)
    assert (await stored(lab)).name.startswith("Theirs")
