"""Who may send a form."""

from __future__ import annotations

import pytest

from jackfield.api.errors import AccessDenied
from jackfield.api.workflows import Node
from jackfield_forms.guarding import check_caller, check_own_page


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"sec-fetch-site": "none"},
        {"sec-fetch-site": "same-origin", "origin": "null"},
        {"origin": "http://127.0.0.1:8765", "host": "127.0.0.1:8765"},
        {"origin": "https://forms.example.com", "host": "forms.example.com"},
        {"origin": "https://forms.example.com", "host": "forms.example.com:443"} | {"sec-fetch-site": "same-origin"},
    ],
)
def test_the_own_page_and_programs_may_send(headers: dict[str, str]) -> None:
    check_own_page(headers)


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "origin": "http://127.0.0.1:8765", "host": "127.0.0.1:8765"},
        {"origin": "https://evil.example", "host": "127.0.0.1:8765"},
        {"origin": "http://127.0.0.1:9999", "host": "127.0.0.1:8765"},
        {"origin": "null", "host": "127.0.0.1:8765"},
        {"origin": "", "host": ""},
    ],
)
def test_pages_of_other_sites_may_not(headers: dict[str, str]) -> None:
    with pytest.raises(AccessDenied):
        check_own_page(headers)


def form(**options: object) -> Node:
    return Node("1", "F", "formTrigger", "formTrigger", 2.2, {"options": options})  # type: ignore[dict-item]


def test_addresses_and_robots() -> None:
    listed = form(ipWhitelist="10.0.0.0/8, 192.0.2.1")
    check_caller(listed, "10.1.2.3", {})
    check_caller(listed, "::ffff:192.0.2.1", {})
    for client in ("192.0.2.2", "unknown"):
        with pytest.raises(AccessDenied):
            check_caller(listed, client, {})
    with pytest.raises(AccessDenied):
        check_caller(form(ipWhitelist=["not", "a", "list"]), "10.1.2.3", {})  # closed, not open, by mistake
    with pytest.raises(AccessDenied):
        check_caller(form(ignoreBots=True), "10.1.2.3", {"user-agent": "Googlebot/2.1"})
    check_caller(form(ignoreBots=True), "10.1.2.3", {"user-agent": "Mozilla/5.0"})
