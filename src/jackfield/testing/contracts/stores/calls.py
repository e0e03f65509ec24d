"""Calls and deliveries: what holds for every store."""

from __future__ import annotations

import asyncio

import pytest

from jackfield.api.errors import Conflict
from jackfield.api.records import replace
from jackfield.api.storage import (
    CallUpdate,
    Delivery,
    Store,
    StoredAnswer,
    StoredCall,
    StoredDelivery,
    WebhookStats,
)

from .rows import FOREVER, call, calls, ended, new, rows


class StoreCallsContract:
    """Calls and deliveries: subclass it and give the fixture `store`, an open and empty `Store`."""

    async def test_a_rejected_call_counts_as_rejected(self, store: Store) -> None:
        await store.add_call(call("c", 500, status="rejected", response_status=401, body="", duration_ms=1))
        await store.count_calls("h", 3, 900, "rejected")
        await store.count_calls("h", 2, 800)
        await asyncio.gather(store.count_calls("h", 1, 100), store.count_calls("other", 1, 5))
        assert await store.webhook_stats("h") == WebhookStats(7, 0, 0, 4, 900)
        assert await calls(store) == [
            StoredCall("c", "h", None, 500, "POST", {"x-a": "1"}, "", False, "rejected", 401, "", False, 1)
        ]

    @pytest.mark.parametrize("wait", [True, False], ids=["apart", "together"])
    @pytest.mark.parametrize(
        ("first", "second", "kept", "counted"),
        [
            ("success", "failed", "success", (1, 1, 0)),
            ("failed", "success", "failed", (1, 0, 1)),
            ("timeout", "success", "timeout", (1, 0, 1)),
            ("timeout", None, "timeout", (1, 0, 1)),
            (None, None, "pending", (1, 0, 0)),
            (None, "failed", "failed", (1, 0, 1)),
        ],
    )
    async def test_the_first_final_status_counts(
        self, store: Store, wait: bool, first: str, second: str, kept: str, counted: tuple[int, int, int]
    ) -> None:
        futures = [
            store.add_execution(new("e", call=call("c"))),
            store.update_call(CallUpdate("c", "h", first, 504, "late")),  # type: ignore[arg-type]
            store.finish_execution(ended("e", call=CallUpdate("c", "h", second, duration_ms=9))),  # type: ignore[arg-type]
        ]
        for future in futures if wait else ():
            await future
        await asyncio.gather(*futures)
        (found,) = await calls(store)
        assert (found.status, found.response_status, found.response_body, found.duration_ms) == (kept, 504, "late", 9)
        assert await store.webhook_stats("h") == WebhookStats(*counted, last_call=1000)

    async def test_an_update_of_both_kinds_in_one_batch(self, store: Store) -> None:
        await store.add_execution(new("e", call=call("c")))
        await asyncio.gather(
            store.update_call(CallUpdate("c", "h", "success", 200, "a", True, 1)),
            store.update_call(CallUpdate("c", "h", "failed")),
            store.update_call(CallUpdate("unknown", "h", "failed")),
            store.update_call(CallUpdate("c", "other", "failed")),
        )
        (found,) = await calls(store)
        assert (found.status, found.response_body, found.response_truncated) == ("success", "a", True)
        assert await store.webhook_stats("h") == WebhookStats(1, 1, 0, 0, 1000)
        assert await store.webhook_stats("other") == WebhookStats()

    async def test_calls_are_listed_newest_first_and_filtered(self, store: Store) -> None:
        for n in range(5):
            status = "rejected" if n % 2 else "pending"
            await store.add_call(call(f"c{n}", 1000 + n, status=status))
        await store.add_call(call("other", webhook="h2"))
        page = await store.calls("h", status=None, offset=1, limit=2)
        assert ([each.id for each in page.rows], page.total) == (["c3", "c2"], 5)
        assert [each.id for each in await calls(store, status="rejected")] == ["c3", "c1"]
        assert await calls(store, status="nope") == []

    @pytest.mark.parametrize("text", ["nul\x00\x00inside", "\x00", "a\ud800b", "ü" * 40_000])
    async def test_odd_texts_break_nothing(self, store: Store, text: str) -> None:
        await asyncio.gather(
            store.add_execution(new("a", call=call("c-a"))),
            store.add_execution(new("b", call=call("c-b", body=text), delivery=Delivery("h", text, 9000))),
            store.update_call(CallUpdate("c-a", "h", "failed", 500, text)),
            store.add_call(call("c-c", body=text)),
        )
        wanted = text.replace("\ud800", "?")
        assert {each.id: (each.body, each.response_body) for each in await calls(store)} in (
            {"c-a": ("body", wanted), "c-b": (wanted, ""), "c-c": (wanted, "")},
            {"c-a": ("body", text), "c-b": (text, ""), "c-c": (text, "")},
        )
        assert await store.delivery("h", text, 1) == StoredDelivery("b", None)

    @pytest.mark.parametrize(
        "body", [b'{"a":"\xc3\xbc"}', b'{"a":"\xc3\xbc"}' * 2000, b"{}"], ids=["short", "long", "empty"]
    )
    async def test_a_body_that_stands_in_the_input_outlives_it(self, store: Store, body: bytes) -> None:
        given, at = b'{"items":[' + body + b"]}", 10
        places = {"whole": ((at, len(body)),), "masked": ((at, 1), (at + len(body) - 1, 1))}
        wanted = {"whole": body.decode(), "masked": "{***}", "own": "text"}
        for ident, call_places in places.items():
            kept = call(ident, body="", places=call_places)
            await store.add_execution(new(f"e-{ident}", input=given, call=kept), ended(f"e-{ident}"))
        await store.add_execution(new("e-own", call=call("own", body="text")), ended("e-own"))
        assert {each.id: each.body for each in await calls(store)} == wanted
        assert await store.delete_execution("e-whole")
        assert {each.id: each.body for each in await calls(store)} == wanted
        assert await store.prune(replace(FOREVER, executions_keep=0)) == 2
        assert {each.id: each.body for each in await calls(store)} == wanted
        assert await rows(store) == []

    async def test_an_execution_outlives_the_call_whose_body_its_input_has(self, store: Store) -> None:
        given = b'{"items":["' + b"ab" * 1000 + b'"]}'
        await store.add_execution(new("e", input=given, call=call("c", body="", places=((10, 2002),))), ended("e"))
        await store.add_call(call("d", 2000))
        assert await store.prune(replace(FOREVER, calls_keep=1)) == 1
        assert [(each.id, each.body) for each in await calls(store)] == [("d", "body")]
        found = await store.execution("e")
        assert found is not None
        assert found.input == given
        assert await store.delete_execution("e")

    async def test_a_body_outlives_an_execution_that_is_not_saved(self, store: Store) -> None:
        forgotten = ended("e", forget_at=5000)
        await store.add_execution(new("e", input=b'{"a":[1]}', call=call("c", body="", places=((5, 3),))), forgotten)
        assert await store.prune(replace(FOREVER, now=6000)) == 1
        assert [each.body for each in await calls(store)] == ["[1]"]

    @pytest.mark.parametrize("texts", [["x" * 3000, "y" * 300], ["x" * 3000, "y"], ["x" * 3000, ""], ["", "ü" * 400]])
    @pytest.mark.parametrize("wait", [True, False], ids=["apart", "together"])
    async def test_the_last_answer_counts_however_long_it_is(self, store: Store, texts: list[str], wait: bool) -> None:
        futures = [store.add_execution(new("e", call=call("c", response_body="at once" * 100)))]
        futures += [store.update_call(CallUpdate("c", "h", None, 200, text)) for text in texts]
        for future in futures if wait else ():
            await future
        await asyncio.gather(*futures)
        assert [each.response_body for each in await calls(store)] == texts[-1:]

    async def test_a_known_delivery_is_a_conflict_and_stores_nothing(self, store: Store) -> None:
        key = Delivery("h", "k", 5000)
        await store.add_execution(new("a", delivery=key))
        with pytest.raises(Conflict):
            await store.add_execution(new("b", delivery=key, call=call("c")))
        assert await store.execution("b") is None
        assert await calls(store) == []
        assert (await store.webhook_stats("h")).total_calls == 0

    async def test_of_deliveries_at_once_one_is_taken(self, store: Store) -> None:
        results = await asyncio.gather(
            *(
                store.add_execution(new(f"e{n}", delivery=Delivery("h", "k", 5000), call=call(f"c{n}")), ended(f"e{n}"))
                for n in range(6)
            ),
            store.add_execution(new("x", delivery=Delivery("h2", "k", 5000))),
            store.add_execution(new("y", delivery=Delivery("h", "k2", 5000))),
            return_exceptions=True,
        )
        assert [isinstance(result, Conflict) for result in results] == [False, *[True] * 5, False, False]
        assert [each.id for each in await calls(store)] == ["c0"]
        assert sorted(row.id for row in await rows(store)) == ["e0", "x", "y"]

    async def test_the_first_answer_is_kept(self, store: Store) -> None:
        key = Delivery("h", "k", 5000)
        await store.add_execution(new("a", delivery=key, call=call("c")))
        assert await store.delivery("h", "k", 1000) == StoredDelivery("a", None)
        answer = StoredAnswer(201, [("content-type", "text/plain"), ("x-a", "1")], b"\x00bytes")
        await store.update_call(CallUpdate("c", "h", "success", 201, "bytes"), (key, answer))
        found = await store.delivery("h", "k", 1000)
        assert found is not None
        assert found.answer is not None
        assert (found.answer.status, found.answer.body) == (201, b"\x00bytes")
        assert list(found.answer.headers) == list(answer.headers)
        await store.update_call(CallUpdate("c", "h"), (key, StoredAnswer(500, [], b"later")))
        assert await store.delivery("h", "k", 1000) == found
        assert await store.delivery("h", "other", 1000) is None
        assert await store.delivery("h2", "k", 1000) is None

    async def test_the_fingerprint_of_the_first_request_stays(self, store: Store) -> None:
        key = Delivery("h", "k", 5000, "first")
        await store.add_execution(new("a", delivery=key))
        with pytest.raises(Conflict):
            await store.add_execution(new("b", delivery=Delivery("h", "k", 5000, "other")))
        await store.update_call(CallUpdate("none", "h"), (key, StoredAnswer(200, [], b"first")))
        found = await store.delivery("h", "k", 1000)
        assert found is not None
        assert (found.execution_id, found.fingerprint) == ("a", "first")
        await store.add_execution(new("c", 5000, delivery=Delivery("h", "k", 9000, "next")))
        assert await store.delivery("h", "k", 5000) == StoredDelivery("c", None, "next")

    async def test_an_expired_delivery_is_free_again(self, store: Store) -> None:
        key = Delivery("h", "k", 5000)
        await store.add_execution(new("a", delivery=key))
        await store.update_call(CallUpdate("none", "h"), (key, StoredAnswer(200, [], b"old")))
        assert await store.delivery("h", "k", 5000) is None
        await store.add_execution(new("b", 5000, delivery=Delivery("h", "k", 9000)))
        assert await store.delivery("h", "k", 5000) == StoredDelivery("b", None)
