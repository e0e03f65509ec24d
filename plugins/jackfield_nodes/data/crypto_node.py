"""Crypto: digests, authentication codes, signatures, random values.

Version 2 takes keys from a credential of the kind crypto.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import secrets
import string
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import ClassVar, Literal, Protocol, cast

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import (
    Flag,
    NodeCredential,
    NodeDescription,
    NodeError,
    NodeResult,
    NodeRun,
    Parameters,
    needed,
)
from jackfield.api.nodes.files import chunks_of
from jackfield.api.nodes.items import new_item, with_json
from jackfield.api.nodes.running import ModelNode, made_per_item
from jackfield.api.nodes.ui import UiFields
from jackfield.api.nodes.unresolved import first_resolved, unresolved_items
from jackfield.api.object_references import load
from jackfield.api.workflows import Items
from jackfield_nodes.data.form import CRYPTO, LATEST_CRYPTO
from jackfield_nodes.values.conversions import type_name, with_article

DIGESTS: Mapping[str, str] = {
    "MD5": "md5",
    "SHA1": "sha1",
    "SHA224": "sha224",
    "SHA256": "sha256",
    "SHA384": "sha384",
    "SHA512": "sha512",
    "SHA3-224": "sha3_224",
    "SHA3-256": "sha3_256",
    "SHA3-384": "sha3_384",
    "SHA3-512": "sha3_512",
}
_OTHERS: Mapping[str, str] = {"blake2b512": "blake2b", "blake2s256": "blake2s"}
LONGEST = 65_536
"""Characters of a random value at most."""
_ALPHABETS: Mapping[str, str] = {
    "ascii": string.ascii_letters + string.digits + string.punctuation,
    "base64": string.ascii_letters + string.digits,
    "hex": string.digits + "abcdef",
}


KEYS: Mapping[str, str] = {"hmac": "hmacSecret", "sign": "signPrivateKey"}
"""Action -> the field of version 2's credential with its key."""
_DIGESTING = ("hash", "hmac")
_CONVERSIONS: Mapping[tuple[str, str], tuple[str, bool]] = {
    ("encrypt", "symmetric"): ("encrypted", True),
    ("decrypt", "symmetric"): ("decrypted", True),
    ("encrypt", "asymmetric"): ("encrypted_for", False),
    ("decrypt", "asymmetric"): ("decrypted_with", False),
}
"""Function of `encryption`, and whether it takes a cipher."""
ENCRYPTION = "jackfield_nodes.data.encryption"
SIGNED = "jackfield_nodes.data.signatures:signed"
"""Its library is loaded with the first signature."""


class RunningDigest(Protocol):
    def update(self, chunk: bytes, /) -> None: ...

    def digest(self) -> bytes: ...


class Crypto(Parameters):
    """Version 1; it neither encrypts nor decrypts."""

    ui_fields: ClassVar[UiFields] = CRYPTO

    action: Literal["generate", "hash", "hmac", "sign", "encrypt", "decrypt"] = Field(
        "hash", description="The work that the node does."
    )
    type: str = Field(
        "MD5",
        description="hash, hmac: MD5, SHA1, SHA256, SHA384, SHA512, SHA3-256, SHA3-384, SHA3-512.",
        json_schema_extra=needed({"action": _DIGESTING}),
    )
    value: object = Field(
        "",
        description="The value that is hashed or signed.",
        json_schema_extra=needed(
            {"action": _DIGESTING, "binaryData": [False]}, {"action": ["sign", "encrypt", "decrypt"]}
        ),
    )
    binary_data: Flag = Field(False, description="hash, hmac: take a file instead of the value.")
    binary_property_name: str = Field(
        "data",
        description="The field with the file.",
        json_schema_extra=needed({"action": _DIGESTING, "binaryData": [True]}),
    )
    data_property_name: str = Field("data", description="The field for the result.", json_schema_extra=needed())
    encoding: str = Field(
        "hex",
        description="Of the result: hex, base64, base64url, latin1, ascii, utf8 or utf16le.",
        json_schema_extra=needed({"action": [*_DIGESTING, "sign"]}),
    )
    secret: str = Field(
        "", description="hmac: the key.", json_schema_extra={"secret": True, **needed({"action": ["hmac"]})}
    )
    algorithm: str = Field(
        "RSA-SHA256",
        description="sign: such as RSA-SHA256 or RSA-SHA512.",
        json_schema_extra=needed({"action": ["sign"]}),
    )
    private_key: str = Field(
        "", description="sign: the key, PEM.", json_schema_extra={"secret": True, **needed({"action": ["sign"]})}
    )
    encoding_type: Literal["ascii", "base64", "hex", "uuid"] = Field(
        "uuid", description="generate: of what.", json_schema_extra=needed({"action": ["generate"]})
    )
    string_length: object = Field(32, description=f"generate: characters, at most {LONGEST}.")
    mode: Literal["symmetric", "asymmetric"] = Field(
        "symmetric", description="encrypt, decrypt: how.", json_schema_extra=needed({"action": ["encrypt", "decrypt"]})
    )
    cipher: str = Field(
        "aes-256-gcm",
        description="encrypt, decrypt with a passphrase: such as aes-256-gcm.",
        json_schema_extra=needed({"action": ["encrypt", "decrypt"], "mode": ["symmetric"]}),
    )


