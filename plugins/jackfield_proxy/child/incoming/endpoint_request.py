"""A request of an endpoint that is the same with every provider of its dialect, or not there at all.

Such endpoints are files, batches, embeddings, images and the like. It passes through; nothing of it is translated.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from copy import copy

from jackfield.api.dialects import fields
from jackfield.api.dialects.model import DialectError, DialectName, ModelRequest
from jackfield.api.jsontext import Json
from jackfield_proxy.child.incoming import addressing, google_kept, large, references
from jackfield_proxy.child.incoming.client_body import ClientBody
from jackfield_proxy.child.incoming.client_request import (
    NOT_NAMED,
    AllowedOutput,
    ClientRequest,
    UpstreamRequest,
    allowed_output,
    headers_of,
    minute_of_day,
)
from jackfield_proxy.child.incoming.google_kept import BegunUpload
from jackfield_proxy.child.incoming.helpers import HelperProcesses
from jackfield_proxy.child.incoming.raw_model import model_in, with_model
from jackfield_proxy.client_routes import NamedInPath
from jackfield_proxy.plan import ProxyPlan, Target, Upstream
from jackfield_proxy.routing.choosing import Candidate
from jackfield_proxy.routing.request_attributes import RequestAttributes

_BYTES = 4
"""Of a token, about."""
_MODELS = "models/"
"""Before the name of a model in bodies of Gemini's dialect."""
_FREE = re.compile(r"/(?:files|uploads|vector_stores|skills|containers|conversations|moderations)\b|.*/cancel$").match
"""Where a POST without a model costs no tokens."""
_LATER = re.compile(r"/(?:(?:messages/)?batches|evals|fine_tuning|threads|videos)\b").match
"""Where what a POST costs comes after its answer, whatever model the body names beside what is read."""
_NO_IDS = re.compile(r"/(?:completions|embeddings|moderations|rerank)\b").match
"""Where a body names nothing that is kept."""
_FORMS = re.compile(
    r"/(?:files|videos|uploads/[^/]+/parts|containers/[^/]+/files|(?:audio|images|skills)(?:/.+)?)"
).fullmatch
"""Where clients send a file, and a form with it."""
_EVALS = re.compile(r"/evals\b").match
_NO_OUTPUT = re.compile(r"/(?:embeddings|moderations|rerank)\b").match
_COUNTS = re.compile(r"/responses/input_tokens\b").match
_OF_CONVERSATIONS = ("/responses/compact", "/responses/input_tokens")


