"""Addresses below a base that a user gives."""

from __future__ import annotations

import pytest

from jackfield.api.urls import joined

AZURE = "https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21"


@pytest.mark.parametrize(
    ("base", "query", "expected"),
    [
        ("http://h/v1", "", "http://h/v1/chat"),
        ("http://h/v1/", "", "http://h/v1/chat"),
        ("http://h", "beta=true", "http://h/chat?beta=true"),
        (" http://h/v1?#top", "", "http://h/v1/chat"),
        ("http://h/v1/?a=1", "", "http://h/v1/chat?a=1"),
        (AZURE, "", "https://x.openai.azure.com/openai/deployments/d/chat?api-version=2024-10-21"),
        ("http://h?a=1", "b=2", "http://h/chat?a=1&b=2"),
        ("http://h?a=1&", "&b=2&", "http://h/chat?a=1&b=2"),
        ("http://h?api-version=1", "api-version=2&b", "http://h/chat?api-version=1&b"),
        ("http://h?a+b=1", "a%20b=2&c=%2F", "http://h/chat?a+b=1&c=%2F"),
        ("http://h?sig=a%2Fb%3D&x=/?", "", "http://h/chat?sig=a%2Fb%3D&x=/?"),
        ("http://h", "a=1&a=2", "http://h/chat?a=1&a=2"),
    ],
)
def test_the_path_goes_before_the_query_of_the_base(base: str, query: str, expected: str) -> None:
    assert joined(base, "/chat", query) == expected


def test_a_part_that_both_have_is_there_once() -> None:
    assert joined("http://h/a/v1/?k=1", "/v1/messages", without="/v1") == "http://h/a/v1/messages?k=1"
    assert joined("http://h/a", "/v1/messages", without="/v1") == "http://h/a/v1/messages"
