"""Lists of the models that a provider has, for the fields that choose one.

Sources: the providers' API references of November 2026. `GET /models` of OpenAI and those that speak alike,
`GET /v1/models` of Anthropic and Cohere, `GET /v1beta/models` of Gemini, `GET /api/tags` of Ollama.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from jackfield.api.http_client import HttpCall, Pairs
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.nodes.lists import CredentialAccess, ListQuestion, ListRow, LoadedPage
from jackfield.api.records import record
from jackfield.api.urls import joined
from jackfield_ai.models.client import ProviderClient
from jackfield_ai.models.dialect_models import VERSION
from jackfield_ai.models.form import MODELS
from jackfield_ai.nodes import AiNode
from jackfield_ai.reading import list_at, text_at

_OPEN_AI_HOST = "api.openai.com"
_NO_CHAT = (
    "audio",
    "babbage",
    "dall-e",
    "davinci",
    "embedding",
    "image",
    "moderation",
    "realtime",
    "sora",
    "tts",
    "whisper",
)
"""Within the names of OpenAI's own models that write no texts; its list does not tell them apart."""
_EMBEDS, _WRITES = "embedContent", "generateContent"


@record
class ModelListing:
    """field: of the credential, with the address; path: behind it; rows: of an answer, and of which host it is."""

    field: str
    path: str
    rows: Callable[[dict[str, Json], str, bool], Iterator[ListRow]]
    query: Sequence[tuple[str, str]] = ()
    headers: Sequence[tuple[str, str]] = ()


def _alike(answer: dict[str, Json], host: str, vectors: bool) -> Iterator[ListRow]:
    """Of OpenAI and those that speak alike. vectors: models that make them."""
    for row in list_at(answer, "data"):
        name = text_at(row, "id")
        fits = "embed" in name if vectors else host != _OPEN_AI_HOST or not any(part in name for part in _NO_CHAT)
        if name and fits:
            yield ListRow(name, text_at(row, "name") or text_at(row, "display_name") or name)


def _of_gemini(answer: dict[str, Json], _: str, vectors: bool) -> Iterator[ListRow]:
    wanted = _EMBEDS if vectors else _WRITES
    for row in list_at(answer, "models"):
        name = text_at(row, "name")
        if name and wanted in list_at(row, "supportedGenerationMethods"):
            yield ListRow(name, text_at(row, "displayName") or name)


def _of_ollama(answer: dict[str, Json], _: str, __: bool) -> Iterator[ListRow]:
    names = (text_at(row, "name") for row in list_at(answer, "models"))
    yield from (ListRow(name, name) for name in names if name)


def _of_cohere(answer: dict[str, Json], _: str, vectors: bool) -> Iterator[ListRow]:
    wanted = "embed" if vectors else "chat"
    for row in list_at(answer, "models"):
        name = text_at(row, "name")
        if name and wanted in list_at(row, "endpoints"):
            yield ListRow(name, name)


_ALIKE = ModelListing("url", "/models", _alike)
LISTINGS: Mapping[str, ModelListing] = {
    "anthropicApi": ModelListing("url", "/v1/models", _alike, [("limit", "1000")], [("anthropic-version", VERSION)]),
    "cohereApi": ModelListing("url", "/v1/models", _of_cohere, [("page_size", "1000")]),
    "googlePalmApi": ModelListing("host", "/v1beta/models", _of_gemini, [("pageSize", "1000")]),
    "ollamaApi": ModelListing("baseUrl", "/api/tags", _of_ollama),
    **dict.fromkeys(
        ("deepSeekApi", "groqApi", "mistralCloudApi", "openAiApi", "openRouterApi", "xAiApi"), _ALIKE
    ),
}  # fmt: skip
"""By the kind of the credential."""


class ModelListingNode(AiNode):
    """A node with one credential whose provider lists its models. vectors: the node wants models that make them."""

    vectors = False

    async def listed(self, question: ListQuestion, access: CredentialAccess) -> LoadedPage | None:
        """As `ListingNode.listed`. Raises `NodeError`."""
        if question.name != MODELS:
            return None
        kind = self.description.credentials[0].kind
        listing = LISTINGS.get(kind)
        if listing is None:
            raise NodeError(
                f"{self.description.display_name} has no list of models; give the name of the one you want."
            )
        client = ProviderClient(self._context, access, kind, self.description.display_name, retries=0)
        base = _own_address(question.values) or (await client.values()).get(listing.field, "")
        headers: Pairs = [("accept", "application/json"), *listing.headers]
        url = joined(base, listing.path, without="/v1" if listing.path.startswith("/v1/") else "")
        reply = await client.send(HttpCall("GET", url, [*listing.query], headers, follow="none"))
        if len(reply.body) > question.most_bytes:
            raise NodeError(f"{client.title} gave a list of {len(reply.body)} bytes, more than {question.most_bytes}.")
        rows = listing.rows(client.object_in(reply), urlsplit(url).hostname or "", self.vectors)
        return _page(sorted(rows, key=lambda row: row.label.casefold()), question)


def _own_address(values: Mapping[str, Json]) -> str:
    """Of the node's options, unless an expression gives it."""
    options = values.get("options")
    found = options.get("baseURL") if isinstance(options, dict) else None
    return found if isinstance(found, str) and not found.startswith("=") else ""


def _page(rows: Sequence[ListRow], question: ListQuestion) -> LoadedPage:
    wanted = question.search.casefold()
    fitting = [row for row in rows if wanted in row.label.casefold() or wanted in str(row.value).casefold()]
    start = int(question.cursor) if question.cursor.isdecimal() else 0
    end = start + question.limit
    return LoadedPage(fitting[start:end], str(end) if end < len(fitting) else "")
