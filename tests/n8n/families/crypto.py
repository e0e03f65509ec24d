"""Crypto: digests, authentication codes, signatures, encryption, random values. Of random values the form counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..cases import START, TRIGGER, Document, Family, NodeCase, WorkflowCase, workflow
from ..credentials import credentials, named
from ..modes import EITHER, GOES_ON, MODES, in_modes
from .fields import FILE

VALUES: Mapping[str, object] = {
    "text": "Hello",
    "empty": "",
    "blank": " ",
    "accents": "Grüße 😀",
    "lines": "a\r\nb\tc",
    "number": 5,
    "zero": 0,
    "truth": True,
    "untruth": False,
    "null": None,
    "list": [1, 2],
    "bytes": [104, 105],
    "no elements": [],
    "object": {"a": 1},
    "date": "2026-05-10T10:11:12.000Z",
}
TYPES = ("MD5", "SHA1", "SHA256", "SHA384", "SHA512", "SHA3-256", "SHA3-384", "SHA3-512")
OTHER_TYPES = ("SHA224", "sha256", "RSA-SHA256", "SHA512-256", "ripemd160", "nonsense", "sha3-224", "blake2b512")
ALGORITHMS = (
    *("RSA-SHA1", "RSA-SHA256", "RSA-SHA384", "RSA-SHA512", "sha256", "SHA512", "RSA-MD5"),
    *("RSA-SHA224", "RSA-SHA3-256", "id-rsassa-pkcs1-v1_5-with-sha3-512", "sha256WithRSAEncryption", "nonsense"),
)
SECRETS: Mapping[str, object] = {"text": "key", "accents": "schlüssel", "empty": "", "long": "k" * 200, "number": 5}
ITEMS: tuple[Document, ...] = (
    {"json": {"v": "one", "o": {"a": 1}, "data": "old"}, "binary": {"data": FILE, "other": FILE}},
    {"json": {"v": None}},
    {"json": {"v": "three", "o": "text"}},
)
ONE: tuple[Document, ...] = ({"json": {"v": "one", "n": 1}, "binary": {"data": FILE}},)
VALUE = "={{ $json.v }}"


def _node(version: float, **parameters: object) -> Document:
    return {"type": "n8n-nodes-base.crypto", "typeVersion": version, "parameters": parameters}


def _held(version: float, name: str = "crypto", **parameters: object) -> Document:
    """With keys: parameters in version 1, a credential in version 2."""
    node = _node(version, **parameters)
    return {**node, **named("crypto", name)} if version >= 2 else node


def _values() -> Iterator[NodeCase]:
    """Every value through every action that takes one."""
    key = credentials()["crypto"].values["signPrivateKey"]
    for version in (1, 2):
        for name, value in VALUES.items():
            item: Document = {"json": {"v": value}}
            for action in ("hash", "hmac"):
                node = _held(version, action=action, value=VALUE, secret="key")
                yield from in_modes(f"v{version} {action} {name}", node, (item,), EITHER)
            sign = _held(version, action="sign", value=VALUE, algorithm="RSA-SHA256", privateKey=key)
            yield from in_modes(f"v{version} sign {name}", sign, (item,), EITHER)
        for action in ("hash", "hmac"):
            node = _held(version, action=action, value="={{ $json.gone }}", secret="key")
            yield from in_modes(f"v{version} {action} undefined", node, ({"json": {"v": "x"}},), EITHER)


def _parameters() -> Iterator[NodeCase]:
    for version in (1, 2):
        for kind in (*TYPES, *OTHER_TYPES):
            for encoding in ("hex", "base64"):
                for action in ("hash", "hmac"):
                    given = {"action": action, "type": kind, "encoding": encoding, "value": "x", "secret": "k"}
                    yield from in_modes(f"v{version} {action} {kind} {encoding}", _held(version, **given), ONE, GOES_ON)
        for binary in ("data", "gone"):
            given = {"value": "x", "binaryData": True, "binaryPropertyName": binary, "secret": "k"}
            for action in ("hash", "hmac"):
                node = _held(version, action=action, **given)
                yield from in_modes(f"v{version} {action} file {binary}", node, ONE, EITHER)
        others: dict[str, Document] = {
            **{
                f"encoding {name}": {"value": "x", "encoding": name}
                for name in ("latin1", "binary", "ascii", "base64url", "utf8", "UTF-8", "HEX", "nonsense")
            },
            "computed type": {"value": "x", "type": "={{ 'SHA' + 1 }}"},
            "a path": {"value": "x", "dataPropertyName": "o.hash"},
            "a deep path": {"value": "x", "dataPropertyName": "p[1].q"},
            "a file that is not asked for": {"value": VALUE, "binaryData": False, "binaryPropertyName": "data"},
        }
        for name, parameters in others.items():
            yield from in_modes(f"v{version} {name}", _held(version, **parameters), ONE, EITHER)
        required: dict[str, Document] = {
            "nothing": {},
            "no type": {"value": "x", "type": ""},
            "no file": {"binaryData": True, "binaryPropertyName": ""},
            "no field": {"value": "x", "dataPropertyName": ""},
            "no secret": {"action": "hmac"},
            "no private key": {"action": "sign", "value": "x", "algorithm": "RSA-SHA256"},
        }
        for name, parameters in required.items():
            yield from in_modes(f"v{version} {name}", _node(version, **parameters), ONE, ("stop",))
        for name, parameters in {"hash": {"value": VALUE}, "file": {"binaryData": True}, "path": PATH}.items():
            yield from in_modes(f"v{version} several {name}", _node(version, **parameters), ITEMS)
    for action in ("hmac", "sign", "encrypt", "decrypt"):
        given = {"action": action, "value": "x", "algorithm": "RSA-SHA256"}
        yield from in_modes(f"v2 {action} without key", _node(2, **given), ONE)
    for name, secret in SECRETS.items():
        item: Document = {"json": {"s": secret}}
        node = _node(1, action="hmac", value="x", secret="={{ $json.s }}")
        yield from in_modes(f"secret {name}", node, (item,), EITHER)


PATH: Document = {"value": "x", "dataPropertyName": "o.made"}


def _signatures() -> Iterator[NodeCase]:
    held = {name: credentials()[name].values["signPrivateKey"] for name in ("crypto", "curve crypto")}
    for algorithm in ALGORITHMS:
        for encoding in ("hex", "base64"):
            given = {"action": "sign", "value": "x", "algorithm": algorithm, "encoding": encoding}
            for node in (_node(1, **given, privateKey=held["crypto"]), _held(2, **given)):
                label = f"v{node['typeVersion']} {algorithm} {encoding}"
                yield from in_modes(label, node, ONE, GOES_ON)
    keys = {
        "no key": "no key",
        "half": held["crypto"][:300],
        "one line": held["crypto"].replace("\n", " "),
        "escaped": held["crypto"].replace("\n", "\\n"),
        "blanks": f"\n{held['crypto']}\n\n",
    }
    for name, key in keys.items():
        given = {"action": "sign", "value": "x", "algorithm": "RSA-SHA256", "privateKey": key}
        yield from in_modes(f"key {name}", _node(1, **given), ONE, EITHER)


def _there_and_back() -> Iterator[WorkflowCase]:
    """What one node encrypts another one decrypts; what is random is left out of the comparison."""
    for mode, ciphers in {"symmetric": ("aes-256-gcm", "chacha20-poly1305", "nonsense"), "asymmetric": ("",)}.items():
        for cipher in ciphers:
            for name, value in {"text": "Grüße 😀", "empty": "", "number": 5, "long": "x" * 300}.items():
                given = {"mode": mode, **({"cipher": cipher} if cipher else {})}
                first = _placed("First", _held(2, action="encrypt", value=VALUE, dataPropertyName="made", **given))
                back = {"value": "={{ $json.made }}", "dataPropertyName": "back"}
                second = _placed("Second", _held(2, action="decrypt", **back, **given))
                yield WorkflowCase(
                    f"{mode} {cipher} {name}",
                    workflow([TRIGGER, first, second], {START: _link("First"), "First": _link("Second")}),
                    ({"json": {"v": value, "keep": 1}},),
                    nodes=("First", "Second"),
                    fields=("back", "keep"),
                )
    for name, value in {"no code": "x", "short": "AQID", "old": "CQ" * 60, "null": None}.items():
        for mode in ("symmetric", "asymmetric"):
            node = _placed("Second", {**_held(2, action="decrypt", value=VALUE, mode=mode), **MODES["item"]})
            document = workflow([TRIGGER, node], {START: _link("Second")})
            yield WorkflowCase(f"{mode} of {name}", document, ({"json": {"v": value}},))


def _placed(name: str, node: Document) -> Document:
    return {**node, "id": name, "name": name, "position": [0, 0]}


def _link(target: str) -> Document:
    return {"main": [[{"node": target, "type": "main", "index": 0}]]}


def _random() -> Iterator[WorkflowCase]:
    """The form of what is random, as a node behind sees it."""
    shape = "={{ [typeof $json.made, $json.made?.length] }}"
    hexadecimal = "={{ [typeof $json.made, $json.made?.length, /^[0-9a-f-]*$/.test($json.made)] }}"
    lengths: Mapping[str, object] = {
        "left out": None,
        "1": 1,
        "10": 10,
        "64": 64,
        "0": 0,
        "minus": -1,
        "half": 2.5,
        "text": "8",
        "word": "x",
        "large": 1000,
    }
    for version in (1, 2):
        for kind in ("hex", "uuid", "ascii", "base64", "nothing", None):
            form = shape if kind in ("ascii", "base64") else hexadecimal
            for name, length in lengths.items():
                given = {"action": "generate", "dataPropertyName": "made"}
                given |= {"encodingType": kind} if kind else {}
                given |= {} if length is None else {"stringLength": length}
                node = _placed("Made", {**_node(version, **given), **MODES["item"]})
                values = {"mode": "manual", "assignments": {"assignments": [_assigned("form", form)]}}
                behind = {"type": "n8n-nodes-base.set", "typeVersion": 3.4, "parameters": values}
                yield WorkflowCase(
                    f"v{version} {kind} {name}",
                    workflow([TRIGGER, node, _placed("Form", behind)], {START: _link("Made"), "Made": _link("Form")}),
                    ({"json": {"keep": 1}}, {"json": {}}),
                    nodes=("Form",),
                )


def _assigned(name: str, value: str) -> Document:
    return {"id": name, "name": name, "value": value, "type": "array"}


FAMILIES = (
    Family("Crypto: values", _values),
    Family("Crypto: parameters", _parameters),
    Family("Crypto: signatures", _signatures),
    Family("Crypto: encryption", _there_and_back),
    Family("Crypto: random values", _random),
)
