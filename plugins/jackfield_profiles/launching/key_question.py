"""The question that `key_check` asks. To be imported on a thread: HTTP and what of TLS belongs to it read files."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.plain_http import HttpFailed, PlainClient


async def status_of(url: str, headers: Mapping[str, str], seconds: float) -> int | None:
    """Of the answer to a request without a model. seconds: of silence. None: there is no answer."""
    given = {"Content-Type": "application/json", **headers}
    try:
        async with PlainClient(timeout=seconds, trust_environment=True) as client:
            return (await client.send("POST", url, content=b"{}", headers=given)).status
    except HttpFailed:
        return None
