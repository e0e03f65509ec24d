"""Records of a command line's login: the request that waits for a person, and the grant that waits for the command."""

from __future__ import annotations

import secrets
from typing import cast

from jackfield.api import jsontext
from jackfield.api.json_values import Json
from jackfield.api.records import record

_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
"""No vowels and no digits: a code spells no word and is misread by nobody (RFC 8628 section 6.1)."""
_LENGTH = 8
_REQUEST, _CODE, _DEVICE = "jf_cr_", "jf_cc_", "jf_cd_"


@record
class CommandRequest:
    """A command line that asks to be let in.

    `name` is that of its machine, as the command says it, and `address` that of the caller. `begun` is in Unix ms.
    Empty `scopes` stand for all rights of the person. `challenge`, `port` and `state` are of the redirect to the
    command's own machine; a command without a browser has port 0. `device` is the digest of the device code, and empty
    for a redirect."""

    name: str
    address: str
    begun: int
    scopes: tuple[str, ...]
    challenge: str = ""
    port: int = 0
    state: str = ""
    device: str = ""


@record
class CommandGrant:
    """A request that a person has allowed. version: of the user; another one ends the grant."""

    request: CommandRequest
    user_id: str
    version: int


def new_request_name() -> str:
    return _REQUEST + secrets.token_urlsafe(32)


def new_code() -> str:
    return _CODE + secrets.token_urlsafe(32)


def new_device_code() -> str:
    return _DEVICE + secrets.token_urlsafe(32)


def new_user_code() -> str:
    """Eight letters, of which nobody guesses one within its time; `BCDF-GHJK`."""
    return shown_code("".join(secrets.choice(_LETTERS) for _ in range(_LENGTH)))


def shown_code(plain: str) -> str:
    return f"{plain[:4]}-{plain[4:]}"


def read_name(typed: str) -> str:
    """The name of a request as it is kept: a user code in whatever case and with whatever marks between its letters."""
    if typed.startswith(_REQUEST):
        return typed
    plain = "".join(sign for sign in typed.upper() if sign.isalpha())
    return shown_code(plain)


def request_row(one: CommandRequest) -> list[Json]:
    return [one.name, one.address, one.begun, list[Json](one.scopes), one.challenge, one.port, one.state, one.device]


def read_request(row: Json) -> CommandRequest:
    name, address, begun, scopes, challenge, port, state, device = cast("list[Json]", row)
    asked = tuple(str(scope) for scope in cast("list[Json]", scopes))
    return CommandRequest(
        str(name), str(address), int(str(begun)), asked, str(challenge), int(str(port)), str(state), str(device)
    )


def grant_bytes(one: CommandGrant) -> bytes:
    return jsontext.dumps([request_row(one.request), one.user_id, one.version])


def read_grant(data: bytes) -> CommandGrant:
    request, user_id, version = cast("list[Json]", jsontext.loads(data))
    return CommandGrant(read_request(request), str(user_id), int(str(version)))
