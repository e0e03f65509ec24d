"""Bodies and answers of log streams."""

from __future__ import annotations

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from jackfield.api.schemas import Schema
from jackfield_log_streams.messages import KINDS

_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_SCHEMES = {"syslog": ("udp", "tcp", "tls"), "http": ("http", "https"), "otlp": ("http", "https")}


def _filter(text: str) -> str:
    if text.partition(":")[0] not in KINDS:
        raise ValueError(f"begins with none of {', '.join(KINDS)}")
    return text


Filter = Annotated[str, Field(max_length=100), AfterValidator(_filter)]
HeaderValue = Annotated[str, Field(max_length=4096, pattern=r"^[\x20-\x7e]*$")]


class _StreamBody(Schema):
    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)


class _StreamShown(Schema):
    model_config = ConfigDict(extra="allow", alias_generator=to_camel)


class LogStreamBody(_StreamBody):
    """`address`: `udp://host:514`, `tcp://host:601` or `tls://host:6514` for syslog, an HTTP address for the others.
    `filters`: `audit`, `executions` or `nodes`, or one of them with a name or its beginning, such as `audit:workflow.`.
    `secret`: signs requests over HTTP. `secret`, `headers`: null or absent keeps the current ones."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    kind: Literal["syslog", "http", "otlp"]
    address: Annotated[str, Field(max_length=2000)]
    filters: Annotated[list[Filter], Field(min_length=1, max_length=50)]
    enabled: bool = True
    n8n_names: Annotated[bool, Field(alias="n8nNames")] = False
    facility: Annotated[int, Field(ge=0, le=23)] = 13
    secret: Annotated[str, Field(max_length=1000)] | None = None
    headers: Annotated[dict[str, HeaderValue], Field(max_length=20)] | None = None

    @model_validator(mode="after")
    def _fits(self) -> LogStreamBody:
        try:
            parts = urlsplit(self.address)
            good = parts.scheme in _SCHEMES[self.kind] and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            good = False
        if not good or "@" in parts.netloc:
            raise ValueError(
                f"address: give one of {', '.join(_SCHEMES[self.kind])} with host and port, without a user"
            )
        for name in self.headers or {}:
            if not _HEADER.fullmatch(name):
                raise ValueError("headers: a name has characters that no header may have")
        return self


class LogStreamShown(_StreamShown):
    """`hasSecret`: whether requests are signed. `headers`: their names. `error`: why the last batch of this daemon did
    not go. `cursor`: the number of the last record of the audit log that the receiver has. `here`: whether this daemon
    delivers it."""

    id: str
    name: str
    kind: Literal["syslog", "http", "otlp"]
    address: str
    filters: list[str]
    enabled: bool
    n8n_names: Annotated[bool, Field(alias="n8nNames")]
    facility: int
    has_secret: bool
    headers: list[str]
    created_at: str
    cursor: int
    sent: int
    failures: int
    dropped: int
    lost: int
    error: str
    here: bool


class LogStreamList(_StreamShown):
    data: list[LogStreamShown]
    total: int


class LogStreamTested(_StreamShown):
    """delivered: whether the receiver took the message; over UDP nobody says so."""

    delivered: bool
    error: str
