"""The library of WebAuthn: options for a browser, and the verification of what its authenticator has signed. Imported
with the first ceremony, in a thread: it takes a fifth of a second.

Source: https://www.w3.org/TR/webauthn-3/
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import base64url_to_bytes
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from jackfield.api.json_values import Json
from jackfield_auth.passkeys.records import Passkey, PasskeyScope, invalid

NAME = "Jackfield"


class WebAuthnLibrary:
    """timeout: seconds that a browser may wait for its user."""

    def __init__(self, timeout: int) -> None:
        self._timeout = timeout * 1000

    def creation(
        self, scope: PasskeyScope, user_id: str, username: str, challenge: bytes, known: Sequence[Passkey]
    ) -> Json:
        """Options of a new passkey. The authenticator keeps it with the user's id, and asks for a PIN or the like.
        `known`: those that the user has; none of their authenticators makes another one."""
        options = generate_registration_options(
            rp_id=scope.rp_id,
            rp_name=NAME,
            user_name=username,
            user_id=user_id.encode(),
            user_display_name=username,
            challenge=challenge,
            timeout=self._timeout,
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED, user_verification=UserVerificationRequirement.REQUIRED
            ),
            exclude_credentials=_descriptors(known),
        )
        return cast("Json", json.loads(options_to_json(options)))

    def request(self, scope: PasskeyScope, challenge: bytes, known: Sequence[Passkey]) -> Json:
        """Options of a login. known: of the user, none where the passkey says who the user is."""
        options = generate_authentication_options(
            rp_id=scope.rp_id,
            challenge=challenge,
            timeout=self._timeout,
            allow_credentials=_descriptors(known),
            user_verification=UserVerificationRequirement.REQUIRED,
        )
        return cast("Json", json.loads(options_to_json(options)))

    def created(self, scope: PasskeyScope, challenge: bytes, credential: str) -> tuple[bytes, bytes, int, bool]:
        """Id, public key, counter, and whether it is kept elsewhere too, of a verified new passkey. Raises
        `InvalidCredentials`."""
        try:
            found = verify_registration_response(
                credential=credential,
                expected_challenge=challenge,
                expected_rp_id=scope.rp_id,
                expected_origin=scope.origin,
                require_user_verification=True,
            )
        except (WebAuthnException, ValueError, TypeError, KeyError) as exc:
            raise invalid() from exc
        return found.credential_id, found.credential_public_key, found.sign_count, found.credential_backed_up

    def counted(self, scope: PasskeyScope, challenge: bytes, credential: str, passkey: Passkey) -> int:
        """The new counter of a passkey that has signed. Raises `InvalidCredentials`, also when the counter has not
        grown: somebody has a copy."""
        try:
            found = verify_authentication_response(
                credential=credential,
                expected_challenge=challenge,
                expected_rp_id=scope.rp_id,
                expected_origin=scope.origin,
                credential_public_key=base64url_to_bytes(passkey.public_key),
                credential_current_sign_count=passkey.counter,
                require_user_verification=True,
            )
        except (WebAuthnException, ValueError, TypeError, KeyError) as exc:
            raise invalid() from exc
        return found.new_sign_count


def _descriptors(known: Sequence[Passkey]) -> list[PublicKeyCredentialDescriptor]:
    return [PublicKeyCredentialDescriptor(id=base64url_to_bytes(passkey.credential_id)) for passkey in known]
