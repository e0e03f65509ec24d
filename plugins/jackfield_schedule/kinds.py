"""The kinds of nodes that start workflows at times; `rules` reads the parameters of each."""

from __future__ import annotations

KINDS = ("scheduleTrigger", "cron", "interval")
