"""How much a Gemini model thinks, both ways: 3 and later take a level, 2.5 a budget, older ones neither.

Source: 'Gemini thinking' of Google's documentation.
"""

from __future__ import annotations

import re

from ..fields import invalid, opt_bool, opt_text
from ..model import Effort, Object, Reasoning, UpstreamModel
from ..models import budget_of, effort_named, effort_of
from .naming import camel

_VERSION = re.compile(r".*gemini-(\d{1,2})(?:\.(\d{1,2}))?(?!\d)").match
_LATEST = re.compile(r".*gemini-(?:pro|flash|flash-lite)-latest").match
DYNAMIC = -1
"""The budget with which the model decides by itself."""
_MOST = {"pro": 32_768, "flash": 24_576}
_LEAST = {"pro": 128, "flash": 0}
_LEVELS: dict[Effort, str] = {
    "minimal": "minimal",
    "low": "low",
    "medium": "medium",
    "high": "high",
    "xhigh": "high",
    "max": "high",
}


def version_of(model: str) -> tuple[int, int]:
    """(0, 0) for a name that says none."""
    if _LATEST(model):
        return 3, 0
    found = _VERSION(model)
    return (int(found[1]), int(found[2] or 0)) if found else (0, 0)


def thinking_config(reasoning: Reasoning | None, target: UpstreamModel) -> Object | None:
    """None: nothing is said, and the model's own default counts."""
    version = version_of(target.model)
    thinks = target.reasoning if target.reasoning is not None else version >= (2, 5)
    if reasoning is None or not thinks:
        return None
    enabled = reasoning.enabled or reasoning.effort is not None
    config: Object = {"includeThoughts": enabled}
    if version >= (3, 0) or version == (0, 0):
        level = _level(reasoning, target.model) if enabled else _lowest(target.model)
        return {**config, "thinkingLevel": level} if level else config
    family = "pro" if "pro" in target.model else "flash"
    if not enabled:
        return {**config, "thinkingBudget": _LEAST[family]}
    if reasoning.budget is None and reasoning.effort is None:
        return {**config, "thinkingBudget": DYNAMIC}
    return {**config, "thinkingBudget": min(max(budget_of(reasoning), _LEAST[family]), _MOST[family])}


def _lowest(model: str) -> str:
    """None of them can do without thinking."""
    return "low" if "pro" in model else "minimal"


def _level(reasoning: Reasoning, model: str) -> str:
    """Empty: as much as the model finds right."""
    if reasoning.budget is None and reasoning.effort is None:
        return ""
    level = _LEVELS[effort_of(reasoning)]
    if "gemini-3-pro" in model:  # which has two
        return "high" if level in ("medium", "high") else "low"
    return "low" if level == "minimal" and "pro" in model else level


def parse_thinking(config: Object | None, where: str) -> Reasoning | None:
    if config is None:
        return None
    config = camel(config)
    shown = "auto" if opt_bool(config, "includeThoughts", where) else None
    budget, level = config.get("thinkingBudget"), opt_text(config, "thinkingLevel", where)
    effort = effort_named(level.lower()) if level else None
    if budget is None:
        return Reasoning(effort=effort, summary=shown) if effort or shown else None
    if type(budget) is not int or not DYNAMIC <= budget < 2**53:
        raise invalid(f"{where}thinkingBudget", "must be a whole number of at least -1")
    if budget == 0:
        return Reasoning(enabled=False)
    return Reasoning(effort=effort, budget=None if budget == DYNAMIC else budget, summary=shown)


def shows_thoughts(reasoning: Reasoning | None) -> bool:
    """Whether a client of Gemini has asked for them: many take the first part of an answer for its text."""
    return reasoning is not None and reasoning.summary is not None
