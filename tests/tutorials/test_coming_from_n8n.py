"""The tutorial for those who come from n8n: in, called at its old path, and out again."""

from __future__ import annotations

from .reader import Reader
from .reading import steps


def test_each_step_does_what_the_page_says(reader: Reader) -> None:
    reader.follow(steps("coming-from-n8n.md"))
