"""A login of a real daemon that cannot end without a second factor."""

from __future__ import annotations

from collections.abc import Callable

import pyotp

from jackfield.testing.daemon import Daemon


def test_whoever_needs_a_factor_reaches_its_setup(new_daemon: Callable[..., Daemon]) -> None:
    daemon = new_daemon('[security.second_factor]\nroles = ["viewer"]\n')
    ada = {"username": "ada", "password": "longpassword1"}
    assert daemon.admin().post("/users", json={**ada, "role": "viewer"}).status_code == 201
    stranger = {"Origin": daemon.base_url, "Sec-Fetch-Site": "same-origin", "X-Forwarded-For": "192.0.2.9"}
    page = daemon.client(headers=stranger)
    for method, path in (("POST", "factors/totp"), ("DELETE", "factors/totp"), ("GET", "passkeys")):
        assert page.request(method, f"/api/session/{path}").status_code == 401
    assert page.post("/api/session", json=ada).json()["data"]["step"]["has_to_set_up"]
    asked = page.post("/api/session/factors/totp")
    assert asked.status_code == 200, asked.text
    code = pyotp.TOTP(asked.json()["data"]["secret"]).now()
    assert page.put("/api/session/factors/totp", json={"code": code}).status_code == 200
    assert page.get("/api/session").json()["data"]["user"]["username"] == "ada"
