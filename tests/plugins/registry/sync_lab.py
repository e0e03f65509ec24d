"""The commits of the source, the oldest first."""

from __future__ import annotations

from registry_lab import COMMITS

ONE, TWO, THREE, FOUR = COMMITS
DAY = 86_400
