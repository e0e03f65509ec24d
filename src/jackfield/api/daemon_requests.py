"""One request to the daemon over HTTP. `jackfield.api.daemon` imports this with the first one: the library takes longer
to load than most commands take that need no daemon."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Mapping
from email.message import Message

LARGEST_REFUSAL = 16 * 2**20
"""Bytes of an answer that is an error."""


class Unanswered(Exception):
    """Nobody answers there."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The daemon never sends its callers elsewhere; whoever does would get the token."""

    def redirect_request(self, *_: object) -> None:
        return None


def exchange(
    method: str, url: str, data: bytes | None, headers: Mapping[str, str], timeout: float, largest: int
) -> tuple[int, Message, bytes]:
    """Status, headers and body, whatever the status. timeout: seconds; largest: bytes of the body that are read.

    Raises:
        Unanswered: Nobody answers.
        OSError, ValueError: What comes is no answer that can be read.
    """
    try:
        request = urllib.request.Request(url, data, dict(headers), method=method)  # noqa: S310 - the daemon's is http
        # No web proxy stands between a user's program and the same user's daemon.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects)
        try:
            with opener.open(request, timeout=timeout) as answer:
                return answer.status, answer.headers, answer.read(largest)
        except urllib.error.HTTPError as exc:
            with exc:
                return exc.code, exc.headers, exc.read(LARGEST_REFUSAL)
    except (urllib.error.URLError, ConnectionError) as exc:
        raise Unanswered from exc
    except http.client.HTTPException as exc:  # of an address that is none, too
        raise ValueError(str(exc)) from exc
