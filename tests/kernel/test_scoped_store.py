"""Every verb of the store is either limited by projects or named as one that is not."""

from __future__ import annotations

import inspect

from jackfield.api.storage import Store
from jackfield.api.storage.files import FileStore
from jackfield.api.storage.ownership import OwnershipStore
from jackfield.core.projects.scoped_store import BY_ID, UNLIMITED, ScopedStore


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
