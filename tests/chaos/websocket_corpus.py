"""Conversations with a WebSocket that echoes, after the groups of Autobahn's suite: framing, pings, reserved bits,
opcodes, fragments, UTF-8, closing, sizes. Written from RFC 6455. Autobahn's groups 12 and 13 (compression) are not
here."""

from __future__ import annotations

from dataclasses import dataclass

from jackfield.testing.websocket import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, frame

PROTOCOL_ERROR, BAD_TEXT = 1002, 1007
NORMAL = frame(CLOSE, b"\x03\xe8")
Said = tuple[int, bytes]


@dataclass(frozen=True)
class Case:
    """sent: bytes; said: messages and pongs that come back, in order; code: of the closing frame that comes then."""

    name: str
    sent: bytes
    said: tuple[Said, ...] = ()
    code: int = 1000


def whole(name: str, *messages: Said) -> Case:
    """Messages in one frame each, which come back."""
    return Case(name, b"".join(frame(*message) for message in messages) + NORMAL, messages)


def parts(opcode: int, pieces: list[bytes], between: bytes = b"") -> bytes:
    """A message in fragments."""
    last = len(pieces) - 1
    return between.join(
        frame(CONTINUATION if place else opcode, piece, fin=place == last) for place, piece in enumerate(pieces)
    )


def split(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)] or [b""]


def _framing() -> list[Case]:
    sizes = (0, 1, 125, 126, 127, 128, 65535, 65536)
    return [
        whole(f"1: {kind} of {size} bytes", (opcode, letter * size))
        for size in sizes
        for kind, opcode, letter in (("text", TEXT, b"*"), ("binary", BINARY, b"\xfe"))
    ]


def _pings() -> list[Case]:
    payloads = (b"", b"Hello", bytes(range(8)), b"\xfe" * 125)
    found = [Case(f"2: a ping of {len(data)} bytes", frame(PING, data) + NORMAL, ((PONG, data),)) for data in payloads]
    many = [b"payload-%d" % number for number in range(10)]
    return [
        *found,
        Case("2: a ping of 126 bytes", frame(PING, b"\xfe" * 126), code=PROTOCOL_ERROR),
        Case("2: a pong that nobody asked for", frame(PONG, b"x") + NORMAL),
        Case("2: a pong, then a ping", frame(PONG, b"x") + frame(PING, b"y") + NORMAL, ((PONG, b"y"),)),
        Case(
            "2: ten pings", b"".join(frame(PING, data) for data in many) + NORMAL, tuple((PONG, data) for data in many)
        ),
    ]


def _reserved() -> list[Case]:
    hello = frame(TEXT, b"Hello")
    found = [
        Case(
            f"3: bits {bits} of {name}", hello + frame(opcode, data, reserved=bits), ((TEXT, b"Hello"),), PROTOCOL_ERROR
        )
        for bits in range(1, 8)
        for name, opcode, data in (("a text", TEXT, b"x"), ("a ping", PING, b""), ("a close", CLOSE, b"\x03\xe8"))
    ]
    return found + [
        Case(f"4: opcode {code} with {len(data)} bytes", hello + frame(code, data), ((TEXT, b"Hello"),), PROTOCOL_ERROR)
        for code in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15)
        for data in (b"", b"reserved")
    ]


def _fragments() -> list[Case]:
    two, ping = [b"fragment1", b"fragment2"], frame(PING, b"ping")
    joined = b"".join(two)
    wrong = {
        "a ping in two": parts(PING, two), "a pong in two": parts(PONG, two),
        "a continuation of nothing": frame(CONTINUATION, b"x"),
        "a continuation of nothing, not the last": frame(CONTINUATION, b"x", fin=False),
        "a text inside of a text": frame(TEXT, b"a", fin=False) + frame(TEXT, b"b"),
        "a text inside of a binary": frame(BINARY, b"a", fin=False) + frame(TEXT, b"b"),
    }  # fmt: skip
    found = [Case(f"5: {name}", data, code=PROTOCOL_ERROR) for name, data in wrong.items()]
    found.append(Case("5: a continuation behind a whole text", parts(TEXT, two) + frame(CONTINUATION, b"x"),
                      ((TEXT, joined),), PROTOCOL_ERROR))  # fmt: skip
    for kind, opcode in (("text", TEXT), ("binary", BINARY)):
        found += [
            Case(f"5: a {kind} in two", parts(opcode, two) + NORMAL, ((opcode, joined),)),
            Case(f"5: a ping in a {kind}", parts(opcode, two, ping) + NORMAL, ((PONG, b"ping"), (opcode, joined))),
            Case(f"5: a {kind} of empty parts", parts(opcode, [b"", b"", b""]) + NORMAL, ((opcode, b""),)),
            Case(
                f"5: a {kind} with empty parts", parts(opcode, [b"", b"middle", b""]) + NORMAL, ((opcode, b"middle"),)
            ),
            Case(f"5: a {kind} in 100 parts", parts(opcode, [b"p"] * 100) + NORMAL, ((opcode, b"p" * 100),)),
        ]
    return found


