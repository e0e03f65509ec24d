"""Addresses at which a waiting execution is called: `/webhook-waiting/{token}` and `/form-waiting/{token}`.

The token is the execution's id and a signature. Ids are shown to callers of webhooks and stand in logs, so that the id
alone must not be enough to approve in another's name. It is one path segment, so that a suffix or a query can be
appended to the address as it stands.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .context import PluginContext

WEBHOOK, FORM = "webhook-waiting", "form-waiting"
"""First segments of the addresses."""
_SIZE = 16
_KEY = "resume"


class ResumeLinks:
    """Makes and reads these addresses. The key has the name `resume`; what earlier keys have signed is read too."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def url(self, execution_id: str, segment: str = WEBHOOK) -> str:
        """The whole address."""
        return f"{self._context.service.public_url}/{segment}/{self.token(execution_id)}"

    def token(self, execution_id: str) -> str:
        return _signed(self._context.secrets.key(_KEY), execution_id)

    def execution_id(self, token: str) -> str | None:
        """The execution that the token was made for; None when nobody with our master key made it."""
        execution_id, dot, _ = token.rpartition(".")
        if not dot or len(token) > 200 or not token.isascii():
            return None
        keys = (self._context.secrets.key(_KEY), *self._context.secrets.earlier_keys(_KEY))
        known = [hmac.compare_digest(_signed(key, execution_id), token) for key in keys]
        return execution_id if any(known) else None


def _signed(key: bytes, execution_id: str) -> str:
    digest = hmac.digest(key, execution_id.encode(), hashlib.sha256)[:_SIZE]
    return f"{execution_id}.{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"
