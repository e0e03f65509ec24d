"""Which of the encodings that the build has made the browser takes (RFC 9110 section 12.5.3)."""

from __future__ import annotations

from collections.abc import Collection

SUFFIXES = {"br": ".br", "gzip": ".gz"}
"""Encoding -> suffix of the file beside the plain one; the better one first."""
LONGEST = 1000
"""Bytes of the header that are looked at."""


def accepted(header: bytes, there: Collection[str]) -> str:
    """An encoding, or nothing for the plain file."""
    weights = dict(map(weighed, header[:LONGEST].decode("latin-1").lower().split(",")))
    return next((name for name in SUFFIXES if name in there and weights.get(name, weights.get("*", 0.0)) > 0), "")


def weighed(part: str) -> tuple[str, float]:
    """One element of the header: the coding and its weight."""
    name, _, more = part.partition(";")
    try:
        return name.strip(), float(more.strip().removeprefix("q=") or 1)
    except ValueError:
        return name.strip(), 0.0
