"""Addresses of services whose base a user gives."""

from __future__ import annotations

from urllib.parse import unquote_plus


def joined(base: str, path: str, query: str = "", *, without: str = "") -> str:
    """The address of `path` below `base`, as text that is encoded already.

    `base` may have a query, such as Azure's `?api-version=...`: the path goes before it, and `query` is added to it. Of
    a name that both have, what `base` says counts: it is the configuration, and servers refuse such a name twice.
    `without`: an end of the base's path that `path` has as well.
    """
    address, _, own = base.strip().partition("#")[0].partition("?")
    own = own.strip("&")
    named = {_name(pair) for pair in own.split("&")} if own else set()
    more = [pair for pair in query.split("&") if pair and _name(pair) not in named]
    asked = "&".join([own, *more] if own else more)
    return address.rstrip("/").removesuffix(without) + path + (f"?{asked}" if asked else "")


def _name(pair: str) -> str:
    return unquote_plus(pair.partition("=")[0])
