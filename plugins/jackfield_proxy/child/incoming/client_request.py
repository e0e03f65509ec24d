"""One request of a client, and the request for a provider that is made of it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import lru_cache

from jackfield.api import dialects
from jackfield.api.dialects import fields, hosted, names
from jackfield.api.dialects.base import DialectCodec
from jackfield.api.dialects.model import DialectName, ModelRequest, UpstreamModel
from jackfield.api.jsontext import Json
from jackfield.api.records import record, replace
from jackfield_proxy.child.incoming import addressing, conversations, platforms, references
from jackfield_proxy.child.incoming.client_body import ClientBody
from jackfield_proxy.child.incoming.raw_model import require_one_reading, with_model
from jackfield_proxy.client_routes import NamedInPath
from jackfield_proxy.plan import ProxyPlan, Target, Upstream
from jackfield_proxy.routing.choosing import Candidate
from jackfield_proxy.routing.request_attributes import RequestAttributes, attributes_of

NOT_NAMED = NamedInPath()
LONGEST_MODEL = 512
"""Characters of a model's name: it is kept with the record of each request."""


@record
class UpstreamRequest:
    """The request that is sent, but for the provider's credential.

    `dialect`: that the provider answers in. `translated`: it is not the client's. `login`: the agent's own, for a
    provider that keeps none. `answers`: it is answered in the grammar of a conversation. `missing`: hosted tools that
    the client has asked for and this provider does not have.
    """

    url: str
    headers: addressing.Pairs
    body: bytes | ClientBody
    dialect: DialectName
    translated: bool
    login: Sequence[tuple[str, str]] = ()
    method: str = "POST"
    answers: bool = True
    missing: Sequence[str] = ()


@record
class AllowedOutput:
    """The output that a request allows a model. each: tokens of one answer, None: the request does not say; answers:
    how many.
    """

    each: int | None = None
    answers: int = 1

    def tokens(self, otherwise: int) -> int:
        """Of all answers. otherwise: of one where the request does not say."""
        return (otherwise if self.each is None else self.each) * self.answers


_OUTPUTS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens")
_ANSWERS = ("n", "best_of", "candidateCount", "candidate_count")
_GENERATION = ("generationConfig", "generation_config")
"""Where Gemini has them."""
MOST_ANSWERS = 1000
"""Of one request of Chat Completions, which all cost; no provider gives more."""
_PATHS: Mapping[DialectName, str] = {
    "anthropic": "/v1/messages",
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "gemini": "/v1beta/models/{model}:generateContent",
}
_COUNTED: Mapping[DialectName, str] = {
    "anthropic": "/v1/messages/count_tokens",
    "gemini": "/v1beta/models/{model}:countTokens",
}
_NOT_COUNTED = frozenset({"max_tokens", "stream", "temperature", "top_p", "top_k", "stop_sequences", "metadata"})


