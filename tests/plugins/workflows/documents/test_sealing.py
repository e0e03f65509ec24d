"""Sealing: what is taken out comes back to its place, whatever the document looks like."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.errors import ConfigurationError, StoreUnavailable
from jackfield.api.old_documents import OldDocument
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeCatalog, FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_workflows.documents.old_documents import seal_old_documents
from jackfield_workflows.documents.sealing import SEALED, SealedSecrets, taken_of, with_secrets

PLANTED = "planted-3b1d"
_keys = st.sampled_from(["secret", "apiKey", "options", "rows", "text", "0", ""])
_values: Any = st.recursive(
    st.sampled_from([PLANTED, "", None, 7, True, "={{ $json.key }}"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_keys, inner, max_size=3),
    max_leaves=12,
)
_documents = st.fixed_dictionaries(
    {"name": st.text(max_size=5)},
    optional={
        "nodes": st.lists(
            st.fixed_dictionaries({"type": st.just("nobodys"), "parameters": st.dictionaries(_keys, _values)})
            | st.sampled_from(["odd", None]),
            max_size=3,
        )
    },
)


def sealing(**ports: object) -> SealedSecrets:
    return SealedSecrets(FakeContext(Path(), ports={"NodeCatalog": FakeCatalog(), **ports}))


@given(_documents)
def test_what_was_sealed_is_opened_as_it_was(document: dict[str, Any]) -> None:
    async def both() -> None:
        found = sealing()
        sealed = await found.sealed(document)
        assert await found.opened(sealed) == document
        assert (SEALED in sealed) == (sealed != document)
        again = await found.sealed(sealed)
        assert again is sealed

    asyncio.run(both())


async def test_what_is_added_to_a_sealed_document_joins_it() -> None:
    nodes = [{"type": "nobodys", "parameters": {"secret": PLANTED, "password": ""}}]
    found = sealing()
    sealed = await found.sealed({"nodes": nodes})
    sealed["nodes"][0]["parameters"]["password"] = "added-7"  # type: ignore[index, call-overload]
    both = await found.sealed(sealed)
    assert "added-7" not in str(both)
    opened = await found.opened(both)
    assert opened == {"nodes": [{"type": "nobodys", "parameters": {"secret": PLANTED, "password": "added-7"}}]}


@pytest.mark.parametrize("damaged", ["", "no base64!", "c2VhbGVkOg==", "c2VhbGVkOl1bXQ=="])
async def test_what_cannot_be_opened_is_told(damaged: str) -> None:
    with pytest.raises(ConfigurationError, match="master key"):
        await sealing().opened({"nodes": [], SEALED: damaged})


def test_places_that_are_gone_stay_gone() -> None:
    taken = taken_of([[["nodes", "5", "x"], 1], [["nodes", "x"], 1], [["nodes", "0", "y"], 1], [["other"], 1]])
    assert with_secrets({"nodes": [{"x": 2}], SEALED: "x"}, taken) == {"nodes": [{"x": 2}]}


class OldStore(MemoryStore):
    """Has documents in clear; its first answer is that it is busy."""

    def __init__(self, count: int) -> None:
        super().__init__()
        document = {"nodes": [{"type": "nobodys", "parameters": {"secret": PLANTED}}]}
        self.old = [OldDocument(("w", number), document) for number in range(count)]  # type: ignore[arg-type]
        self.done: list[OldDocument] = []
        self.busy = True
        self.wiped = 0

    async def old_documents(self, limit: int) -> list[OldDocument]:
        return self.old[:limit]

    async def all_are_old(self) -> None:
        self.old = [OldDocument(each.key, each.document) for each in self.done]

    async def put_old_documents(self, documents: Any) -> None:
        if self.busy:
            self.busy = False
            raise StoreUnavailable
        self.done += documents
        del self.old[: len(documents)]

    async def wipe(self) -> None:
        self.wiped += 1


async def test_old_documents_are_sealed_whatever_the_store_says_first() -> None:
    store = OldStore(50)
    clock = FakeClock()
    context = FakeContext(Path(), clock=clock, ports={"NodeCatalog": FakeCatalog(), "Store": store})
    work = asyncio.ensure_future(seal_old_documents(context))
    while store.busy:
        await asyncio.sleep(0)
    await clock.advance(60)
    await asyncio.wait_for(work, 20)
    assert (len(store.done), store.old, store.wiped) == (50, [], 1)
    assert PLANTED not in str(store.done)
    assert {each.key for each in store.done} == {("w", number) for number in range(50)}
    await seal_old_documents(context)
    assert store.wiped == 1
