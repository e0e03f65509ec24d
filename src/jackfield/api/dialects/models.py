"""The facts that names of models alone give, and the levels of reasoning in numbers or in words."""

from __future__ import annotations

import re

from .model import Effort, Reasoning, UpstreamModel

_OPENAI_REASONING = re.compile(r"(?:.*/)?(?:o[1-9]\d*(?:-|$)|gpt-5(?!.*chat)|codex)").match
_NO_REASONING = re.compile(r"(?:.*/)?(?:gpt-3|gpt-4|chatgpt|gpt-5.*-chat|text-|claude-(?:instant|2|3-(?!7)))").match
_REPLAYS = re.compile(r"(?:.*/)?(?:deepseek|kimi|moonshot|mimo)", re.IGNORECASE).match
_CLAUDE = re.compile(r".*claude-(?:opus|sonnet|haiku)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)").match

LEAST_BUDGET = 1024  # tokens; Anthropic refuses less
_BUDGETS: dict[Effort, int] = {
    "minimal": LEAST_BUDGET,
    "low": 2048,
    "medium": 8192,
    "high": 24_000,
    "xhigh": 31_999,
    "max": 31_999,
}


def is_openai_reasoning(model: str) -> bool:
    """o-series and gpt-5: max_completion_tokens in place of max_tokens, no temperature and no top_p."""
    return _OPENAI_REASONING(model) is not None


def takes_reasoning(target: UpstreamModel) -> bool:
    return target.reasoning if target.reasoning is not None else _NO_REASONING(target.model) is None


def replays_reasoning(target: UpstreamModel) -> bool:
    return target.replay_reasoning if target.replay_reasoning is not None else _REPLAYS(target.model) is not None


def takes_adaptive(target: UpstreamModel) -> bool:
    """Claude 4.6 and later think adaptively; from 4.7 on they refuse a budget."""
    if target.adaptive is not None:
        return target.adaptive
    found = _CLAUDE(target.model)
    return found is not None and (int(found[1]), int(found[2] or 0)) >= (4, 6)


def effort_of(reasoning: Reasoning) -> Effort:
    """In words. The steps are those that Claude Code's own budgets (4,000, 10,000, 31,999) lie on."""
    if reasoning.effort is not None:
        return "xhigh" if reasoning.effort == "max" else reasoning.effort
    if reasoning.budget is None:
        return "medium"
    return "low" if reasoning.budget < 4000 else "medium" if reasoning.budget < 16_000 else "high"


def budget_of(reasoning: Reasoning) -> int:
    """In tokens; the same steps the other way round."""
    return reasoning.budget if reasoning.budget is not None else _BUDGETS[reasoning.effort or "medium"]


def effort_named(value: str | None) -> Effort | None:
    """None for a word that nobody knows."""
    for known in _BUDGETS:
        if known == value:
            return known
    return None


def clamped(max_tokens: int | None, target: UpstreamModel) -> int | None:
    limit = target.max_output_tokens
    return max_tokens if max_tokens is None or limit is None else min(max_tokens, limit)
