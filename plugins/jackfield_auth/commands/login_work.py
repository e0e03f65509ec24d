"""How `jackfield login` gets its key: by a redirect to this machine, or by a code for a browser elsewhere."""

from __future__ import annotations

import os
import secrets
import socket
import sys
import time
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from jackfield.api.cli import echo_remark, echo_warning
from jackfield.api.command_credentials import (
    CommandCredential,
    command_credential,
    forget_credential,
    keep_credential,
)
from jackfield.api.daemon import DaemonClient
from jackfield.api.daemon_commands import segment
from jackfield.api.errors import JackfieldError, NotFound
from jackfield.api.host_names import is_loopback
from jackfield.api.random_texts import s256_challenge
from jackfield_auth.command_logins.addresses import CODE_GRANT, DEVICE, DEVICE_GRANT, PAGE, REQUEST, TOKEN
from jackfield_auth.commands.login_answers import AskedOften, LoginAnswer, TokenEndpoint
from jackfield_auth.commands.login_callback import LoginCallback

_SLOWER = 5.0
"""Seconds that RFC 8628 section 3.5 adds to the interval after `slow_down`."""


def log_in(config_dir: Path, url: str, name: str, scopes: Sequence[str], device: bool) -> CommandCredential:
    """The key, which is kept. An earlier one for the same daemon is revoked.

    Raises `DaemonAbsent`, `JackfieldError`."""
    daemon = DaemonClient(config_dir, url)
    address = daemon.base
    parts = urlsplit(address)
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        echo_warning(f"{address} has no TLS. Others on the way can read the key.")
    before = _earlier(config_dir, address)
    endpoint = TokenEndpoint(daemon)
    asked = {"client_name": name or socket.gethostname(), "scope": " ".join(scopes)}
    told = _by_code(endpoint, asked) if device or not _has_browser() else _by_redirect(endpoint, address, asked)
    made = CommandCredential(
        address, told.text("username"), told.text("access_token"), told.text("key_id"), told.text("expires_at", "")
    )
    keep_credential(config_dir, made)
    if before is not None:
        with suppress(JackfieldError):  # it may have ended, and ends by itself in any case
            _revoke(daemon, before)
    return made


def log_out(config_dir: Path, url: str, forget: bool) -> CommandCredential:
    """The login that has ended. Raises `NotFound` when there is none, `DaemonAbsent` unless forget."""
    daemon = DaemonClient(config_dir, url)
    found = command_credential(config_dir, daemon.base)
    if found is None:
        raise NotFound(f"You are not logged in at {daemon.base}.")
    try:
        _revoke(daemon, found)
    except JackfieldError as exc:
        if not forget:
            raise
        echo_warning(f"The key {found.key_id} was not revoked: {exc.message} Revoke it in your list of API keys.")
    forget_credential(config_dir, daemon.base)
    return found


def _earlier(config_dir: Path, address: str) -> CommandCredential | None:
    try:
        return command_credential(config_dir, address)
    except JackfieldError:
        return None  # damaged; the new one replaces it


def _revoke(daemon: DaemonClient, one: CommandCredential) -> None:
    """A key that counts no more is revoked already. Raises `DaemonAbsent`, `JackfieldError`."""
    path = f"/api/v1/api-keys/{segment(one.key_id)}"
    status = daemon.send("DELETE", path, headers={"X-API-Key": one.key}).status
    if status not in (204, 401, 404):
        raise JackfieldError(f"The daemon answered with the status {status}.")


def _has_browser() -> bool:
    """A browser of a terminal runs no script, so that it does not count."""
    if os.environ.get("BROWSER") or sys.platform == "darwin":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _by_redirect(endpoint: TokenEndpoint, address: str, asked: dict[str, str]) -> LoginAnswer:
    verifier, state = secrets.token_urlsafe(48), secrets.token_urlsafe(32)
    with LoginCallback(state) as callback:
        proof = {"response_type": "code", "code_challenge": s256_challenge(verifier), "code_challenge_method": "S256"}
        form = {**asked, **proof, "state": state, "redirect_uri": callback.address}
        begun = endpoint.ask(REQUEST, form)
        page = f"{address}{PAGE}#{begun.text('request_uri')}"
        if webbrowser.open(page):
            echo_remark(f"Your browser shows the login. If it does not, open {page}")
        else:
            echo_remark(f"Open {page}")
        code = callback.wait(begun.number("expires_in"))
        fetched = {"grant_type": CODE_GRANT, "code": code, "code_verifier": verifier}
        return endpoint.ask(TOKEN, {**fetched, "redirect_uri": callback.address})


def _by_code(endpoint: TokenEndpoint, asked: dict[str, str]) -> LoginAnswer:
    begun = endpoint.ask(DEVICE, asked)
    echo_remark(f"Open {begun.text('verification_uri')} in a browser, and type the code {begun.text('user_code')}")
    interval, deadline = begun.number("interval"), time.monotonic() + begun.number("expires_in")
    form = {"grant_type": DEVICE_GRANT, "device_code": begun.text("device_code")}
    while time.monotonic() < deadline:
        time.sleep(interval)
        try:
            found = endpoint.poll(TOKEN, form)
        except AskedOften:
            interval += _SLOWER
            continue
        if found is not None:
            return found
    raise JackfieldError("Nobody has decided in time. Run the command again.", code="LOGIN_TIMEOUT")
