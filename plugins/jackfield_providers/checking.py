"""`jackfield providers validate`: what a provider's model cannot know."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.manifest_checks.checking import ManifestCheck, check_manifest
from jackfield.api.providers import Provider
from jackfield_providers.dialect_manifests import DialectManifest

DIALECT_FOLDERS = ("dialects", "dialects.d")
SCHEMES = ("https", "http")
SAMPLE = {"sample": "https://api.example"}
"""Endpoints in whose place a file has none that can be looked at."""


async def validated(_: PluginContext, files: Sequence[Path]) -> list[dict[str, Json]]:
    """One view for each file, in their order. A file in a folder of dialects is checked against their model."""
    return [await asyncio.to_thread(_checked, file) for file in files]


def _checked(file: Path) -> dict[str, Json]:
    if file.absolute().parent.name in DIALECT_FOLDERS:
        return check_manifest(file, DialectManifest).view()
    return checked_provider(file).view()


def checked_provider(file: Path) -> ManifestCheck[Provider]:
    """Everything that is wrong with a provider's manifest. Blocks."""
    # The stand-in of the type is one that every platform serves.
    check = check_manifest(file, Provider, {"id": "sample", "type": "anthropic-compatible", "endpoints": SAMPLE})
    if (provider := check.sound) is not None:
        _endpoints(check, provider)
        _models(check, provider)
    return check


def _endpoints(check: ManifestCheck[Provider], provider: Provider) -> None:
    """The entry `default` may be the name of another one. An agent with its own login needs no address, and may be
    meant where the type is wrong or missing."""
    may_be_empty = provider.type == "self" or check.is_told(("type",))
    for name, url in provider.endpoints.items():
        if (name == "default" and url in provider.endpoints) or (may_be_empty and not url):
            continue
        if check.is_told(("endpoints", name)):
            continue
        if reason := _bad_url(url):
            check.add(("endpoints", name), reason)


def _bad_url(url: str) -> str:
    try:
        found = urlsplit(url)
    except ValueError as exc:
        return f"{url} is no URL ({str(exc).lower()})"
    if found.scheme not in SCHEMES or "://" not in url:
        return f"the address {url} has no scheme; write https://{url.split('://')[-1]}, or http:// for one without TLS"
    return "" if found.hostname else f"the address {url} names no host"


def _models(check: ManifestCheck[Provider], provider: Provider) -> None:
    default, listed = provider.models.default, provider.models.available
    if default is not None and listed and default not in listed:
        message = f"models.available does not list the model {default}"
        check.add(("models", "default"), message, severity="warning", known=listed, named=default)
