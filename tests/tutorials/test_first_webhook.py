"""The tutorial of the first webhook, from the start of the daemon to a signed call."""

from __future__ import annotations

from .reader import Reader
from .reading import steps


def test_each_step_does_what_the_page_says(reader: Reader) -> None:
    reader.follow(steps("first-webhook.md"))
