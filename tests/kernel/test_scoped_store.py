"""Every verb of the store is either limited by projects or named as one that is not."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, cast

import pytest

from jackfield.api.auth import Principal
from jackfield.api.errors import Conflict, StoreUnavailable
from jackfield.api.projects import CallerReach, ProjectAccess, Rights, reaching
from jackfield.api.storage import Credential, Store
from jackfield.api.storage.files import FileStore
from jackfield.api.storage.ownership import OwnershipStore
from jackfield.core.projects.forwarding_store import scoped
from jackfield.core.projects.scoped_store import BY_ID, UNLIMITED, ScopedStore
from jackfield.testing.store import MemoryStore


def verbs(port: type) -> set[str]:
    found = {name for kind in port.__mro__ for name, each in vars(kind).items() if inspect.isfunction(each)}
    return {name for name in found if not name.startswith("_")}


LIMITED = {name for name, each in vars(ScopedStore).items() if inspect.isfunction(each) and not name.startswith("_")}


def test_every_verb_of_the_store_says_how_projects_hold_for_it() -> None:
    leases = verbs(OwnershipStore) | verbs(FileStore)
    assert verbs(Store) - leases == LIMITED | set(BY_ID) | UNLIMITED


def test_no_verb_is_said_to_be_both() -> None:
    assert not UNLIMITED & (LIMITED | set(BY_ID))
    assert not LIMITED & set(BY_ID)


class EditorOfA:
    """`ProjectAccess` of somebody who makes new things in the project `a`."""

    in_use = True

    async def rights(self) -> Rights:
        return Rights({"a": "project:editor"}, "a")

    async def changed(self) -> None:
        pass


class LateStore(MemoryStore):
    """Adds a credential, and then something happens to whoever waits for it."""

    then: BaseException | None = None

    async def add_credential(self, credential: Credential) -> None:
        if isinstance(self.then, Conflict):
            raise self.then
        await super().add_credential(credential)
        if self.then is not None:
            raise self.then
        await self.forget_resource("credential", credential.id)  # as a trim of another daemon does just before


@pytest.mark.parametrize(
    ("then", "place"),
    [
        (asyncio.CancelledError(), {"c": "a"}), (StoreUnavailable("It is gone."), {"c": "a"}),
        (Conflict("It is there."), {}), (None, {"c": "a"}),
    ],
    ids=["cancelled", "unavailable", "refused", "trimmed"],
)  # fmt: skip
async def test_what_may_have_been_added_belongs_to_nobody_else(
    then: BaseException | None, place: dict[str, Any]
) -> None:
    store = LateStore()
    store.then = then
    seen = scoped(cast("Store", store), cast("ProjectAccess", EditorOfA()))
    with reaching(CallerReach(Principal("u", "u", "member", "jwt"))):
        adding = seen.add_credential(Credential("c", "C", "k", b"", 1, 1))
        if then is None:
            await adding
        else:
            with pytest.raises(type(then)):
                await adding
    assert await store.placements("credential", ["c"]) == place
