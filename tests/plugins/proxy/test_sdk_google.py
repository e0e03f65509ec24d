"""Endpoints of Gemini's dialect beside those of conversations, by Google's own client: files, caches, batches and the
like, which belong to the virtual key that has made them."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest
from google import genai
from google.genai import types
from google.genai.errors import ClientError
from google_things import GoogleThings
from proxy_lab import KEY, TOKEN, VIRTUAL, Provider_, Proxy, plan, proxy_of, upstream

from jackfield.api.gateway import CallerPass, StoredObject
from jackfield_proxy.plan import Target

BIG = bytes(range(256)) * 2000
"""Two parts of an upload."""


@dataclass
class Google:
    things: GoogleThings
    provider: Provider_
    proxy: Proxy
    url: str
    anybody: aiohttp.ClientSession
    """Without a credential of its own."""
    held: list[genai.Client]
    """They close what they have made when nobody holds them any more."""

    def client(self, key: str = TOKEN) -> Any:
        """Any: the client's own types differ from version to version."""
        return self.client_of(self.url, key)

    def client_of(self, url: str, key: str) -> Any:
        self.held.append(genai.Client(api_key=key, http_options=_options(url)))
        return self.held[-1].aio


def _options(url: str) -> Any:
    return types.HttpOptions(base_url=url, timeout=10_000, retry_options=types.HttpRetryOptions(attempts=1))


@contextlib.asynccontextmanager
async def google_lab(**more: Any) -> AsyncIterator[Google]:
    things = GoogleThings()
    async with Provider_().serving() as provider:
        provider.answer = things.answer
        made = plan({"north": upstream(provider, family="gemini")}, **more)
        async with proxy_of(made) as proxy, aiohttp.ClientSession(proxy.client._base_url) as anybody:
            lab = Google(things, provider, proxy, str(proxy.client._base_url).rstrip("/"), anybody, [])
            try:
                yield lab
            finally:
                for one in lab.held:
                    await one.aio.aclose()


async def uploaded(client: Any, content: bytes = b"%PDF") -> Any:
    return await client.files.upload(file=io.BytesIO(content), config={"mime_type": "application/pdf"})


CALLS: dict[str, Callable[[Any, Any], Awaitable[object]]] = {
    "file": lambda c, file: c.files.get(name=file.name),
    "file list": lambda c, _: c.files.list(),
    "file removal": lambda c, file: c.files.delete(name=file.name),
    "caches": lambda c, _: c.caches.list(),
    "cache": lambda c, file: c.caches.create(model="gemini-x", config={"contents": [file], "ttl": "60s"}),
    "embedding": lambda c, _: c.models.embed_content(model="e", contents="hi"),
    "count": lambda c, _: c.models.count_tokens(model="gemini-x", contents="hi"),
    "batch": lambda c, file: c.batches.create(model="gemini-x", src=file.name),
    "batch of requests": lambda c, _: c.batches.create(
        model="gemini-x", src=[{"contents": [{"parts": [{"text": "hi"}], "role": "user"}]}]
    ),
    "batches": lambda c, _: c.batches.list(),
    "file store": lambda c, _: c.file_search_stores.create(config={"display_name": "x"}),
    "answer about a file": lambda c, file: c.models.generate_content(model="gemini-x", contents=[file, "what?"]),
}


@pytest.mark.parametrize("call", CALLS)
async def test_an_endpoint_passes_both_ways(call: str) -> None:
    """What Google gets, and what the client reads, are the same without a proxy."""
    async with google_lab() as lab:
        direct = lab.client_of(lab.provider.url, KEY)
        found, asked = [], []
        for client in (direct, lab.client()):
            lab.provider.answer = (things := GoogleThings()).answer
            things.at_own_host = client is direct
            file = await uploaded(client)
            answer = await CALLS[call](client, file)
            found.append([str(one) async for one in answer] if hasattr(answer, "__aiter__") else _told(answer))
            asked.append([(one.method, one.path.partition("?")[0], one.body) for one in lab.provider.asked])
            lab.provider.asked.clear()
        assert found[0] == found[1]
        assert asked[0] == asked[1]
        assert {one.status for one in lab.proxy.pipe.served} == {200}


def _told(answer: Any) -> object:
    if not hasattr(answer, "model_dump"):
        return answer
    return {name: value for name, value in answer.model_dump().items() if name != "sdk_http_response"}


