"""Tokens with which agents ask. Each is for one launch and allows nothing but asking: whoever reads it from an agent's
environment can answer nothing. They are signed, so that nothing is kept for them."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from typing import cast

from jackfield.api import jsontext
from jackfield.api.approvals import AskedBy
from jackfield.api.context import PluginContext
from jackfield.api.errors import AuthRequired, InvalidInput
from jackfield.api.profiles import Launch, Sandbox
from jackfield.api.records import record

PREFIX = "jf_ap_"
_KEY = "agent-approvals"
_SIZE = 16
_LONGEST = 2_000


@record
class Asker:
    """The agent that asks. `session`: the id of its launch. `sandbox`: in which it runs at least."""

    profile: str
    asked_by: AskedBy
    session: str
    sandbox: Sandbox
    execution_id: str = ""


def asker_of(launch: Launch) -> Asker:
    kind: AskedBy = "terminal_session" if launch.kind == "terminal_session" else "run"
    return Asker(launch.profile.alias, kind, launch.run_id, launch.profile.sandbox, launch.execution_id)


class AskTokens:
    """Of one daemon; daemons with one master key read each other's."""

    def __init__(self, context: PluginContext) -> None:
        self._secrets = context.secrets

    def make(self, asker: Asker) -> str:
        told = jsontext.dumps([asker.profile, asker.asked_by, asker.session, asker.sandbox, asker.execution_id])
        whole = _signature(self._secrets.key(_KEY), told) + told
        return PREFIX + base64.urlsafe_b64encode(whole).decode().rstrip("=")

    def read(self, token: str) -> Asker:
        """Raises `AuthRequired`."""
        try:
            text = token.removeprefix(PREFIX)
            whole = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        except (ValueError, binascii.Error):
            whole = b""
        signature, told = whole[:_SIZE], whole[_SIZE:]
        keys = (self._secrets.key(_KEY), *self._secrets.earlier_keys(_KEY))
        known = [hmac.compare_digest(_signature(key, told), signature) for key in keys]
        if not token.startswith(PREFIX) or len(token) > _LONGEST or not any(known):
            raise AuthRequired("An agent asks with the token of its launch.")
        try:
            profile, asked_by, session, sandbox, execution_id = cast("list[str]", jsontext.loads(told))
        except (InvalidInput, TypeError, ValueError):
            raise AuthRequired("An agent asks with the token of its launch.") from None
        return Asker(profile, cast("AskedBy", asked_by), session, cast("Sandbox", sandbox), execution_id)


def _signature(key: bytes, told: bytes) -> bytes:
    return hmac.digest(key, told, hashlib.sha256)[:_SIZE]
