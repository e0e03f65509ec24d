"""Requests that programs on their way may read in two ways, and odd ones that have one reading. Source: RFC 9112, 9110.

Each is followed by `SECOND` on its connection. A refused one gets one answer, 4xx or 5xx, and the end of the
connection; else the body has to arrive as it is, and the second request is answered too.
"""

from __future__ import annotations

from dataclasses import dataclass

BODY = b'{"n":1}'
PATH = "/webhook/read"
CHUNKED = b"7\r\n" + BODY + b"\r\n0\r\n\r\n"
INNER = b"GET /inner HTTP/1.1\r\nHost: %HOST%\r\n\r\n"
SECOND = b"GET /health HTTP/1.1\r\nHost: %HOST%\r\nConnection: close\r\n\r\n"


@dataclass(frozen=True)
class Case:
    """read: the status of the one request that it is, with `BODY`. None: it is refused. framed: nobody reads its end
    otherwise; a server that refuses it, or reads it leniently, may go on behind it."""

    name: str
    data: bytes
    read: int | None = None
    framed: bool = False


def post(*lines: bytes, body: bytes = BODY, start: bytes = b"POST " + PATH.encode() + b" HTTP/1.1") -> bytes:
    return b"\r\n".join([start, b"Host: %HOST%", b"Content-Type: application/json", *lines, b"", b""]) + body


def _lengths() -> list[Case]:
    wrong = {
        "plus": b"+7",
        "minus": b"-7",
        "hexadecimal": b"0x7",
        "underscore": b"0_7",
        "exponent": b"7e0",
        "float": b"7.0",
        "two values": b"7, 8",
        "words": b"7 7",
        "empty": b"",
        "letters": b"seven",
        "fullwidth": "７".encode(),
        "superscript": "⁷".encode(),
        "arabic": "٧".encode(),
        "no-break space": "\u00a07".encode(),
        "quoted": b'"7"',
        "beyond 64 bits": b"18446744073709551623",
        "thousands of digits": b"9" * 5000,
        "NUL behind": b"7\0",
        "vertical tab": b"\x0b7",
        "form feed": b"7\x0c",
        "semicolon": b"7;a",
    }
    found = [Case(f"length: {name}", post(b"Content-Length: " + value)) for name, value in wrong.items()]
    found += [
        Case("length: two that differ", post(b"Content-Length: 7", b"Content-Length: 0")),
        Case("length: two that differ, the other way round", post(b"Content-Length: 0", b"Content-Length: 7")),
        Case("length: leading zeros", post(b"Content-Length: 0007"), read=200),
        Case("length: spaces and tabs around", post(b"Content-Length: \t 7 \t"), read=200),
        Case("length: no space", post(b"content-length:7"), read=200),
    ]
    return found