class EndpointRequest(ClientRequest):
    """`path`: below `/v1`, encoded; of Gemini's the whole. `named`: as of `ClientRequest`. `body`: it has one reading,
    and a stream is for one attempt with one provider.
    """

    def __init__(
        self,
        dialect: DialectName,
        method: str,
        path: str,
        body: bytes | ClientBody,
        pairs: addressing.Pairs,
        query: str,
        helpers: HelperProcesses,
        named: NamedInPath = NOT_NAMED,
    ) -> None:
        self.named = named
        self.dialect, self.method, self.path, self.pairs, self.query = dialect, method, path, pairs, query
        self.helpers = helpers
        self._sent = body
        self.body = body if isinstance(body, bytes) else b""
        self.model = named.model or model_in(self.body).removeprefix(_MODELS if dialect == "gemini" else "")
        self.upload: BegunUpload | None = None
        """Of which this is the rest."""
        self.credential = ""
        """With which the client has come, for the rest of an upload that this begins."""
        self.headers = headers_of(pairs)
        self.stream = self.counts = self.answers = False
        # A request for an earlier answer was counted before; without a model nothing has a price.
        priced = bool(self.model) and (bool(named.model) if dialect == "gemini" else not _COUNTS(path))
        self.spends = method == "POST" and priced
        self.place, told, free = _of_google(path) if dialect == "gemini" else _of_others(path, self.model)
        self.of_one_account = bool(self.place.collection)
        self.uncounted = method == "POST" and not told and not free

    @property
    def asked(self) -> ModelRequest:
        return ModelRequest(self.dialect, self.model)

    @property
    def output(self) -> AllowedOutput:
        """Vectors and the like are none."""
        if _NO_OUTPUT(self.path):
            return AllowedOutput(0)
        return allowed_output(fields.body_object(self.body)) if self.body else AllowedOutput()

    @property
    def session(self) -> str:
        return ""

    @property
    def conversation(self) -> str:
        return ""

    async def references(self) -> Sequence[str]:
        """Raises `DialectError` 400, also for what is no JSON here: a provider may be more lenient."""
        own = [self.place.id] if self.place.id else []
        if not self.body or _NO_IDS(self.path):
            return own
        return [*own, *await large.read(self.helpers, references.of_text, self.body, self.dialect)]

    @property
    def keeps(self) -> bool:
        """An object's own answer names those that the provider has made of it since, such as the results of a batch.

        Deeper values may be a client's own words.
        """
        return self.of_one_account and (self.method == "POST" or (bool(self.place.id) and not self.place.deeper))

    def may_go_to(self, plan: ProxyPlan) -> bool:
        return any(self._is_of(one) for one in plan.upstreams.values())

    @property
    def lists(self) -> bool:
        """It asks what an account keeps."""
        return self.method == "GET" and bool(self.place.collection) and not self.place.id

    @property
    def unread(self) -> bool:
        """Its body may name what nobody has looked at; where a form is due it has contents and no ids."""
        if self.path.startswith(google_kept.UPLOAD):
            return False
        form = self.is_form and self.method == "POST" and _FORMS(self.path) is not None
        return isinstance(self._sent, ClientBody) and not form and not _NO_IDS(self.path)

    @property
    def is_form(self) -> bool:
        return self.headers.get("content-type", "").lower().startswith("multipart/form-data")

    @property
    def draws_answers(self) -> bool:
        """It is an eval of other requests' answers. Raises `DialectError` 400."""
        return _EVALS(self.path) is not None and bool(self.body) and references.draws_answers(self._object)

    @property
    def _object(self) -> Mapping[str, Json]:
        return fields.body_object(self.body)

    def of_page(self, query: str) -> EndpointRequest:
        """The same for another page of a list."""
        made = copy(self)
        made.query = query
        return made

    async def attributes(self) -> RequestAttributes:
        return RequestAttributes(
            self.model,
            tokens=len(self.body) // _BYTES,
            headers=self.headers,
            minute=minute_of_day(int(time.time()) // 60),
            path=self._shown,
            dialect=self.dialect,
            converses=self.path in _OF_CONVERSATIONS,
        )

    def fitting(self, plan: ProxyPlan, found: Sequence[Candidate]) -> Sequence[Candidate]:
        """Those that have such an endpoint; else the first provider of the plan that has, the profile's own before
        others. Raises `DialectError` 404."""
        fitting = [one for one in found if self._is_of(plan.upstreams.get(one.target.provider))]
        if not fitting:
            names = sorted(plan.upstreams, key=lambda name: name != plan.provider)
            reason = "the first provider that speaks the dialect of this endpoint"
            fitting = [
                Candidate(Target(name, self.model), None, reason) for name in names if self._is_of(plan.upstreams[name])
            ][:1]
        if not fitting:
            raise DialectError(
                404,
                f"No provider of this proxy has {self.method} {self._shown}: it passes only to a provider of the "
                f"client's own dialect ({self.dialect}).",
                "not_found_error",
                code="endpoint_unavailable",
            )
        return fitting[:1] if isinstance(self._sent, ClientBody) else fitting

    async def for_upstream(self, upstream: Upstream, target: Target, signatures: Mapping[str, str]) -> UpstreamRequest:
        """Raises `DialectError` for a body that has gone to a provider already."""
        body = self._sent
        headers = addressing.passed_headers(self.pairs, upstream)
        if isinstance(body, ClientBody):
            if body.sent:
                raise DialectError(502, "The body was sent once, and is not kept for another try.")
            headers += [] if body.length is None else [("Content-Length", str(body.length))]
        elif target.model != self.model and not self.named.model:
            model = f"{_MODELS}{target.model}" if self.dialect == "gemini" else target.model
            body = await large.read(self.helpers, with_model, body, model)
        if self.dialect == "anthropic":
            headers = addressing.with_version(headers)
        url = self._address(upstream, target)
        login = addressing.login_of(self.pairs) if upstream.auth == "agent" else ()
        return UpstreamRequest(url, headers, body, self.dialect, False, login, self.method, answers=False)

    def _address(self, upstream: Upstream, target: Target) -> str:
        if self.upload is not None:
            return self.upload.url
        named = target.model if self.dialect != "gemini" or self.named.model else ""
        return addressing.endpoint(upstream, self.dialect, self.path, named, self.query)

    @property
    def _shown(self) -> str:
        return self.path if self.dialect == "gemini" else f"/v1{self.path}"

    def _is_of(self, upstream: Upstream | None) -> bool:
        if upstream is None or upstream.platform:  # clouds have paths for conversations alone
            return False
        return addressing.dialect_of(upstream, self.dialect, "") == self.dialect


def _of_google(path: str) -> tuple[references.StoredPath, bool, bool]:
    """The object that it speaks of, whether its answer tells the cost, and whether it costs nothing."""
    return google_kept.stored_path(path), False, google_kept.is_free(path)


def _of_others(path: str, model: str) -> tuple[references.StoredPath, bool, bool]:
    return references.stored_path(path), bool(model) and not _LATER(path), _FREE(path) is not None
