"""Lists of models: asked of the provider through the credential, of a server in the providers' own words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from ai_lab import SECRET, AiLab
from loopback import reply

from jackfield.api.credentials import Credentials
from jackfield.api.http_client import Authorization
from jackfield.api.nodes import NodeCatalog, NodeError
from jackfield.api.nodes.lists import ListQuestion, LoadedPage, listing_node
from jackfield.api.nodes.ui import Ui
from jackfield_ai.models.listing import LISTINGS
from jackfield_ai.models.providers import PROVIDERS

OPEN_AI = {"object": "list", "data": [{"id": "gpt-5"}, {"id": "text-embedding-3-small"}, {"id": "gpt-4.1"}]}
ANTHROPIC = {"data": [{"type": "model", "id": "claude-opus-4-5", "display_name": "Claude Opus 4.5"}], "has_more": False}
GEMINI = {
    "models": [
        {"name": "models/gemini-3", "displayName": "Gemini 3", "supportedGenerationMethods": ["generateContent"]},
        {"name": "models/embed-1", "displayName": "Embed 1", "supportedGenerationMethods": ["embedContent"]},
    ]
}
OLLAMA = {"models": [{"name": "qwen3:8b", "size": 1}, {"name": "llama3.2:latest", "size": 2}]}


class Access:
    """The one credential that was chosen."""

    def __init__(self, lab: AiLab, kind: str) -> None:
        self._credentials, self._kind = lab.context.port(Credentials), kind

    async def credential(self, kind: str) -> Mapping[str, str]:
        return await self._credentials.values(self._kind, kind)

    async def authorization(self, kind: str) -> Authorization:
        return await self._credentials.authorization(self._kind, kind)


async def asked(lab: AiLab, node: str, kind: str, answer: Any, status: str = "200 OK", **more: Any) -> LoadedPage:
    await lab.credential(kind)
    lab.says.append(reply(answer, status=status))
    found = listing_node(lab.context.port(NodeCatalog).find(node))
    assert found is not None
    page = await found.listed(ListQuestion("models", None, credential=kind, **more), Access(lab, kind))
    assert page is not None
    return page


@pytest.mark.parametrize(
    ("node", "kind", "answer", "path", "rows"),
    [
        ("lmChatOpenAi", "openAiApi", OPEN_AI, "/v1/models",
         [("gpt-4.1", "gpt-4.1"), ("gpt-5", "gpt-5"), ("text-embedding-3-small", "text-embedding-3-small")]),
        ("embeddingsOpenAi", "openAiApi", OPEN_AI, "/v1/models",
         [("text-embedding-3-small", "text-embedding-3-small")]),
        ("lmChatAnthropic", "anthropicApi", ANTHROPIC, "/v1/models?limit=1000",
         [("claude-opus-4-5", "Claude Opus 4.5")]),
        ("anthropic", "anthropicApi", ANTHROPIC, "/v1/models?limit=1000", [("claude-opus-4-5", "Claude Opus 4.5")]),
        ("lmChatGoogleGemini", "googlePalmApi", GEMINI, "/v1beta/models?pageSize=1000",
         [("models/gemini-3", "Gemini 3")]),
        ("embeddingsGoogleGemini", "googlePalmApi", GEMINI, "/v1beta/models?pageSize=1000",
         [("models/embed-1", "Embed 1")]),
        ("lmChatOllama", "ollamaApi", OLLAMA, "/api/tags",
         [("llama3.2:latest", "llama3.2:latest"), ("qwen3:8b", "qwen3:8b")]),
        ("openAi", "openAiApi", OPEN_AI, "/v1/models",
         [("gpt-4.1", "gpt-4.1"), ("gpt-5", "gpt-5"), ("text-embedding-3-small", "text-embedding-3-small")]),
    ],
)  # fmt: skip
async def test_a_provider_lists_its_models(
    lab: AiLab, node: str, kind: str, answer: Any, path: str, rows: list[tuple[str, str]]
) -> None:
    page = await asked(lab, f"langchain.{node}", kind, answer)
    assert [(row.value, row.label) for row in page.rows] == rows
    (seen,) = lab.server.seen
    assert seen.target == path
    assert SECRET in str(seen.headers)


async def test_of_openais_own_server_come_models_that_write() -> None:
    found = LISTINGS["openAiApi"].rows({"data": [{"id": "gpt-5"}, {"id": "tts-1"}]}, "api.openai.com", False)
    assert [row.value for row in found] == ["gpt-5"]


async def test_many_models_come_page_by_page_and_are_searched(lab: AiLab) -> None:
    many = {"data": [{"id": f"m{number:02d}", "name": f"Model {number:02d}"} for number in range(25)]}
    page = await asked(lab, "langchain.lmChatOpenRouter", "openRouterApi", many, limit=10, cursor="10")
    assert (page.rows[0].value, len(page.rows), page.cursor) == ("m10", 10, "20")
    page = await asked(lab, "langchain.lmChatOpenRouter", "openRouterApi", many, limit=10, search="MODEL 2")
    assert ([row.value for row in page.rows], page.cursor) == (["m20", "m21", "m22", "m23", "m24"], "")


async def test_the_nodes_own_address_is_asked(lab: AiLab) -> None:
    values = {"options": {"baseURL": lab.server.url("/other/v1")}}
    await asked(lab, "langchain.lmChatOpenAi", "openAiApi", OPEN_AI, values=values)
    assert lab.server.seen[0].target == "/other/v1/models"


async def test_what_the_provider_refuses_is_told_without_the_key(lab: AiLab) -> None:
    refusal = {"error": {"message": f"Incorrect API key provided: {SECRET}"}}
    with pytest.raises(NodeError, match="answered 401: Incorrect API key provided") as told:
        await asked(lab, "langchain.lmChatOpenAi", "openAiApi", refusal, "401 Unauthorized")
    assert SECRET not in told.value.message


def test_every_provider_but_azure_has_a_list_and_offers_it() -> None:
    assert {one.credential for one in PROVIDERS} - LISTINGS.keys() == {"azureOpenAiApi"}
    for one in PROVIDERS:
        fields = one.parameters.ui_fields
        assert isinstance(shown := fields["model"], Ui)
        assert (shown.load is not None) is (one.credential in LISTINGS)