def _codings() -> list[Case]:
    def chunked(*lines: bytes) -> bytes:
        return post(*lines, body=CHUNKED)

    values = {
        "identity": b"identity",
        "twice in one": b"chunked, chunked",
        "chunked is not the last": b"chunked, identity",
        "gzip before": b"gzip, chunked",
        "prefix": b"xchunked",
        "suffix": b"chunkedx",
        "parameter": b"chunked;q=1",
        "quoted": b'"chunked"',
        "vertical tab": b"\x0bchunked",
        "NUL": b"chunked\0",
        "empty": b"",
        "comma": b",chunked",
        "long s": "chunked".replace("k", "\u212a").encode(),
        "trailers": b"trailers, chunked",
    }
    found = [Case(f"coding: {name}", chunked(b"Transfer-Encoding: " + value)) for name, value in values.items()]
    found += [
        Case("coding: with a length", chunked(b"Transfer-Encoding: chunked", b"Content-Length: 22")),
        Case("coding: behind a length", chunked(b"Content-Length: 22", b"Transfer-Encoding: chunked")),
        Case("coding: with a length of 0", chunked(b"Content-Length: 0", b"Transfer-Encoding: chunked")),
        Case("coding: twice", chunked(b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked")),
        Case("coding: twice, one unknown", chunked(b"Transfer-Encoding: chunked", b"Transfer-Encoding: x")),
        Case("coding: unknown with a length", post(b"Transfer-Encoding: x", b"Content-Length: 7")),
        Case("coding: space before the colon", chunked(b"Transfer-Encoding : chunked")),
        Case("coding: tab before the colon", chunked(b"Transfer-Encoding\t: chunked")),
        Case("coding: folded", chunked(b"Transfer-Encoding:\r\n chunked")),
        Case("coding: folded behind another", post(b"X-A: b\r\n Transfer-Encoding: chunked", b"Content-Length: 7")),
        Case(
            "coding: HTTP/1.0",
            post(b"Transfer-Encoding: chunked", body=CHUNKED, start=b"POST " + PATH.encode() + b" HTTP/1.0"),
        ),
        Case("coding: another case", chunked(b"tRANSFER-eNCODING: CHUNKED"), read=200),
        Case("coding: spaces and tabs around", chunked(b"Transfer-Encoding: \t chunked \t"), read=200),
    ]
    return found


def _chunks() -> list[Case]:
    line = b"\r\n" + BODY + b"\r\n"

    def sized(size: bytes, rest: bytes = line + b"0\r\n\r\n") -> bytes:
        return post(b"Transfer-Encoding: chunked", body=size + rest)

    wrong = {
        "plus": b"+7",
        "minus": b"-7",
        "0x": b"0x7",
        "underscore": b"0_7",
        "space before": b" 7",
        "empty": b"",
        "comma": b"7,7",
        "letters": b"g",
        "beyond 64 bits": b"10000000000000007",
        "thousands of digits": b"0" * 5000 + b"7",
        "fullwidth": "７".encode(),
        "NUL": b"7\0",
        "bare CR in an extension": b"7;a\rb",
        "bare LF in an extension": b"7;a\nb",
    }
    found = [Case(f"chunk: {name}", sized(size), framed=name == "thousands of digits") for name, size in wrong.items()]
    found += [
        Case("chunk: size ends in LF", sized(b"7", b"\n" + BODY + b"\r\n0\r\n\r\n")),
        Case("chunk: data ends in LF", sized(b"7", b"\r\n" + BODY + b"\n0\r\n\r\n")),
        Case("chunk: data is longer than its size", sized(b"6")),
        Case("chunk: data is shorter than its size", sized(b"9")),
        Case("chunk: last one ends in LF", sized(b"7", line + b"0\n\r\n")),
        Case("chunk: end in LF", sized(b"7", line + b"0\r\n\n")),
        Case("chunk: trailer without a colon", sized(b"7", line + b"0\r\nX\r\n\r\n")),
        Case("chunk: folded trailer", sized(b"7", line + b"0\r\nX: a\r\n b\r\n\r\n")),
        Case("chunk: space before the trailer's colon", sized(b"7", line + b"0\r\nX : a\r\n\r\n")),
        Case("chunk: extension", sized(b"7;a=b"), read=200),
        Case("chunk: quoted extension", sized(b'7;a="b c"'), read=200),
        Case("chunk: leading zeros", sized(b"0007"), read=200),
        Case("chunk: trailer", sized(b"7", line + b"0\r\nX-A: b\r\n\r\n"), read=200),
        Case(
            "chunk: a length as trailer",
            sized(b"7", line + b"0\r\nContent-Length: 9\r\n\r\n"),
            read=200,
        ),
        Case("chunk: two", sized(b"3", b"\r\n" + BODY[:3] + b"\r\n4\r\n" + BODY[3:] + b"\r\n0\r\n\r\n"), read=200),
    ]
    return found


def _headers() -> list[Case]:
    length = b"Content-Length: 7"
    wrong = {
        "folded": b"X-A: b\r\n c",
        "folded with a tab": b"X-A: b\r\n\tc",
        "bare LF": b"X-A: b\nX-C: d",
        "bare CR": b"X-A: b\rc",
        "NUL": b"X-A: b\0",
        "no colon": b"X-A",
        "no name": b": b",
        "space in the name": b"X A: b",
        "space before the colon": b"X-A : b",
        "tab before the colon": b"X-A\t: b",
        "parenthesis in the name": b"X(A): b",
        "NUL in the name": b"X\0A: b",
        "not ASCII in the name": "X-Ä: b".encode(),
        "vertical tab in the name": b"X\x0bA: b",
        "slash in the name": b"X/A: b",
    }
    found = [Case(f"header: {name}", post(line, length)) for name, line in wrong.items()]
    start = b"POST " + PATH.encode() + b" HTTP/1.1\r\n"
    rest = b"Content-Type: application/json\r\nContent-Length: 7\r\n\r\n" + BODY
    found += [
        Case("header: space before the first", start + b" X-A: b\r\nHost: %HOST%\r\n" + rest),
        Case("header: all lines end in LF", post(length).replace(b"\r\n", b"\n")),
        Case("header: the empty line is LF", post(length).replace(b"\r\n\r\n", b"\r\n\n")),
        Case("header: no Host", start + rest, framed=True),
        Case("header: two Hosts", start + b"Host: %HOST%\r\nHost: %HOST%\r\n" + rest, framed=True),
        Case("header: two Hosts that differ", start + b"Host: %HOST%\r\nHost: other\r\n" + rest, framed=True),
        Case("header: Host with a space", start + b"Host: %HOST% other\r\n" + rest, read=403),
        Case("header: Host with a user", start + b"Host: other@%HOST%\r\n" + rest, read=403),
        Case("header: two lists in Host", start + b"Host: %HOST%, other\r\n" + rest, read=403),
        Case("header: empty value", post(b"X-A:", length), read=200),
        Case("header: octets above ASCII in the value", post("X-A: ä".encode(), length), read=200),
    ]
    return found


def _lines() -> list[Case]:
    path = PATH.encode()
    wrong = {
        "two spaces": b"POST  " + path + b" HTTP/1.1",
        "space at the end": b"POST " + path + b" HTTP/1.1 ",
        "space before": b" POST " + path + b" HTTP/1.1",
        "tab": b"POST\t" + path + b"\tHTTP/1.1",
        "small letters of the version": b"POST " + path + b" http/1.1",
        "version 1.10": b"POST " + path + b" HTTP/1.10",
        "version 1.": b"POST " + path + b" HTTP/1.",
        "version 2.0": b"POST " + path + b" HTTP/2.0",
        "version 0.9": b"POST " + path + b" HTTP/0.9",
        "no version": b"POST " + path,
        "version 11.1": b"POST " + path + b" HTTP/11.1",
        "space in the target": b"POST " + path + b"/a b HTTP/1.1",
        "NUL in the target": b"POST " + path + b"\0 HTTP/1.1",
        "CR in the target": b"POST " + path + b"\rx HTTP/1.1",
        "no method": path + b" HTTP/1.1",
        "parenthesis in the method": b"PO(ST " + path + b" HTTP/1.1",
    }
    found = [
        Case(f"line: {name}", post(b"Content-Length: 7", start=start), framed=name == "two spaces")
        for name, start in wrong.items()
    ]
    # RFC 9112 section 2.2 would rather have it ignored.
    found.append(Case("line: an empty one before", b"\r\n" + post(b"Content-Length: 7"), framed=True))
    return found


def _inner() -> list[Case]:
    """The classical attacks: a body that is a request where one reading ends earlier."""
    length = b"Content-Length: %d" % (len(INNER) + 5)
    return [
        Case("inner: CL.TE", post(length, b"Transfer-Encoding: chunked", body=b"0\r\n\r\n" + INNER)),
        Case(
            "inner: TE.CL",
            post(b"Transfer-Encoding: chunked", b"Content-Length: 4", body=b"29\r\n" + INNER + b"\r\n0\r\n\r\n"),
        ),
        Case(
            "inner: TE.TE",
            post(length, b"Transfer-Encoding: chunked", b"Transfer-encoding: x", body=b"0\r\n\r\n" + INNER),
        ),
        Case("inner: TE.TE with a space", post(length, b"Transfer-Encoding : chunked", body=b"0\r\n\r\n" + INNER)),
        Case("inner: CL.0 of GET", post(b"Content-Length: %d" % len(INNER), b"Content-Length: 0", body=INNER)),
        Case("inner: a header that ends the head", post(b"X-A: b\n\n" + INNER, b"Content-Length: 7")),
    ]


CASES = [*_lengths(), *_codings(), *_chunks(), *_headers(), *_lines(), *_inner()]
