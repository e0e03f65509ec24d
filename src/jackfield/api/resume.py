"""Addresses at which a waiting execution is called: `/webhook-waiting/{token}` and `/form-waiting/{token}`.

The token is the execution's id and a signature. Ids are shown to callers of webhooks and stand in logs, so that the id
alone must not be enough to approve in another's name. It is one path segment, so that a suffix or a query can be
appended to the address as it stands.

A link of a question (`jackfield.api.questions`) allows one answer to one question: both are part of what is signed.
Chats read `_` and `*` as marks of a format, so that its token has letters, digits, points and hyphens only.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable
from typing import TYPE_CHECKING

from .records import record

if TYPE_CHECKING:
    from .context import PluginContext

WEBHOOK, FORM = "webhook-waiting", "form-waiting"
"""First segments of the addresses."""
_SIZE = 16
_KEY = "resume"
_LONGEST = 200
_ANSWERS = {"yes": True, "no": False}


@record
class AnswerLink:
    """The answer that the holder of a link may give. question: `Question.id`."""

    execution_id: str
    question: str
    approved: bool


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
        if not dot or "." in execution_id or not self._made_here(token, lambda key: _signed(key, execution_id)):
            return None
        return execution_id

    def answer_url(self, execution_id: str, question: str, approved: bool) -> str:
        """The whole address at which this answer to the question is given."""
        told = f"{execution_id}.{question}.{'yes' if approved else 'no'}"
        return f"{self._context.service.public_url}/{FORM}/{_answer(self._context.secrets.key(_KEY), told)}"

    def answer(self, token: str) -> AnswerLink | None:
        """The answer that the token was made for; None when it is another kind of token, or was not made with our
        master key."""
        told, _, _ = token.rpartition(".")
        parts = told.split(".")
        if len(parts) != 3 or parts[2] not in _ANSWERS or not self._made_here(token, lambda key: _answer(key, told)):
            return None
        return AnswerLink(parts[0], parts[1], _ANSWERS[parts[2]])

    def _made_here(self, token: str, made: Callable[[bytes], str]) -> bool:
        """made: the right token with this key."""
        if len(token) > _LONGEST or not token.isascii():
            return False
        keys = (self._context.secrets.key(_KEY), *self._context.secrets.earlier_keys(_KEY))
        known = [hmac.compare_digest(made(key), token) for key in keys]
        return any(known)


def _signed(key: bytes, execution_id: str) -> str:
    digest = hmac.digest(key, execution_id.encode(), hashlib.sha256)[:_SIZE]
    return f"{execution_id}.{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"


def _answer(key: bytes, told: str) -> str:
    return f"{told}.{hmac.digest(key, told.encode(), hashlib.sha256)[:_SIZE].hex()}"
