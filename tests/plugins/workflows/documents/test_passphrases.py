"""Exports with secrets: opened by the passphrase alone, at a cost that has a limit."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.errors import InvalidInput
from jackfield.testing.context import FakeCatalog, FakeContext
from jackfield_workflows.documents import passphrases
from jackfield_workflows.documents.passphrases import PassphraseSeal
from jackfield_workflows.documents.sealing import SEALED, is_sealed

PLANTED = "planted-5e7a"
DOCUMENT: Any = {"name": "a", "nodes": [{"type": "nobodys", "parameters": {"secret": PLANTED, "text": "b"}}]}


def seal(passphrase: str) -> PassphraseSeal:
    return PassphraseSeal(FakeContext(Path(), ports={"NodeCatalog": FakeCatalog()}), passphrase)


@pytest.fixture(scope="module")
def sealed() -> Any:
    return seal("a long passphrase").seal(DOCUMENT)


def test_the_passphrase_opens_what_it_sealed(sealed: Any) -> None:
    assert is_sealed(sealed)
    assert PLANTED not in str(sealed)
    assert seal("a long passphrase").open(sealed) == DOCUMENT
    assert seal("a long passphrase").open(DOCUMENT) == DOCUMENT
    plain = {"name": "b", "nodes": []}
    assert seal("a long passphrase").seal(plain) is plain


def test_another_passphrase_does_not(sealed: Any) -> None:
    with pytest.raises(InvalidInput, match="passphrase is not the one"):
        seal("a long passphrasf").open(sealed)


def changed(sealed: Any, **form: Any) -> Any:
    found = copy.deepcopy(sealed)
    found[SEALED].update(form)
    return found


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"data": "AAAA"}, "damaged|passphrase"),
        ({"data": 7}, "damaged"),
        ({"salt": "?"}, "damaged"),
        ({"form": "other"}, "update"),
        ({"n": 2**24}, "512 MiB"),
        ({"n": 2**17 + 1}, "512 MiB"),
        ({"r": 10**9}, "512 MiB"),
        ({"p": 10**6}, "512 MiB"),
        ({"p": True}, "damaged"),
    ],
)
def test_what_was_changed_is_refused_at_no_cost(
    sealed: Any, form: Any, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passphrases.PassphraseSeal, "_key", lambda self, cost: bytes(32))
    with pytest.raises(InvalidInput, match=told):
        seal("a long passphrase").open(changed(sealed, **form))
