"""URLs as the clients read them: as httpx does, which has been the client, except where ours refuses more."""

from __future__ import annotations

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jackfield.api.http_addresses import HttpAddress
from jackfield.api.plain_http import client_url

ALPHABET = "aB/:.?#@[]%20éß① ;=&{}|\\^`\"<>-_~!$'()*+,1xn\x00"
REFUSED = ("its host has characters", "its host is no IPv6", "its path does not", "its port is not")


def seen(url: httpx.URL) -> tuple[object, ...]:
    raw = (url.raw_host.decode(), url.port, url.raw_path.decode(), url.netloc.decode(), url.userinfo.decode())
    return (url.scheme, *raw, url.username, url.password, url.host, str(url))


def ours(url: HttpAddress) -> tuple[object, ...]:
    raw = (url.host, url.port, url.target, url.netloc, url.user)
    return (url.scheme, *raw, url.username, url.password, url.unicode_host, str(url))


@given(st.sampled_from(["http://", "HTTPS://", "", "//", "http:"]), st.text(alphabet=ALPHABET, max_size=20))
@example("http://", "u:p%40@München.de:80/ä b/%2f/../c?x=%20+ ä#é")
@example("https://", "[2001:DB8::1]:443/?")
@example("http://", "1.2.3.4@5.6.7.8\\@x/")
def test_a_url_is_read_as_httpx_reads_it(start: str, rest: str) -> None:
    try:
        found = httpx.URL(start + rest)
        if found.raw_host.startswith(b"xn--"):  # whose `host` may raise
            return
        theirs = seen(found.copy_with(host=found.host.lower()) if ":" in found.host else found)
    except (httpx.InvalidURL, UnicodeError):
        with pytest.raises(ValueError, match="it"):
            HttpAddress.of(start + rest)
        return
    try:
        read = HttpAddress.of(start + rest)
    except ValueError as exc:
        refusal = str(exc)
    else:
        assert ours(read) == theirs
        return
    assert refusal.startswith(REFUSED)


@given(st.text(alphabet="ab/.?#%;=&ä", max_size=12))
@example("//other:8080/x")
@example("//%")
@example("http:/x")
def test_a_reference_leads_where_httpx_goes(reference: str) -> None:
    base = "http://u@h:81/a/b?c#d"
    try:
        theirs = str(httpx.URL(base).join(reference))
    except httpx.InvalidURL:
        with pytest.raises(ValueError, match="it"):
            HttpAddress.of(base).joined(reference)
        return
    try:
        found = HttpAddress.of(base).joined(reference)
    except ValueError as exc:
        refusal = str(exc)
    else:
        assert str(found) == theirs
        return
    assert refusal.startswith(REFUSED)


@given(st.text(alphabet=ALPHABET, max_size=20))
def test_aiohttp_takes_what_is_read_as_it_is(rest: str) -> None:
    try:
        address = HttpAddress.of(f"http://h/{rest}").without_user()
    except ValueError:
        return
    url = client_url(address)
    target = address.target if address.query else address.path or "/"  # an empty query goes without its question mark
    assert (url.raw_host, url.port, url.raw_path_qs) == ("h", 80, target)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("http://h:0/", "1 to 65535"),
        ("http://h:65536/", "1 to 65535"),
        ("http://h: 80/", "1 to 65535"),
        ("http://a b/", "host has characters"),
        ("http://a%2eb/", "host has characters"),
        ("http://[::1/", "no IPv6 address|host or port"),
        ("http://[1::2::3]/", "no IPv6 address"),
        ("http://0177.0.0.1/", "no IPv4 address"),
        ("http://h/" + "x" * 65_536, "65536 characters"),
        ("http://h/\t", "cannot be printed"),
        ("http://h/\ud800", "no Unicode text"),
    ],
)
def test_what_is_no_url_is_told_and_never_quoted(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told) as caught:
        HttpAddress.of(text)
    assert text not in str(caught.value)


def test_a_password_is_not_shown() -> None:
    assert repr(HttpAddress.of("http://me:hidden@h:81/a?b")) == "<HttpAddress http://h:81/a?b>"


def test_queries_are_added() -> None:
    assert str(HttpAddress.of("http://h/a").with_query("x=1")) == "http://h/a?x=1"
    assert str(HttpAddress.of("http://h/a?b=%20#f").with_query("x=1")) == "http://h/a?b=%20&x=1#f"
    assert str(HttpAddress.of("http://h/a?").with_query("")) == "http://h/a?"
