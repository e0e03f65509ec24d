"""Addresses at which a waiting execution is called: `/webhook-waiting/{token}` and `/form-waiting/{token}`.

The token is the execution's id and a signature. Ids are shown to callers of webhooks and stand in logs, so that the id
alone must not be enough to approve in another's name. It is one path segment, so that a suffix or a query can be
appended to the address as it stands.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .context import PluginContext

WEBHOOK, FORM = "webhook-waiting", "form-waiting"
"""First segments of the addresses."""
_SIZE = 16


class ResumeLinks:
    """Makes and reads these addresses. The key is made once per daemon, under the name `resume`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @cached_property
    def _key(self) -> bytes:
        return self._context.secrets.key("resume")

    def url(self, execution_id: str, segment: str = WEBHOOK) -> str:
        """The whole address."""
        return f"{self._context.service.public_url}/{segment}/{self.token(execution_id)}"

    def token(self, execution_id: str) -> str:
        digest = hmac.digest(self._key, execution_id.encode(), hashlib.sha256)[:_SIZE]
        return f"{execution_id}.{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"

    def execution_id(self, token: str) -> str | None:
        """The execution that the token was made for; None when this daemon did not make it."""
        execution_id, dot, _ = token.rpartition(".")
        if not dot or len(token) > 200 or not token.isascii():
            return None
        return execution_id if hmac.compare_digest(self.token(execution_id), token) else None
