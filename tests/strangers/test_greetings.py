"""A concern that the kernel has no word of: a port, an extension point, a settings table and a route of strangers."""

from __future__ import annotations

from collections.abc import Callable

from jackfield.testing.daemon import Daemon

Strangers = Callable[..., Daemon]


def test_two_packages_make_a_concern_of_their_own(strangers: Strangers) -> None:
    api = strangers("greetings", "greetings-french", settings='[greetings]\nmark = "?"\n').admin()
    assert api.get("/greetings/french", params={"name": "Ada"}).json()["data"] == {"greeting": "Bonjour, Ada?"}
    assert api.get("/greetings/english").json()["data"] == {"greeting": "Hello, World?"}


def test_the_kernel_answers_for_them_as_for_its_own(strangers: Strangers) -> None:
    daemon = strangers("greetings")
    api = daemon.admin()
    missing = api.get("/greetings/french")
    assert missing.status_code == 404
    assert "languages are english" in missing.text
    assert api.get("/greetings/english", params={"name": "x" * 101}).status_code == 400
    assert daemon.client().get("/api/v1/greetings/english").status_code == 401
    assert "/api/v1/greetings/{language}" in daemon.admin().get(f"{daemon.base_url}/openapi.json").json()["paths"]


def test_a_package_without_the_one_that_it_extends_is_told(strangers: Strangers) -> None:
    daemon = strangers("greetings-french")
    assert daemon.client().get("/ready").status_code == 200
    listed = daemon.admin().get(f"{daemon.base_url}/api/plugins").json()["data"]
    plugins = {entry["name"]: entry for entry in listed}
    assert "jackfield_greetings" in plugins["greetings_french"]["error"]
