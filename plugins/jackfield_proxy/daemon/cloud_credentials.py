"""The credentials for clouds that the daemon's user has.

Those of AWS are in the environment, or in the file that AWS' tools share. Those of Google Cloud are where its own
package finds them.
"""

from __future__ import annotations

import configparser
import os
from collections.abc import Mapping
from pathlib import Path

_GOOGLE = ("GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG", "GCE_METADATA_HOST", "GCE_METADATA_IP")
_NAMES = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")


def of_aws() -> tuple[str, ...]:
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


def of_google() -> Mapping[str, str]:
    """The environment in which google-auth finds the application default credentials, without the home directory."""
    folder = {"CLOUDSDK_CONFIG": str(Path.home() / ".config" / "gcloud")}
    return folder | {name: os.environ[name] for name in _GOOGLE if name in os.environ}