async def test_a_large_file_comes_whole_and_no_part_of_it_without_the_accounts_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("google.genai._api_client.CHUNK_SIZE", 300_000)
    async with google_lab() as lab:
        client = lab.client()
        file = await uploaded(client, BIG)
        assert lab.things.contents[file.name] == BIG
        assert lab.things.asked == ["POST /upload/v1/files"] * 3
        assert lab.things.credentials == [KEY] * 3
        made = await client.batches.create(model="gemini-x", src=file.name)
        assert await client.files.download(file=f"{made.dest.file_name}") == b'{"key": "a"}\n'


async def test_the_address_of_an_upload_is_the_proxys_and_says_no_credential() -> None:
    begin = {"X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start"}
    async with google_lab() as lab:
        post = lab.anybody.post
        headers = {**begin, "x-goog-api-key": TOKEN, "X-Forwarded-Proto": "https", "Host": "gate.example"}
        async with post("/upload/v1beta/files", json={"file": {}}, headers=headers) as answer:
            given = {name.lower(): value for name, value in answer.headers.items()}
        address = given["x-goog-upload-url"]
        assert address.startswith("https://gate.example/upload/v1beta/files?upload_id=")
        assert "secret" not in str(given)
        assert TOKEN not in str(given)
        query = address.partition("?")[2]
        last = {"X-Goog-Upload-Command": "upload, finalize", "X-Goog-Upload-Offset": "0"}
        for sent, status in ((query, 200), (query, 404), ("upload_id=secret-1", 404)):
            async with post(f"/upload/v1beta/files?{sent}", data=b"x", headers=last) as answer:
                assert answer.status == status, await answer.text()
        async with post("/upload/v1beta/files?uploadType=resumable", headers={"x-goog-api-key": TOKEN}) as answer:
            assert answer.status == 400
        async with post("/upload/v1beta/files", json={}, headers=begin) as answer:
            assert answer.status == 401


async def test_an_alias_counts_for_a_cache_and_for_a_batch() -> None:
    async with google_lab(aliases={"my-*": Target("north", "their-*")}) as lab:
        client = lab.client()
        await client.caches.create(model="my-model", config={"contents": "hi"})
        await client.batches.create(model="my-model", src=[{"contents": [{"parts": [{"text": "hi"}], "role": "user"}]}])
        cache, batch = lab.provider.asked
        assert json.loads(cache.body)["model"] == "models/their-model"
        assert batch.path == "/v1/models/their-model:batchGenerateContent"


async def test_what_no_answer_tells_the_cost_of_is_not_for_a_budget() -> None:
    async with google_lab(budgeted=True) as lab:
        client = lab.client()
        file = await uploaded(client)
        for refused in (
            client.caches.create(model="gemini-x", config={"contents": [file]}),
            client.batches.create(model="gemini-x", src=file.name),
        ):
            with pytest.raises(ClientError, match="No answer tells the cost"):
                await refused


# ------------------------------------------------------------------------------------------------- virtual keys


class Book:
    """As the daemon keeps it: an object belongs to whoever has made it first."""

    def __init__(self, lab: Google) -> None:
        self.made: dict[str, tuple[str, StoredObject]] = {}
        self._pipe, self.client = lab.proxy.pipe, lab.anybody
        self._send, self._pipe.send = self._pipe.send, self._heard  # type: ignore[method-assign]
        self._pipe.objects = self._objects  # type: ignore[method-assign]

    def _heard(self, message: Any) -> None:
        if message.made is not None:
            for one in message.made.objects:
                self.made.setdefault(one.id, (message.made.key, one))
        self._send(message)

    async def _objects(self, seconds: float, key: str, ids: Any) -> Any:
        found = [self.made[one] for one in ids if one in self.made]
        return [one for owner, one in found if owner == key]

    def be(self, key: str) -> None:
        self._pipe.caller = CallerPass(key)


@contextlib.asynccontextmanager
async def keyed() -> AsyncIterator[tuple[Google, Book, Any]]:
    async with google_lab(keys=True) as lab:
        yield lab, Book(lab), lab.client(VIRTUAL)


