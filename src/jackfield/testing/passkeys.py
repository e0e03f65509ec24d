"""An authenticator of software: makes passkeys and signs with them, as a browser hands its answers on."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


def text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class VirtualAuthenticator:
    """One passkey. flags: what it says about its user; counter: of its signatures."""

    def __init__(self, origin: str, rp_id: str) -> None:
        self.origin = origin
        self.rp_id = rp_id
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.credential_id = secrets.token_bytes(16)
        self.user_handle = ""
        self.flags = PRESENT | VERIFIED
        self.counter = 0

    def create(self, options: Any) -> str:  # Any: JSON
        self.user_handle = options["user"]["id"]
        numbers = self.key.public_key().public_numbers()
        cose = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        attested = bytes(16) + len(self.credential_id).to_bytes(2, "big") + self.credential_id + cbor2.dumps(cose)
        data = self._data(ATTESTED) + attested
        return self._answer(
            {
                "clientDataJSON": text(self._client("webauthn.create", options["challenge"])),
                "attestationObject": text(cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})),
                "transports": ["internal"],
            }
        )

    def sign(self, options: Any) -> str:  # Any: JSON
        self.counter += 1
        client, data = self._client("webauthn.get", options["challenge"]), self._data(0)
        signed = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        return self._answer(
            {
                "clientDataJSON": text(client),
                "authenticatorData": text(data),
                "signature": text(signed),
                "userHandle": self.user_handle,
            }
        )

    def _client(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}).encode()

    def _data(self, more: int) -> bytes:
        flags = bytes([self.flags | more])
        return hashlib.sha256(self.rp_id.encode()).digest() + flags + self.counter.to_bytes(4, "big")

    def _answer(self, response: dict[str, Any]) -> str:
        credential = text(self.credential_id)
        return json.dumps(
            {
                "id": credential,
                "rawId": credential,
                "type": "public-key",
                "response": response,
                "clientExtensionResults": {},
                "authenticatorAttachment": "platform",
            }
        )
