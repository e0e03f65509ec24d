"""Mail that others sent, as Gmail gives it."""

from __future__ import annotations

import base64
from email.header import Header
from email.message import EmailMessage
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield_vendors.messages.mail import parsed
from jackfield_vendors.messages.mail_headers import MAX_HEADER, decoded


def read(raw: bytes, **more: Any) -> Any:
    return parsed({"message": {"id": "m", "raw": base64.urlsafe_b64encode(raw).decode().rstrip("=")}, **more})


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("plain", "plain"),
        ("a folded\r\n line", "a folded line"),
        ("=?utf-8?q?Gr=C3=BC=C3=9Fe_an?= alle", "Gr\u00fc\u00dfe an alle"),
        ("=?UTF-8?B?w6Q=?=\r\n =?utf-8?b?w7Y=?= =?x", "\u00e4\u00f6 =?x"),
        ("=?iso-8859-1*en?Q?=E4?=b", "\u00e4b"),
        ("=?no-such?q?a?= =?utf-8?q?b?=", "=?no-such?q?a?= b"),
        ("=?utf-8?b?a?=", "=?utf-8?b?a?="),
        ("gr\udcc3\udcbcn", "gr\u00fcn"),
        ("\\u0041 =?utf-8?q?b?=", "\\u0041 b"),
    ],
)
def test_a_header_is_one_line_of_text(raw: str, text: str) -> None:
    assert decoded(raw) == text


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=80))
def test_what_was_encoded_is_read_again(text: str) -> None:
    assert decoded(Header(text, "utf-8").encode()) == text.strip() or text != text.strip()


HOSTILE = [
    *(part * 40_000 for part in (b",", b"(", b"<", b"a:", b"a.", b'"a" ', b"=?utf-8?q?", b"()", b"[", b"\\")),
    b"\xff\xfe\r\n \x00",
]


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: repr(value[:4]))
@pytest.mark.parametrize("name", ["To", "Subject", "Date", "Message-ID", "Content-Type", "Content-Disposition"])
def test_a_header_that_is_made_to_stop_its_reader_is_read(name: str, value: bytes) -> None:
    found = read(name.encode() + b": " + value + b"\r\n\r\nbody", files=True)
    assert len(found["headers"][name.lower()]) <= MAX_HEADER + len(name) + 2
    assert found["id"] == "m"


STRANGE = ["punycode", "Puny-Code", "IDNA", "unicode-escape", "zlib", "undefined", "a\0b", ""]


@pytest.mark.parametrize("charset", STRANGE)
def test_a_text_in_no_charset_of_mail_is_read_as_utf_8(charset: str) -> None:
    """A text of 200 KB in punycode would take a quarter of a minute."""
    text = "a-" + "9" * 200_000 + "\u00e4"
    found = read(f'Content-Type: text/plain; charset="{charset}"\r\n\r\n{text}'.encode())
    assert found["text"] == text
    words = f"=?{charset}?q?a-9?="
    assert read(f"Subject: {words}\r\n\r\n".encode())["subject"] == words


def test_a_text_is_read_in_its_charset() -> None:
    for charset, content, text in (
        ("iso-8859-1", b"\xe4\r\n", "\u00e4"),
        ("US-ASCII", b"a\xff", "a\ufffd"),
        ("utf-16", "\u00e4".encode("utf-16"), "\u00e4"),
    ):
        found = read(b"Content-Type: text/plain; charset=" + charset.encode() + b"\r\n\r\n" + content)
        assert found["text"].strip() == text


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message(raw: bytes) -> None:
    for head in (b"", b"To: ", b"From: <", b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n"):
        assert read(head + raw, files=True)["id"] == "m"


def test_names_with_commas_files_and_parts() -> None:
    made = EmailMessage()
    made["To"] = '=?utf-8?q?M=C3=BCller=2C_Eva?= <e@x.example>, b@x.example, "C, D" <c@x.example>'
    made["Cc"] = "undisclosed-recipients:;"
    made.set_content("gr\u00fcn")
    made.add_attachment(b"1", maintype="image", subtype="png", filename="b\u00e4r.png", disposition="inline")
    made.add_attachment(b"2", maintype="application", subtype="pdf", filename="a, b.pdf")
    found = read(made.as_bytes(), files=True, prefix="f")
    assert found["to"]["value"] == [
        {"address": "e@x.example", "name": "M\u00fcller, Eva"},
        {"address": "b@x.example", "name": ""},
        {"address": "c@x.example", "name": "C, D"},
    ]
    assert found["to"]["text"] == 'M\u00fcller, Eva <e@x.example>, b@x.example, "C, D" <c@x.example>'
    assert found["text"].strip() == "gr\u00fcn"
    assert [(one["field"], one["name"], one["type"]) for one in found["files"]] == [
        ("f0", "b\u00e4r.png", "image/png"),
        ("f1", "a, b.pdf", "application/pdf"),
    ]