async def test_what_a_key_has_made_is_its_own() -> None:
    async with keyed() as (lab, book, client):
        book.be("one")
        file = await uploaded(client)
        cache = await client.caches.create(model="gemini-x", config={"contents": [file]})
        batch = await client.batches.create(
            model="gemini-x", src=[{"contents": [{"parts": [{"file_data": {"file_uri": file.uri}}], "role": "user"}]}]
        )
        for made in (file, cache, batch):
            assert made.name in book.made
        assert await client.files.download(file=batch.dest.file_name)
        path, headers = "/v1beta/models/veo:predictLongRunning", {"x-goog-api-key": VIRTUAL}
        async with lab.anybody.post(path, json={"instances": [{"prompt": "cat"}]}, headers=headers) as begun:
            video = types.GenerateVideosOperation(name=(await begun.json())["name"])
        assert video.name in book.made
        assert (await client.operations.get(video)).name == video.name
        assert (await client.models.generate_content(model="gemini-x", contents=[file, "?"])).text == "pong"
        config = {"cached_content": cache.name}
        assert (await client.models.generate_content(model="gemini-x", contents="?", config=config)).text == "pong"

        book.be("other")
        before = len(lab.things.asked)
        for refused in (
            lambda: client.files.get(name=file.name),
            lambda: client.files.delete(name=file.name),
            lambda: client.files.download(file=batch.dest.file_name),
            lambda: client.caches.get(name=cache.name),
            lambda: client.caches.update(name=cache.name, config={"ttl": "9s"}),
            lambda: client.batches.get(name=batch.name),
            lambda: client.batches.cancel(name=batch.name),
            lambda: client.operations.get(video),
            lambda: client.models.generate_content(model="gemini-x", contents=[file, "?"]),
            lambda: client.models.generate_content(model="gemini-x", contents="?", config=config),
            lambda: client.caches.create(model="gemini-x", config={"contents": [file]}),
            lambda: client.batches.create(
                model="gemini-x",
                src=[{"contents": [{"parts": [{"file_data": {"file_uri": file.uri}}], "role": "user"}]}],
            ),
        ):
            with pytest.raises(ClientError) as caught:
                await refused()  # type: ignore[no-untyped-call]
            assert caught.value.code == 404
        assert len(lab.things.asked) == before, "Google is not asked"


async def test_lists_have_what_is_ones_own_on_whatever_page_it_lies() -> None:
    async with keyed() as (_, book, client):
        book.be("other")
        theirs = [(await uploaded(client)).name for _ in range(5)]
        book.be("one")
        assert [one.name async for one in await client.files.list()] == []
        mine = [(await uploaded(client)).name for _ in range(3)]
        assert [one.name async for one in await client.files.list()] == mine
        assert [one.name async for one in await client.batches.list()] == []
        book.be("other")
        assert [one.name async for one in await client.files.list()] == theirs


async def test_a_keys_upload_is_gone_on_with_by_nobody_else() -> None:
    begin = {"X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start", "x-goog-api-key": VIRTUAL}
    last = {"X-Goog-Upload-Command": "upload, finalize", "X-Goog-Upload-Offset": "0"}
    async with keyed() as (_, book, _client):
        async with _client_of(book, "one").post("/upload/v1beta/files", json={"file": {}}, headers=begin) as answer:
            query = answer.headers["x-goog-upload-url"].partition("?")[2]
        path = f"/upload/v1beta/files?{query}"
        for key, status in (("other", 404), ("one", 200)):
            async with _client_of(book, key).post(path, data=b"x", headers=last) as answer:
                assert answer.status == status
        assert [owner for owner, _ in book.made.values()] == ["one"]


def _client_of(book: Book, key: str) -> Any:
    book.be(key)
    return book.client


@pytest.mark.parametrize("spelling", ["inputConfig", "input_config"])
async def test_a_keys_batch_in_a_file_is_refused_as_nobody_can_look_at_it(spelling: str) -> None:
    async with keyed() as (lab, book, client):
        book.be("one")
        file = await uploaded(client)
        inline = {"requests": {"requests": []}}
        batch = {"inputConfig": inline, spelling: {"fileName": file.name}}
        before = len(lab.things.asked)
        path, headers = "/v1beta/models/gemini-x:batchGenerateContent", {"x-goog-api-key": VIRTUAL}
        async with lab.anybody.post(path, json={"batch": batch}, headers=headers) as answer:
            assert answer.status == 403, await answer.text()
        assert len(lab.things.asked) == before


async def test_buckets_of_the_accounts_project_are_no_keys() -> None:
    async with keyed() as (lab, book, _client):
        book.be("one")
        body = json.dumps({"uris": ["gs://bucket/secret.pdf"]})
        headers = {"x-goog-api-key": VIRTUAL, "Content-Type": "application/json"}
        async with lab.anybody.post("/v1beta/files:register", data=body, headers=headers) as answer:
            assert answer.status == 404
        assert not lab.things.asked
