"""The built-in plugins get along with each other: no two give a thing of one name."""

from __future__ import annotations

from collections.abc import Callable

from jackfield.testing.daemon import Daemon

LISTS = ("/node-types?schemas=false", "/credential-kinds")
"""What is asked of plugins only when somebody wants to know."""


def test_none_fails_when_all_that_they_give_is_asked_for(new_daemon: Callable[..., Daemon]) -> None:
    daemon = new_daemon()
    api = daemon.admin()
    for path in LISTS:
        assert api.get(path).json()["data"]
    plugins = daemon.client().get("/api/plugins").json()["data"]
    assert {one["name"] for one in plugins} > {"vendors", "ai"}
    assert [one for one in plugins if one["status"] != "loaded" or one["error"]] == []
