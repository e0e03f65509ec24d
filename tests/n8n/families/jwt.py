"""JWT: tokens that are made and read. Those with the time in them are read by a second node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import jwt

from ..cases import Document, Family, NodeCase
from ..credentials import SECRET, named
from ..modes import EITHER, in_modes

CLAIMS: Document = {"iat": 1_700_000_000, "sub": "a", "n": 1, "list": [1, None], "text": "Grüße 😀"}
PAST, FUTURE = 1_700_000_000, 4_000_000_000
TOKEN = jwt.encode(CLAIMS, SECRET, "HS256")
TOKENS: Mapping[str, object] = {
    "good": TOKEN,
    "other algorithm": jwt.encode(CLAIMS, SECRET, "HS512"),
    "key id": jwt.encode(CLAIMS, SECRET, "HS256", headers={"kid": "k"}),
    "expired": jwt.encode({**CLAIMS, "exp": PAST}, SECRET, "HS256"),
    "not expired": jwt.encode({**CLAIMS, "exp": FUTURE}, SECRET, "HS256"),
    "early": jwt.encode({**CLAIMS, "nbf": FUTURE}, SECRET, "HS256"),
    "wrong signature": TOKEN[:-4] + "AAAA",
    "no signature": TOKEN.rpartition(".")[0] + ".",
    "two parts": TOKEN.rpartition(".")[0],
    "no token": "abc",
    "three words": "a.b.c",
    "empty": "",
    "null": None,
    "number": 5,
}
OPTIONS: Mapping[str, Document] = {
    "nothing": {},
    "complete": {"complete": True},
    "no expiry": {"ignoreExpiration": True},
    "no start": {"ignoreNotBefore": True},
    "tolerance": {"clockTolerance": 4_000_000_000},
    "algorithm": {"algorithm": "HS512"},
}
JSONS: Mapping[str, object] = {
    "claims": '{"a": 1, "iat": 1}',
    "object": "={{ ({a: 1, iat: 1}) }}",
    "wrong times": '{"iat": 1, "exp": "x"}',
    "nested": '{"iat": 1, "o": {"l": [1, null, "é"]}}',
}


def _node(operation: str, credential: str, **parameters: object) -> Document:
    node = {"type": "n8n-nodes-base.jwt", "typeVersion": 1, "parameters": {"operation": operation, **parameters}}
    return {**node, **named("jwtAuth", credential)}


def _jwt() -> Iterator[NodeCase]:
    for operation in ("decode", "verify"):
        for name, options in OPTIONS.items():
            for label, token in TOKENS.items():
                node = _node(operation, "secret", token="={{ $json.t }}", options=options)
                items: tuple[Document, ...] = ({"json": {"t": token, "k": 1}},)
                yield from in_modes(f"{operation} {name}: {label}", node, items, EITHER)
    for name in ("other secret", "512", "rsa"):
        node = _node("verify", name, token=TOKEN)
        yield from in_modes(f"verify with {name}", node, ({"json": {"k": 1}},), EITHER)
    for label, claims in JSONS.items():
        for name in ("secret", "512", "rsa"):
            node = _node("sign", name, useJson=True, claimsJson=claims)
            yield from in_modes(f"sign with {name}: {label}", node, ({"json": {"k": 1}},), EITHER)
    for label, claims in {"list": "[1]", "text": '"x"', "no JSON": "nope"}.items():
        node = _node("sign", "secret", useJson=True, claimsJson=claims)
        yield from in_modes(f"unfit {label}", node, ({"json": {"k": 1}},), ("stop",))
    several = ({"json": {"t": TOKEN}}, {"json": {"t": "x"}}, {"json": {"t": TOKEN, "k": 2}})
    yield from in_modes("several", _node("verify", "secret", token="={{ $json.t }}"), several)


FAMILIES = (Family("JWT", _jwt),)
