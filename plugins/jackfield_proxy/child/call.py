"""One request of a client, and the request for a provider that is made of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime

from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield_proxy import dialects
from jackfield_proxy.child import conversations, upstreams
from jackfield_proxy.child.rawmodel import with_model
from jackfield_proxy.dialects import fields, names
from jackfield_proxy.dialects.base import Dialect
from jackfield_proxy.dialects.model import DialectName, Request
from jackfield_proxy.dialects.model import Target as ModelTarget
from jackfield_proxy.plan import Target, Upstream
from jackfield_proxy.routing.facts import Facts, facts_of

LONGEST_MODEL = 512
"""Characters of a model's name: it is kept with the record of each request."""


@record
class Outgoing:
    """What is sent. dialect: that the provider answers in; translated: it is not the client's."""

    url: str
    headers: upstreams.Pairs
    body: bytes
    dialect: DialectName
    translated: bool


class Call:
    """One request. value: its body, parsed; pairs: its headers; counts: it asks for a count of tokens only."""

    def __init__(
        self, face: DialectName, body: bytes, pairs: upstreams.Pairs, query: str, *, counts: bool = False
    ) -> None:
        """Raises `ProxyError` 400 for a body that is no JSON object with a model."""
        self.face = face
        self.body = body
        self.pairs = pairs
        self.query = query
        self.counts = counts
        self.value: Mapping[str, Json] = fields.body_object(body)
        self.model = fields.need_text(self.value, "model")
        if len(self.model) > LONGEST_MODEL:
            raise fields.invalid("model", f"may have at most {LONGEST_MODEL} characters")
        self.stream = self.value.get("stream") is True
        self.headers = {key.lower(): _told(value) for key, value in pairs}
        self._parsed: Request | None = None

    @property
    def dialect(self) -> Dialect:
        return dialects.of(self.face)

    @property
    def session(self) -> str:
        """By which the client groups its requests."""
        return conversations.named(self.value, self.headers)

    @property
    def conversation(self) -> str:
        """The same for all requests of a conversation."""
        return conversations.key_of(self.value, self.headers)

    @property
    def parsed(self) -> Request:
        """In the form that is translated. Raises `ProxyError` 400."""
        if self._parsed is None:
            self._parsed = self.dialect.parse_request(self.body)
        return self._parsed

    def facts(self) -> Facts:
        now = datetime.fromtimestamp(time.time()).astimezone()
        return facts_of(self.value, self.headers, now.hour * 60 + now.minute, self.session)

    def for_upstream(self, upstream: Upstream, target: Target, signatures: Mapping[str, str]) -> Outgoing:
        """Raises `ProxyError` 400 for what the provider's dialect cannot say."""
        dialect = upstreams.dialect_of(upstream, self.face)
        # What another provider's answer has left in the conversation must not go out as it is.
        if dialect == self.face and not names.is_mixed(self.body):
            body = self.body if target.model == self.model else with_model(self.body, target.model)
            url = upstreams.address(upstream, dialect, self.query)
            headers = upstreams.passed_headers(self.pairs, upstream)
            if dialect == "anthropic" and "anthropic-version" not in self.headers:
                headers.append(("anthropic-version", upstreams.VERSION))
            return Outgoing(url, headers, body, dialect, False)
        wanted = ModelTarget(
            target.model,
            web_search=upstream.native and dialect != "chat",
            cache_key=upstream.native and upstream.family == "openai",
            cache_prompts=upstream.family == "anthropic",
            signatures=signatures,
        )
        body = dialects.of(dialect).build_request(self.parsed, wanted)
        headers = upstreams.own_headers(upstream, stream=self.stream)
        return Outgoing(upstreams.address(upstream, dialect), headers, body, dialect, True)


def _told(value: str) -> str:
    """Rules, scripts and records get text; bytes of a header that are not UTF-8 pass to the provider alone."""
    return value if value.isascii() else value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