GOOD_TEXT = ("κόσμε", "Hello-µ@ßöäüàá-UTF-8!!", "\0", "\x7f", "\x80", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\ufffd",
             "\uffff", "\U00010000", "\U0010ffff", "漢字", "😀" * 10, "a\u0301")  # fmt: skip
BAD_BYTES = (
    b"\x80",
    b"\xbf",
    b"\x80\xbf\x80",
    b"\xc0",
    b"\xc0\xaf",
    b"\xc1\xbf",
    b"\xc2",
    b"\xe0\x80\xaf",
    b"\xe0\x9f\xbf",
    b"\xe1\x80",
    b"\xed\xa0\x80",
    b"\xed\xbf\xbf",
    b"\xef\xbf",
    b"\xf0\x80\x80\xaf",
    b"\xf0\x8f\xbf\xbf",
    b"\xf0\x9f\x98",
    b"\xf4\x90\x80\x80",
    b"\xf5\x80\x80\x80",
    b"\xf8\x88\x80\x80\x80",
    b"\xfc\x84\x80\x80\x80\x80",
    b"\xfe",
    b"\xff",
    b"\xce\xba\xe1\xbd\xb9\xcf\x83\xed\xa0\x80edited",
)


def _texts() -> list[Case]:
    found = [
        Case(f"6: {text[:4]!r} in parts of {size}", parts(TEXT, split(data, size)) + NORMAL, ((TEXT, data),))
        for text in GOOD_TEXT
        for data in (text.encode(),)
        for size in (1, 2, len(data))
    ]
    found += [
        Case(f"6: {data.hex()} in parts of {size}", parts(TEXT, split(data, size)), code=BAD_TEXT)
        for data in BAD_BYTES
        for size in (1, 2, len(data))
    ]
    for data in BAD_BYTES:
        found.append(Case(f"6: {data.hex()} behind good text", frame(TEXT, b"good" + data), code=BAD_TEXT))
        found.append(whole(f"6: {data.hex()} as binary", (BINARY, data)))
    return found


def _closing() -> list[Case]:
    def closed(code: int, reason: bytes = b"") -> bytes:
        return frame(CLOSE, code.to_bytes(2, "big") + reason)

    good = (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999)
    bad = (0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999)
    found = [Case(f"7: code {code}", closed(code), code=code) for code in good]
    found += [Case(f"7: code {code}", closed(code), code=PROTOCOL_ERROR) for code in bad]
    return [
        *found,
        Case("7: two closes", NORMAL + closed(1001)),
        Case("7: a ping behind a close", NORMAL + frame(PING, b"late")),
        Case("7: a text behind a close", NORMAL + frame(TEXT, b"late")),
        Case("7: a close inside of a text", frame(TEXT, b"a", fin=False) + NORMAL),
        Case("7: a reason", closed(1000, b"Hello")),
        Case("7: the longest reason", closed(1000, b"*" * 123)),
        Case("7: a reason that is too long", closed(1000, b"*" * 124), code=PROTOCOL_ERROR),
        Case("7: a reason that is no text", closed(1000, b"\xce\xba\xed\xa0\x80"), code=BAD_TEXT),
        Case("7: one byte", frame(CLOSE, b"\x03"), code=PROTOCOL_ERROR),
        Case("7: a close in two", frame(CLOSE, b"\x03\xe8", fin=False), code=PROTOCOL_ERROR),
        Case("7: no mask", frame(TEXT, b"x", mask=None), code=PROTOCOL_ERROR),
    ]


def _sizes() -> list[Case]:
    found = [whole(f"9: binary of {size:,} bytes", (BINARY, bytes(size))) for size in (1 << 18, 1 << 20, 1 << 22)]
    found += [
        Case(f"9: text of 1 MiB in parts of {size}", parts(TEXT, split(b"t" * (1 << 20), size)) + NORMAL,
             ((TEXT, b"t" * (1 << 20)),))
        for size in (256, 4096, 65536)
    ]  # fmt: skip
    return found


CASES = [*_framing(), *_pings(), *_reserved(), *_fragments(), *_texts(), *_closing(), *_sizes()]
