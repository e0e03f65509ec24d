"""The credentials for AWS that the daemon's user has: in the environment, or in the file that AWS' tools share."""

from __future__ import annotations

import configparser
import os
from pathlib import Path

_NAMES = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")


def found() -> tuple[str, ...]:
    """One key as `ACCESS:SECRET` or `ACCESS:SECRET:SESSION`, or none. Blocks."""
    access, secret, session = (os.environ.get(name, "") for name in _NAMES)
    if not (access and secret):
        access, secret, session = _of_file()
    return (":".join(part for part in (access, secret, session) if part),) if access and secret else ()


def _of_file() -> tuple[str, str, str]:
    place = os.environ.get("AWS_SHARED_CREDENTIALS_FILE") or str(Path.home() / ".aws" / "credentials")
    parser = configparser.RawConfigParser()
    try:
        parser.read(place, encoding="utf-8")
        section = parser[os.environ.get("AWS_PROFILE", "default")]
    except (configparser.Error, KeyError, OSError, UnicodeDecodeError):
        return "", "", ""
    access, secret, session = (section.get(name.lower(), "").strip() for name in _NAMES)
    return access, secret, session
