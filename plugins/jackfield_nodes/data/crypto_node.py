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
from typing import Literal, Protocol, cast

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeCredential, NodeDescription, NodeError, NodeRun, Parameters
from jackfield.api.nodes.files import chunks_of
from jackfield.api.nodes.items import with_json
from jackfield.api.nodes.running import ItemNode
from jackfield.api.object_references import load
from jackfield.api.workflows import Item, Items
from jackfield_nodes.values.conversions import UnfitValue, text_of
from jackfield_nodes.values.paths import set_path

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
LONGEST = 65_536
"""Characters of a random value at most."""
_ALPHABETS: Mapping[str, str] = {
    "ascii": string.ascii_letters + string.digits + string.punctuation,
    "base64": string.ascii_letters + string.digits,
    "hex": string.digits + "abcdef",
}


SIGNED = "jackfield_nodes.data.signatures:signed"
"""Its library is loaded with the first signature."""


class RunningDigest(Protocol):
    def update(self, chunk: bytes, /) -> None: ...

    def digest(self) -> bytes: ...


class Crypto(Parameters):
    """Version 1."""

    action: Literal["generate", "hash", "hmac", "sign"] = Field("hash", description="What to do.")
    type: str = Field("MD5", description="hash, hmac: MD5, SHA1, SHA256, SHA384, SHA512, SHA3-256, SHA3-384, SHA3-512.")
    value: object = Field(None, description="What is hashed or signed.")
    binary_data: Flag = Field(False, description="hash, hmac: take a file instead of the value.")
    binary_property_name: str = Field("data", description="The field with the file.")
    data_property_name: str = Field("data", description="The field for the result.")
    encoding: Literal["hex", "base64"] = Field("hex", description="Of the result.")
    secret: str = Field("", description="hmac: the key.", json_schema_extra={"secret": True})
    algorithm: str = Field("RSA-SHA256", description="sign: such as RSA-SHA256 or RSA-SHA512.")
    private_key: str = Field("", description="sign: the key, PEM.", json_schema_extra={"secret": True})
    encoding_type: Literal["ascii", "base64", "hex", "uuid"] = Field("uuid", description="generate: of what.")
    string_length: int = Field(32, ge=1, le=LONGEST, description="generate: characters.")


class LatestCrypto(Crypto):
    """Version 2."""

    type: str = Field("SHA256", description="hash, hmac: as in version 1.")


def random_text(kind: str, length: int) -> str:
    """A random text that is fit for secrets. kind: ascii (printable, no blank), base64 (letters and digits), hex,
    uuid."""
    if kind == "uuid":
        return str(uuid.uuid4())
    alphabet = _ALPHABETS[kind]
    return "".join(secrets.choice(alphabet) for _ in range(length))


def encoded(content: bytes, encoding: str) -> str:
    return content.hex() if encoding == "hex" else base64.b64encode(content).decode("ascii")


def digest_name(kind: str) -> str:
    """The name that hashlib knows. Raises `NodeError`."""
    name = DIGESTS.get(kind.upper())
    if name is None:
        raise NodeError(f"The parameter type is '{kind}', which is no digest; use one of {', '.join(DIGESTS)}.")
    return name


class CryptoNode(ItemNode):
    kind = "crypto"
    versions: Sequence[float] = (1, 2)
    description = NodeDescription(
        "Crypto",
        "Digests, authentication codes, signatures, random values.",
        "transform",
        credentials=(NodeCredential("crypto", required=False, when={"action": ("hmac", "sign")}),),
    )

    def parameters(self, version: float | None) -> type[Crypto]:
        return Crypto if version is not None and version < 2 else LatestCrypto

    async def item(self, run: NodeRun, parameters: Crypto, item: Item, index: int) -> Items:
        made: dict[str, Json] = dict(item["json"])
        try:
            set_path(made, parameters.data_property_name, await self._result(run, parameters, item, index))
        except UnfitValue as exc:
            raise NodeError(f"The result cannot be put into {parameters.data_property_name}: {exc}.") from None
        return [with_json(item, made, index)]

    async def _result(self, run: NodeRun, parameters: Crypto, item: Item, index: int) -> str:
        if parameters.action == "generate":
            return random_text(parameters.encoding_type, parameters.string_length)
        if parameters.action == "sign":
            key = await self._key(run, parameters.private_key, "signPrivateKey", "privateKey")
            content = text_of(parameters.value).encode("utf-8", "replace")
            signature = await asyncio.to_thread(_signed, content, key, parameters.algorithm)
            return encoded(signature, parameters.encoding)
        digest: RunningDigest
        if parameters.action == "hmac":
            secret = await self._key(run, parameters.secret, "hmacSecret", "secret")
            digest = hmac.new(secret.encode("utf-8", "replace"), digestmod=digest_name(parameters.type))
        else:
            digest = hashlib.new(digest_name(parameters.type), usedforsecurity=False)
        async for chunk in self._content(run, parameters, item, index):
            digest.update(chunk)
        return encoded(digest.digest(), parameters.encoding)

    @staticmethod
    def _content(run: NodeRun, parameters: Crypto, item: Item, index: int) -> AsyncIterator[bytes]:
        if parameters.binary_data:
            return chunks_of(run, item, parameters.binary_property_name, index)
        return _one(text_of(parameters.value).encode("utf-8", "replace"))

    @staticmethod
    async def _key(run: NodeRun, given: str, field: str, parameter: str) -> str:
        """The parameter, else the credential's field."""
        if not given and (run.node.version or 1) >= 2:
            given = (await run.credential("crypto")).get(field, "")
        if not given:
            raise NodeError(f"The parameter {parameter} is empty.")
        return given


def _signed(content: bytes, key: str, algorithm: str) -> bytes:
    return cast("Callable[[bytes, str, str], bytes]", load(SIGNED))(content, key, algorithm)


async def _one(content: bytes) -> AsyncIterator[bytes]:
    yield content


def node(context: PluginContext) -> CryptoNode:
    return CryptoNode(context)
