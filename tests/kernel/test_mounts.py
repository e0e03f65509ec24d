"""Raw applications by the first segments of the path."""

from __future__ import annotations

import pytest

from jackfield.api.asgi import AsgiMount, Receive, Scope, Send
from jackfield.api.errors import ConfigurationError
from jackfield.http.mounts import Mounts


async def _app(scope: Scope, receive: Receive, send: Send) -> None: ...


def mounts(*segments: str) -> Mounts:
    return Mounts([AsgiMount(segment, _app) for segment in segments])


@pytest.mark.parametrize(
    ("path", "segment"),
    [
        ("/webhook", "webhook"),
        ("/webhook/", "webhook"),
        ("/webhook/a/b", "webhook"),
        ("/webhooks", None),
        ("/ws", "ws"),
        ("/ws/", "ws"),
        ("/ws/other", "ws"),
        ("/ws/terminal", "ws/terminal"),
        ("/ws/terminal/1", "ws/terminal"),
        ("/ws/terminals", "ws"),
        ("/ws//terminal", "ws"),
        ("/only/deep/x", "only/deep"),
        ("/only/other", None),
        ("/only", None),
        ("/", ""),
        ("/terminal", None),
        ("//", ""),
    ],
)
def test_the_longest_wins(path: str, segment: str | None) -> None:
    for order in (1, -1):
        found = mounts(*["webhook", "ws", "ws/terminal", "only/deep", ""][::order]).find(path)
        assert (found and found.segment) == segment


@pytest.mark.parametrize(
    ("path", "segment"), [("/mcp", "mcp/"), ("/mcp/", "mcp/"), ("/mcp/a", "mcp"), ("/mcp//", "mcp"), ("/mcps", None)]
)
def test_a_path_alone_wins_over_all_that_is_below(path: str, segment: str | None) -> None:
    for order in (1, -1):
        found = mounts(*["mcp", "mcp/"][::order]).find(path)
        assert (found and found.segment) == segment
    assert mounts("mcp/").find("/mcp/a") is None


@pytest.mark.parametrize("segment", ["a/b/c", "/a", "a//b", "/"])
def test_what_is_no_mount(segment: str) -> None:
    with pytest.raises(ConfigurationError, match="one or two segments"):
        mounts(segment)


@pytest.mark.parametrize("segment", ["a", "a/b"])
def test_two_of_one_path(segment: str) -> None:
    with pytest.raises(ConfigurationError, match=f"/{segment}"):
        mounts("other", segment, segment)
