"""English."""

from __future__ import annotations


class English:
    """`Language`."""

    name = "english"

    def greeting(self, name: str) -> str:
        return f"Hello, {name}"


ENGLISH = English()
