"""Counts of tokens as answers and events of Anthropic and Gemini tell them."""

from __future__ import annotations

from .fields import arr, count, obj
from .model import Object, TokenCounts


def cumulative(usage: TokenCounts, news: Object) -> TokenCounts:
    """Counts are cumulative; providers leave out, or send as 0, what they told before.

    The outer ones leave out a compaction and models that gave up, which are paid for too; an advisor has another price.
    """
    creation = news.get("cache_creation")
    hour = count(obj(creation).get("ephemeral_1h_input_tokens")) if creation else 0
    rounds = news.get("iterations")
    steps = [step for step in map(obj, arr(rounds)) if step.get("type") != "advisor_message"] if rounds else ()

    def told(name: str) -> int:
        outer = count(news[name]) if name in news else 0
        return max(outer, sum(count(step.get(name)) for step in steps)) if steps else outer

    return TokenCounts(
        max(usage.input, told("input_tokens")),
        max(usage.output, told("output_tokens")),
        max(usage.cache_read, told("cache_read_input_tokens")),
        max(usage.cache_write, told("cache_creation_input_tokens")),
        max(usage.cache_write_1h, hour),
    )


def google_counts(usage: Object) -> TokenCounts:
    """Thoughts count beside the answer, what is cached within the prompt, and what hosted tools have read beside it."""
    read, thoughts = count(usage.get("cachedContentTokenCount")), count(usage.get("thoughtsTokenCount"))
    prompt = count(usage.get("promptTokenCount")) + count(usage.get("toolUsePromptTokenCount"))
    output = count(usage.get("candidatesTokenCount")) + thoughts
    return TokenCounts(max(0, prompt - read), output, read, reasoning=thoughts)