class ClientRequest:
    """One request. `pairs`: its headers. `counts`: it asks for a count of tokens only. `answers`: as of
    `UpstreamRequest`. `spends`: its answer's usage counts. `uncounted`: it has a cost that no answer tells.
    `of_one_account`: it may speak of objects that a provider keeps for the account of a key.

    Work that takes long with a large body is awaited: see `large`."""

    answers = True
    spends: bool
    uncounted = of_one_account = False
    account = ""
    """A mark of the provider's key that keeps what it speaks of; empty: it is not known, or any does."""

    def __init__(
        self,
        dialect: DialectName,
        body: bytes,
        pairs: addressing.Pairs,
        query: str,
        *,
        counts: bool = False,
        named: NamedInPath = NOT_NAMED,
    ) -> None:
        """named: what the path says in place of the body. Raises `DialectError` 400 for a body that is no JSON object
        with a model, or has two readings."""
        self.dialect = dialect
        self.body = body
        self.pairs = pairs
        self.query = query
        self.counts = counts
        self.spends = not counts
        self._value = fields.body_object(body)
        require_one_reading(body)
        self.named = named
        self.model = named.model or fields.need_text(self._value, "model")
        if len(self.model) > LONGEST_MODEL:
            raise fields.invalid("model", f"may have at most {LONGEST_MODEL} characters")
        self.stream = named.stream if named.model else self._value.get("stream") is True
        self.headers = headers_of(pairs)
        self._session = conversations.named(self._value, self.headers)
        self._parsed: ModelRequest | None = None
        self._asked: ModelRequest | None = None

    @property
    def asked(self) -> ModelRequest:
        """Without the turns, for whoever writes the answer; of a request that could not be parsed what is known."""
        return self._asked or ModelRequest(self.dialect, self.model, stream=self.stream)

    @property
    def output(self) -> AllowedOutput:
        return allowed_output(self._value)

    async def references(self) -> Sequence[str]:
        """Ids of what a provider keeps. Raises `DialectError` 400."""
        return self.references_now()

    def references_now(self) -> Sequence[str]:
        return references.of_body(self._value, self.body, self.dialect)

    @property
    def keeps(self) -> bool:
        """Whether its answer may have ids of what the provider keeps from now on."""
        if self.dialect == "gemini":  # whose answers nobody keeps
            return False
        store = self._value.get("store")
        return store is True if self.dialect == "chat" else store is not False

    @property
    def mixed(self) -> bool:
        """Whether another provider's answer has left marks in the conversation that must not go out as they are."""
        return names.is_mixed(self.body)

    @property
    def codec(self) -> DialectCodec:
        return dialects.of(self.dialect)

    @property
    def session(self) -> str:
        """By which the client groups its requests."""
        return self._session

    @property
    def conversation(self) -> str:
        """The same for all requests of a conversation."""
        return conversations.key_of(self._value, self.headers)

    async def attributes(self) -> RequestAttributes:
        return self.attributes_now()

    async def renamed(self, model: str) -> bytes:
        """The body with another model; of a model that stands in the path, as it is."""
        return self.body if self.named.model else with_model(self.body, model)

    async def translated(self, dialect: DialectName, wanted: UpstreamModel) -> bytes:
        """The body in another dialect. Raises `DialectError` 400."""
        return self.translated_now(dialect, wanted)

    async def counted(self, dialect: DialectName, model: str) -> bytes:
        """The body for a count of tokens in this dialect, one of those that have it. Raises `DialectError` 400."""
        return self.counted_now(dialect, model)

    def translated_now(self, dialect: DialectName, wanted: UpstreamModel) -> bytes:
        if self._parsed is None:
            parsed = self.codec.parse_object(self._value)
            self._parsed = replace(parsed, model=self.model, stream=self.stream) if self.named.model else parsed
            self._asked = replace(self._parsed, turns=())
        return dialects.of(dialect).build_request(self._parsed, wanted)

    def counted_now(self, dialect: DialectName, model: str) -> bytes:
        if self.dialect != dialect:
            body = self.translated_now(dialect, UpstreamModel(model))
        else:
            body = self.body if model == self.model or self.named.model else with_model(self.body, model)
        if self.counts and self.dialect == dialect:
            return body
        if dialect == "gemini":
            return b'{"generateContentRequest":{"model":%b,%b}' % (fields.dumps(f"models/{model}"), body.lstrip()[1:])
        value = fields.body_object(body)  # a request for an answer has fields that a count is refused for
        return fields.dumps({name: part for name, part in value.items() if name not in _NOT_COUNTED})

    def attributes_now(self) -> RequestAttributes:
        minute = minute_of_day(int(time.time()) // 60)
        path = (_COUNTED if self.counts else _PATHS)[self.dialect].replace("{model}", self.model)
        return attributes_of(self._value, self.headers, minute, self.session, path, self.dialect, self.model, self.body)

    def may_go_to(self, plan: ProxyPlan) -> bool:
        """Whether any provider of the plan takes it, translated or as it is."""
        return True

    def fitting(self, plan: ProxyPlan, found: Sequence[Candidate]) -> Sequence[Candidate]:
        """Those that may serve it. Raises `DialectError`: none may."""
        return found

    def known(self, signatures: Mapping[str, str]) -> Mapping[str, str]:
        """Those that the body may need."""
        return signatures

    async def for_upstream(self, upstream: Upstream, target: Target, signatures: Mapping[str, str]) -> UpstreamRequest:
        """Raises `DialectError` 400 for what the provider's dialect cannot say."""
        dialect = addressing.dialect_of(upstream, self.dialect, target.model)
        if dialect == self.dialect and not self.mixed:
            body = self.body if target.model == self.model else await self.renamed(target.model)
            url = addressing.address(
                upstream, dialect, target.model, self.query, stream=self.stream, version=self.named.version
            )
            headers = addressing.passed_headers(self.pairs, upstream)
            if dialect == "anthropic" and "anthropic-version" not in self.headers:
                headers = addressing.with_version(headers)
            if upstream.platform:
                body = platforms.body(upstream, body, self.headers.get("anthropic-beta", ""))
                headers = platforms.headers(upstream, headers)
            login = addressing.login_of(self.pairs) if upstream.auth == "agent" else ()
            return UpstreamRequest(url, headers, body, dialect, False, login)
        wanted = UpstreamModel(
            target.model,
            web_search=upstream.native and dialect != "chat",
            cache_key=upstream.native and upstream.family == "openai",
            cache_prompts=upstream.family == "anthropic",
            cache_marks=upstream.cache_control,
            signatures=self.known(signatures),
        )
        body = await self.translated(dialect, wanted)
        headers = addressing.own_headers(upstream, self.pairs, stream=self.stream)
        url = addressing.address(upstream, dialect, target.model, stream=self.stream)
        if upstream.platform:
            body, headers = platforms.body(upstream, body, ""), platforms.headers(upstream, headers)
        missing = hosted.missing(self.asked.tools, dialect, wanted)
        return UpstreamRequest(url, headers, body, dialect, True, missing=missing)


def allowed_output(body: Mapping[str, Json]) -> AllowedOutput:
    inner = (body.get(name) for name in _GENERATION)
    sources = [body, *(one for one in inner if isinstance(one, dict))]
    found = [one for source in sources for name in _OUTPUTS if type(one := source.get(name)) is int and one > 0]
    counts = [one for source in sources for name in _ANSWERS if type(one := source.get(name)) is int]
    answers = [one for one in counts if 0 < one <= MOST_ANSWERS]
    return AllowedOutput(max(found, default=None), max(answers, default=1))


@lru_cache(1)
def minute_of_day(minute: int) -> int:
    """Of local time. minute: since 1970."""
    now = time.localtime(minute * 60)
    return now.tm_hour * 60 + now.tm_min


def headers_of(pairs: addressing.Pairs) -> Mapping[str, str]:
    """By their names in lower case."""
    return {key.lower(): value if value.isascii() else _told(value) for key, value in pairs}


def _told(value: str) -> str:
    """Rules, scripts and records get text; bytes of a header that are not UTF-8 pass to the provider alone."""
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
