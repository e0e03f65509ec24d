"""Documents of items and files: what n8n's loaders and LangChain.js' splitters (textsplitters 1.0) make of the same."""

from __future__ import annotations

from typing import Any

import pytest
from ai_lab import AiLab, flow, node
from loopback import Seen, reply
from test_ai_retrieval import vector

from jackfield.api.ai import Document
from jackfield.api.nodes import NodeError
from jackfield_ai.retrieval.file_texts import FileReading
from jackfield_ai.retrieval.item_texts import in_pieces
from jackfield_ai.retrieval.loading import documents_of_file
from jackfield_ai.retrieval.splitting import RecursiveSplitter, SeparatorSplitter

TEXT = "one two\nthree four\n\nfive six seven\neight\n\n\nnine ten eleven twelve\nthirteen"
THEIRS: list[tuple[int, int, list[tuple[str, int, int]]]] = [
    (
        20,
        0,
        [("one two\nthree four", 1, 2), ("five six seven", 4, 4), ("eight", 5, 5), ("nine ten eleven", 8, 8),
         ("twelve", 8, 8), ("thirteen", 9, 9)],
    ),
    (
        20,
        8,
        [("one two\nthree four", 1, 2), ("five six seven", 4, 4), ("eight", 5, 5), ("nine ten eleven", 8, 8),
         ("eleven twelve", 8, 8), ("thirteen", 9, 9)],
    ),
    (
        12,
        4,
        [("one two", 1, 1), ("three four", 2, 2), ("five six", 4, 4), ("six seven", 4, 4), ("eight", 5, 5),
         ("nine ten", 8, 8), ("ten eleven", 8, 8), ("twelve", 8, 8), ("thirteen", 9, 9)],
    ),
]  # fmt: skip
"""Size, overlap, pieces with their lines, as LangChain.js gave them for TEXT."""


@pytest.mark.parametrize(("size", "overlap", "theirs"), THEIRS)
def test_pieces_and_lines_are_those_of_langchain(size: int, overlap: int, theirs: Any) -> None:
    found = in_pieces(Document(TEXT, {"source": "blob"}), RecursiveSplitter(size, overlap).split(TEXT))
    lines: list[Any] = [one.metadata["loc"] for one in found]
    assert [(one.text, at["lines"]["from"], at["lines"]["to"]) for one, at in zip(found, lines, strict=True)] == theirs


def test_one_separator_leaves_long_parts_whole() -> None:
    assert SeparatorSplitter(4, 0, "|").split("aa|bb|a long part|c") == ["aa", "bb", "a long part", "c"]
    assert SeparatorSplitter(5, 2, "|").split("aa|bb|cc") == ["aa|bb", "bb|cc"]
    assert SeparatorSplitter(2, 0, "").split("abc") == ["ab", "c"]


def inserting(version: float = 1, **parameters: Any) -> Any:
    insert = node("Insert", "vectorStoreInMemory", {"mode": "insert"}, typeVersion=1.1)
    loader = node("Loader", "documentDefaultDataLoader", parameters, typeVersion=version)
    key = {"openAiApi": {"id": "openAiApi"}}
    embed = node("Embed", "embeddingsOpenAi", {}, typeVersion=1, credentials=key)
    splitter = node("Split", "textSplitterCharacterTextSplitter", {"separator": "|", "chunkSize": 2}, typeVersion=1)
    parts = [
        (embed, "ai_embedding", "Insert"),
        (loader, "ai_document", "Insert"),
        (splitter, "ai_textSplitter", "Loader"),
    ]
    return flow(insert, parts=parts)


async def stored(lab: AiLab, document: Any, *items: Any) -> list[tuple[str, Any]]:
    await lab.credential("openAiApi")

    def answer(seen: Seen) -> bytes:
        return reply({"data": [{"index": n, "embedding": vector(text)} for n, text in enumerate(seen.json["input"])]})

    lab.server.answer = answer
    return [(row["pageContent"], row["metadata"]) for row in await lab.items(document, *items)]


async def test_each_text_of_an_item_is_a_document(lab: AiLab) -> None:
    found = await stored(lab, inserting(), {"a": "x|y", "n": 1, "deep": {"b": ["z"]}})
    source = {"source": "blob", "blobType": "application/json"}
    first = {"lines": {"from": 1, "to": 1}}
    assert found == [
        ("x", {**source, "line": 1, "loc": first}),
        ("y", {**source, "line": 1, "loc": first}),
        ("z", {**source, "line": 2, "loc": first}),
    ]


async def test_a_text_of_the_authors(lab: AiLab) -> None:
    rows = [{"name": "who", "value": "={{ $json.w }}"}]
    options = {"metadata": {"metadataValues": rows}}
    given = {"jsonMode": "expressionData", "options": options}
    found = await stored(lab, inserting(jsonData="={{ $json.t }}", **given), {"t": "aa", "w": "me"})
    loc = {"lines": {"from": 1, "to": 1}}
    assert found == [("aa", {"source": "blob", "blobType": "text/plain", "loc": loc, "who": "me"})]
    found = await stored(lab, inserting(jsonData="={{ $json }}", **given), {"t": "aa", "w": "me"})
    assert [text for text, _ in found] == ["aa", "me"]


async def test_an_attached_splitter_counts_when_it_is_wanted(lab: AiLab) -> None:
    given = {"jsonMode": "expressionData", "jsonData": "aa|bb"}
    assert [text for text, _ in await stored(lab, inserting(1.1, **given), {"x": 1})] == ["aa|bb"]
    given["textSplittingMode"] = "custom"
    assert [text for text, _ in await stored(lab, inserting(1.1, **given), {"x": 1})] == ["aa", "bb"]


def test_files() -> None:
    kept = documents_of_file(b"a,b", "text/plain", FileReading())
    assert kept == [Document("a,b", {"source": "blob", "blobType": "text/plain"})]
    assert [one.text for one in documents_of_file(b'{"a": ["x", "y"]}', "application/json", FileReading())] == [
        "x",
        "y",
    ]
    with pytest.raises(NodeError, match="not valid JSON"):
        documents_of_file(b"{", "application/json; charset=utf-8", FileReading())
