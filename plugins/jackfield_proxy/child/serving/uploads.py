"""Uploads to Google that have begun: the address for the rest of one is the proxy's own.

Google gives an address that is a credential by itself, at its own host, and clients send no other with it. In its place
they get one of ours, which is as hard to guess.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Iterable
from urllib.parse import urlencode, urlsplit

from aiohttp import web
from multidict import CIMultiDict

from jackfield.api.dialects.model import DialectError
from jackfield_proxy.child.incoming import google_kept
from jackfield_proxy.child.incoming.google_kept import BegunUpload
from jackfield_proxy.child.upstream.replies import ProviderReply, ReplyContent

MOST = 10_000
"""Uploads that are remembered; of more the oldest can be begun again alone."""
_ADDRESS = "x-goog-upload-url"
_ADDRESSES = (_ADDRESS, "x-goog-upload-control-url")
_STATUS = "x-goog-upload-status"
_SCHEMES = ("http", "https")
_OLDER = "resumable"


class Uploads:
    """Of a process. One that its end interrupts is begun again by its client."""

    def __init__(self) -> None:
        self._begun: OrderedDict[str, BegunUpload] = OrderedDict()

    def begin(self, url: str, credential: str, key: str, profile: str, provider: str, account: str) -> BegunUpload:
        """See `BegunUpload`."""
        name = secrets.token_urlsafe(32)
        made = self._begun[name] = BegunUpload(name, url, credential, key, profile, provider, account)
        if len(self._begun) > MOST:
            self._begun.popitem(last=False)
        return made

    def end(self, name: str) -> None:
        """No more of it is to come."""
        self._begun.pop(name, None)

    def named(self, request: web.BaseRequest, path: str) -> BegunUpload | None:
        """The one that a request goes on with; None: it is no such request. Raises `DialectError` 400, 404."""
        if not path.startswith(google_kept.UPLOAD):
            return None
        name = request.query.get(google_kept.UPLOAD_ID, "")
        if not name:
            if request.query.get("uploadType", "") == _OLDER and "x-goog-upload-protocol" not in request.headers:
                message = "Begin an upload in parts with X-Goog-Upload-Protocol: resumable."
                raise DialectError(400, message, "invalid_request_error", param="uploadType")
            return None
        if name not in self._begun:
            message = "There is no such upload; begin it again."
            raise DialectError(404, message, "not_found_error", code="object_not_found")
        return self._begun[name]


class UploadReply:
    """A provider's answer with other headers."""

    def __init__(self, reply: ProviderReply, headers: Iterable[tuple[str, str]]) -> None:
        self._reply = reply
        self.headers = CIMultiDict(headers)

    @property
    def status(self) -> int:
        return self._reply.status

    @property
    def reason(self) -> str | None:
        return self._reply.reason

    @property
    def content(self) -> ReplyContent:
        return self._reply.content

    @property
    def content_length(self) -> int | None:
        return self._reply.content_length

    def close(self) -> None:
        self._reply.close()

    def release(self) -> object:
        return self._reply.release()


def address_in(reply: ProviderReply) -> str:
    """Where the rest of an upload goes that this answer has begun; empty: it has begun none."""
    return reply.headers.get(_ADDRESS, "")


def is_over(reply: ProviderReply) -> bool:
    return reply.headers.get(_STATUS, "active") != "active"


def replied(reply: ProviderReply, request: web.BaseRequest, path: str, name: str) -> UploadReply:
    """The answer for the client, with the address of ours. path: that the upload was begun at."""
    told = request.headers.get("X-Forwarded-Proto", "").lower()
    scheme = told if told in _SCHEMES else "http"
    query = urlencode({google_kept.UPLOAD_ID: name, "upload_protocol": "resumable"})
    own = f"{scheme}://{request.host}{path}?{query}"
    kept = [(key, value) for key, value in reply.headers.items() if key.lower() not in _ADDRESSES]
    return UploadReply(reply, [*kept, ("X-Goog-Upload-URL", own)])


def rest_of(base: str, address: str) -> str:
    """The address of the rest at the provider: at its own host, whatever host the address has, as Google's own clients
    do it."""
    own, told = urlsplit(base), urlsplit(address)
    return told._replace(scheme=own.scheme, netloc=own.netloc, fragment="").geturl()
