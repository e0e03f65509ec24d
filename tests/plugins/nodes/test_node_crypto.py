"""Crypto: digests and codes are the standard's, keys come from a parameter or a credential and never show."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError


async def made(bench: Bench, parameters: dict[str, Any], version: float = 1, **extra: Any) -> Any:
    ((item,),) = await bench.outputs(bench.run("crypto", version, parameters, **extra))
    return item["json"]["data"]


HASHES = {
    "MD5": "900150983cd24fb0d6963f7d28e17f72",
    "SHA1": "a9993e364706816aba3e25717850c26c9cd0d89d",
    "SHA256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "SHA3-256": "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
}


@pytest.mark.parametrize(("kind", "expected"), HASHES.items())
async def test_digests(bench: Bench, kind: str, expected: str) -> None:
    assert await made(bench, {"type": kind, "value": "abc"}) == expected
    in_base64 = base64.b64encode(bytes.fromhex(expected)).decode()
    assert await made(bench, {"type": kind, "value": "abc", "encoding": "base64"}) == in_base64


async def test_a_digest_of_a_file(bench: Bench) -> None:
    """Also of one that is kept outside of its item."""
    inline = {"data": "YWJj", "mimeType": "text/plain"}
    run = bench.run("crypto", 1, {"type": "SHA256", "binaryData": True, "binaryPropertyName": "f"})
    kept = await run.binary.write(b"abc" * 100_000, mime_type="text/plain")
    assert "id" in kept
    run.first = [{"json": {"a": 1}, "binary": {"f": file}} for file in (inline, kept)]  # type: ignore[misc]
    ((first, second),) = await bench.outputs(run)
    assert first["json"] == {"a": 1, "data": HASHES["SHA256"]}
    assert "binary" not in first
    assert second["json"]["data"] == hashlib.sha256(b"abc" * 100_000).hexdigest()


async def test_authentication_codes(bench: Bench) -> None:
    """RFC 4231, test case 2."""
    parameters = {"action": "hmac", "type": "SHA256", "value": "what do ya want for nothing?"}
    expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    assert await made(bench, {**parameters, "secret": "Jefe"}) == expected
    credentials = {"crypto": {"hmacSecret": "Jefe"}}
    assert await made(bench, parameters, 2, credentials=credentials) == expected
    with pytest.raises(NodeError, match="no hmacSecret"):
        await made(bench, parameters, 2, credentials={"crypto": {}})
    with pytest.raises(NodeError, match="secret is empty"):
        await made(bench, parameters)


async def test_an_unknown_digest_lists_the_known_ones(bench: Bench) -> None:
    with pytest.raises(NodeError, match="'CRC32', which is no digest; use one of MD5, SHA1"):
        await made(bench, {"type": "CRC32", "value": "abc"})


def pem(key: Any) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()  # type: ignore[no-any-return]


async def test_signatures(bench: Bench) -> None:
    parameters = {"action": "sign", "value": "text", "encoding": "base64", "algorithm": "RSA-SHA512"}
    private = rsa.generate_private_key(65537, 1024)
    signature = base64.b64decode(await made(bench, {**parameters, "privateKey": pem(private).replace("\n", "\\n")}))
    private.public_key().verify(signature, b"text", padding.PKCS1v15(), hashes.SHA512())
    curve = ec.generate_private_key(ec.SECP256R1())
    signature = base64.b64decode(await made(bench, {**parameters, "algorithm": "sha256", "privateKey": pem(curve)}))
    curve.public_key().verify(signature, b"text", ec.ECDSA(hashes.SHA256()))
    edwards = ed25519.Ed25519PrivateKey.generate()
    credentials = {"crypto": {"signPrivateKey": pem(edwards)}}
    signature = base64.b64decode(await made(bench, parameters, 2, credentials=credentials))
    edwards.public_key().verify(signature, b"text")


async def test_an_unusable_key_is_not_quoted(bench: Bench) -> None:
    for key in ("-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----", "secret"):
        with pytest.raises(NodeError, match="private key cannot sign") as caught:
            await made(bench, {"action": "sign", "value": "text", "privateKey": key})
        assert "secret" not in caught.value.message
        assert "c2VjcmV0" not in caught.value.message
    key = pem(rsa.generate_private_key(65537, 1024))
    with pytest.raises(NodeError, match="algorithm is 'RSA-MD2', which is not available"):
        await made(bench, {"action": "sign", "value": "text", "privateKey": key, "algorithm": "RSA-MD2"})


RANDOM = [("hex", "[0-9a-f]{50}"), ("base64", "[A-Za-z0-9]{50}"), ("ascii", "[!-~]{50}"),
          ("uuid", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")]  # fmt: skip


@pytest.mark.parametrize(("kind", "pattern"), RANDOM)
async def test_random_values(bench: Bench, kind: str, pattern: str) -> None:
    parameters = {"action": "generate", "encodingType": kind, "stringLength": 50}
    first, second = await made(bench, parameters), await made(bench, parameters)
    assert re.fullmatch(pattern, first)
    assert first != second


async def test_the_name_of_the_result_is_no_path(bench: Bench) -> None:
    parameters = {"value": "abc", "dataPropertyName": "a.b"}
    assert await bench.json("crypto", 1, parameters, items({"a": 1})) == [[{"a": 1, "a.b": HASHES["MD5"]}]]


@pytest.mark.parametrize("cipher", ["aes-128-gcm", "aes-192-gcm", "aes-256-gcm", "chacha20-poly1305"])
async def test_a_passphrase_encrypts_and_decrypts(bench: Bench, cipher: str) -> None:
    credentials = {"crypto": {"encryptionPassphrase": "open"}}
    parameters = {"action": "encrypt", "value": "Grüße", "cipher": cipher}
    sealed = await made(bench, parameters, 2, credentials=credentials)
    back = {**parameters, "action": "decrypt", "value": sealed}
    assert await made(bench, back, 2, credentials=credentials) == "Grüße"
    with pytest.raises(NodeError, match="cannot be decrypted"):
        await made(bench, back, 2, credentials={"crypto": {"encryptionPassphrase": "closed"}})
    with pytest.raises(NodeError, match="not all of it"):
        await made(bench, {**back, "value": sealed[:40]}, 2, credentials=credentials)


async def test_a_key_pair_encrypts_and_decrypts(bench: Bench) -> None:
    key = rsa.generate_private_key(65537, 2048)
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    credentials = {"crypto": {"encryptionPublicKey": public, "encryptionPrivateKey": pem(key)}}
    parameters = {"action": "encrypt", "mode": "asymmetric", "value": "text"}
    sealed = await made(bench, parameters, 2, credentials=credentials)
    back = {**parameters, "action": "decrypt", "value": sealed}
    assert await made(bench, back, 2, credentials=credentials) == "text"
    with pytest.raises(NodeError, match="too long for the RSA key"):
        await made(bench, {**parameters, "value": "x" * 300}, 2, credentials=credentials)
    with pytest.raises(NodeError, match="no private RSA key") as caught:
        await made(bench, back, 2, credentials={"crypto": {"encryptionPrivateKey": "hidden"}})
    assert "hidden" not in caught.value.message


@pytest.mark.parametrize("value", [None, 5, True, [1], {"a": 1}])
async def test_a_value_that_is_no_text_is_an_error(bench: Bench, value: object) -> None:
    with pytest.raises(NodeError, match="value must be a text"):
        await made(bench, {"value": value})