class LatestCrypto(Crypto):
    """Version 2."""

    ui_fields: ClassVar[UiFields] = LATEST_CRYPTO

    type: str = Field(
        "SHA256", description="hash, hmac: as in version 1.", json_schema_extra=needed({"action": _DIGESTING})
    )
    secret: str = Field("", description="Does not count.", json_schema_extra={"secret": True})
    private_key: str = Field("", description="Does not count.", json_schema_extra={"secret": True})


def random_text(kind: str, length: object) -> str:
    """A random text that is fit for secrets. kind: ascii (printable, no blank), base64 (letters and digits), hex,
    uuid, which has its own length. Raises `NodeError`."""
    if kind == "uuid":
        return str(uuid.uuid4())
    if isinstance(length, bool) or not isinstance(length, int | float) or not 0 <= length <= LONGEST:
        raise NodeError(f"The parameter stringLength must be a number from 0 to {LONGEST}.")
    alphabet = _ALPHABETS[kind]
    return "".join(secrets.choice(alphabet) for _ in range(int(length)))


_ENCODINGS: Mapping[str, Callable[[bytes], str]] = {
    "hex": bytes.hex,
    "base64": lambda content: base64.b64encode(content).decode("ascii"),
    "base64url": lambda content: base64.urlsafe_b64encode(content).decode("ascii").rstrip("="),
    "latin1": lambda content: content.decode("latin-1"),
    "ascii": lambda content: bytes(byte & 0x7F for byte in content).decode("ascii"),
    "utf8": lambda content: content.decode(errors="replace"),
    "utf16le": lambda content: content[: len(content) // 2 * 2].decode("utf-16-le", "replace"),
}
_OTHER_NAMES = {"binary": "latin1", "utf-8": "utf8", "ucs2": "utf16le", "ucs-2": "utf16le", "utf-16le": "utf16le"}
"""Of encodings, as Node.js has them."""


def encoded(content: bytes, encoding: str) -> str:
    """encoding: as Node.js names it. Raises `NodeError`."""
    name = encoding.lower()
    write = _ENCODINGS.get(_OTHER_NAMES.get(name, name))
    if write is None:
        raise NodeError(f"The parameter encoding is '{encoding}', which is none of {', '.join(_ENCODINGS)}.")
    return write(content)


def digest_name(kind: str) -> str:
    """The name that hashlib knows. Raises `NodeError`."""
    plain = kind.upper().removeprefix("RSA-")
    name = DIGESTS.get(plain, plain.lower().replace("-", "_"))
    for found in (name, _OTHERS.get(name, "")):
        if found in hashlib.algorithms_available and not found.startswith("shake"):
            return found
    raise NodeError(f"The parameter type is '{kind}', which is no digest; use one of {', '.join(DIGESTS)}.")


class CryptoNode(ModelNode):
    """The action is that of the first item. An item whose file was read goes on without its files."""

    kind = "crypto"
    versions: Sequence[float] = (1, 2)
    description = NodeDescription(
        "Crypto",
        "Digests, authentication codes, signatures, encryption, random values.",
        "transform",
        credentials=(NodeCredential("crypto", required=False, when={"action": (*KEYS, "encrypt", "decrypt")}),),
    )

    def parameters(self, version: float | None) -> type[Crypto]:
        return Crypto if version is not None and version < 2 else LatestCrypto

    async def execute(self, run: NodeRun) -> NodeResult:
        rows: list[Crypto] = await run.resolve()
        first = first_resolved(rows)
        if first is None:
            return [unresolved_items(rows)]
        field = _field_of_key(first) if (run.node.version or 1) >= 2 else None
        key = None if field is None else await held(run, field)
        action = first.action

        async def work(index: int, parameters: Crypto) -> Items:
            item, name = run.items[index], parameters.data_property_name
            if not name:
                raise NodeError("The parameter dataPropertyName is empty; name the field for the result.")
            result = await _result(run, action, parameters, key, index)
            made: dict[str, Json] = {**item["json"], name: result}
            reads_file = action in _DIGESTING and parameters.binary_data
            return [new_item(made, index) if reads_file else with_json(item, made, index)]

        return [await made_per_item(run, rows, work)]


def _field_of_key(parameters: Crypto) -> str | None:
    """The credential's field that the action needs."""
    if parameters.action not in ("encrypt", "decrypt"):
        return KEYS.get(parameters.action)
    if parameters.mode == "symmetric":
        return "encryptionPassphrase"
    return "encryptionPublicKey" if parameters.action == "encrypt" else "encryptionPrivateKey"


async def _result(run: NodeRun, action: str, parameters: Crypto, key: str | None, index: int) -> str:
    """key: the credential's; without it that of the parameters counts."""
    if action == "generate":
        return random_text(parameters.encoding_type, parameters.string_length)
    if action in ("encrypt", "decrypt"):
        conversion, more = _CONVERSIONS[action, parameters.mode]
        convert = cast("Callable[..., str]", load(f"{ENCRYPTION}:{conversion}"))
        rest = (parameters.cipher,) if more else ()
        return await asyncio.to_thread(convert, _text(parameters.value), key or "", *rest)
    if action == "sign":
        private, content = parameters.private_key if key is None else key, _bytes(parameters.value)
        if not private:
            raise NodeError("The parameter privateKey is empty.")
        return encoded(await asyncio.to_thread(_signed, content, private, parameters.algorithm), parameters.encoding)
    digest = _digest(action, parameters, parameters.secret if key is None else key)
    async for chunk in _content(run, parameters, index):
        digest.update(chunk)
    return encoded(digest.digest(), parameters.encoding)


def _digest(action: str, parameters: Crypto, secret: str) -> RunningDigest:
    name = digest_name(parameters.type)
    if action == "hmac":
        if not secret:
            raise NodeError("The parameter secret is empty; anybody could make the code.")
        return hmac.new(secret.encode("utf-8", "replace"), digestmod=name)
    return hashlib.new(name, usedforsecurity=False)


def _content(run: NodeRun, parameters: Crypto, index: int) -> AsyncIterator[bytes]:
    if parameters.binary_data:
        return chunks_of(run, run.items[index], parameters.binary_property_name, index)
    return _one(_bytes(parameters.value))


async def held(run: NodeRun, field: str) -> str:
    """A field of the node's credential. Raises `NodeError` where it is empty."""
    found = (await run.credential("crypto")).get(field, "")
    if not found:
        raise NodeError(f"The credential crypto has no {field}; fill it in.")
    return found


def _text(value: object) -> str:
    """Raises `NodeError` for what is no text."""
    if not isinstance(value, str):
        kind = with_article(type_name(value)) if value is not None else "null"
        raise NodeError(f"The parameter value must be a text; it is {kind}.")
    return value


def _bytes(value: object) -> bytes:
    return _text(value).encode("utf-8", "replace")


def _signed(content: bytes, key: str, algorithm: str) -> bytes:
    return cast("Callable[[bytes, str, str], bytes]", load(SIGNED))(content, key, algorithm)


async def _one(content: bytes) -> AsyncIterator[bytes]:
    yield content


def node(context: PluginContext) -> CryptoNode:
    return CryptoNode()
