"""The cost of a model's tokens, from an entry of a price list, and the cost of sums of tokens.

A price above a number of tokens has two readings. With `request`, once a prompt is longer, everything in the request
costs that price (as OpenAI's and xAI's pages say). `marginal`, of each kind of token only those beyond the number do.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from jackfield.api.records import record
from jackfield.api.telemetry import Cost, Tokens

_ABOVE = re.compile(r"input_cost_per_token_above_(\d{1,6})k_tokens")
_FIELDS = {
    "input": "input_cost_per_token",
    "output": "output_cost_per_token",
    "written": "cache_creation_input_token_cost",
    "hours": "cache_creation_input_token_cost_above_1hr",
    "read": "cache_read_input_token_cost",
}


@record
class TokenRate:
    """Dollars a token. written: cache writes; hours: those that are kept for an hour; read: cache reads."""

    input: float
    output: float
    written: float
    hours: float
    read: float

    def cost(self, tokens: Tokens) -> Cost:
        brief = tokens.cache_creation - tokens.cache_creation_1h
        return Cost(
            tokens.input * self.input,
            tokens.output * self.output,
            brief * self.written + tokens.cache_creation_1h * self.hours,
            tokens.cache_read * self.read,
        )


@record
class Rates:
    """base, and what counts above each number of tokens, ascending."""

    base: TokenRate
    above: Sequence[tuple[int, TokenRate]] = ()

    def at(self, prompt: int) -> TokenRate:
        """For a request whose prompt has more than `prompt` tokens, and not more than the next step."""
        place = bisect_right([threshold for threshold, _ in self.above], prompt)
        return self.above[place - 1][1] if place else self.base


def surcharge(rates: Rates, tokens: Tokens) -> Cost:
    """By the marginal reading, what tokens beyond thresholds cost more than the base price."""
    cost, below = Cost(), rates.base
    counts = (
        tokens.input,
        tokens.output,
        tokens.cache_creation - tokens.cache_creation_1h,
        tokens.cache_creation_1h,
        tokens.cache_read,
    )
    for threshold, rate in rates.above:
        given, out, brief, hours, read = (max(0, number - threshold) for number in counts)
        written = brief * (rate.written - below.written) + hours * (rate.hours - below.hours)
        more = Cost(
            given * (rate.input - below.input),
            out * (rate.output - below.output),
            written,
            read * (rate.read - below.read),
        )
        cost, below = cost.plus(more), rate
    return cost


def rates_of(entry: Mapping[str, object], name: str, tier: str) -> Rates:
    """tier: `fast`, `priority`, `flex` or nothing."""
    like_claude = entry.get("litellm_provider") == "anthropic" or "claude" in name.lower()
    steps = _tiered(entry) or _stepped(entry, tier)
    factor = _factor(entry, tier)
    rates = [(threshold, _rate(prices, like_claude, factor)) for threshold, prices in steps]
    return Rates(rates[0][1], rates[1:])


def _stepped(entry: Mapping[str, object], tier: str) -> list[tuple[int, dict[str, float]]]:
    numbers = {int(found[1]) for name in entry if (found := _ABOVE.fullmatch(name))}
    ending = f"_{'priority' if tier == 'fast' else tier}" if tier else ""
    steps: list[tuple[int, dict[str, float]]] = []
    for number in [0, *sorted(numbers)]:
        above = f"_above_{number}k_tokens" if number else ""
        own = {
            kind: price
            for kind, field in _FIELDS.items()
            for price in [_price(entry, f"{field}{above}{ending}", f"{field}{above}")]
            if price is not None
        }
        before = steps[-1][1] if steps else {}
        # Rates that follow from the input's price follow from the new one.
        kept = {kind: price for kind, price in before.items() if kind != "hours" or "input" not in own}
        steps.append((number * 1000, {**kept, **own}))
    return steps


def _tiered(entry: Mapping[str, object]) -> list[tuple[int, dict[str, float]]]:
    """The other form: a list of ranges of the prompt's length."""
    given = entry.get("tiered_pricing")
    found = []
    for part in given if isinstance(given, list) else ():
        bounds = part.get("range") if isinstance(part, dict) else None
        if isinstance(bounds, list) and bounds and isinstance(bounds[0], (int, float)) and math.isfinite(bounds[0]):
            prices = {kind: price for kind, field in _FIELDS.items() if (price := _price(part, field)) is not None}
            found.append((int(bounds[0]), prices))
    found.sort(key=lambda step: step[0])
    return found if found and "input" in found[0][1] else []


def _factor(entry: Mapping[str, object], tier: str) -> float:
    """Some models give their faster service as a multiple."""
    special = entry.get("provider_specific_entry")
    multiple = special.get("fast") if isinstance(special, dict) and tier in ("fast", "priority") else None
    own = "input_cost_per_token_priority" in entry
    return float(multiple) if isinstance(multiple, (int, float)) and math.isfinite(multiple) and not own else 1.0


def _rate(prices: Mapping[str, float], like_claude: bool, factor: float) -> TokenRate:
    """The rate that a list leaves out: for Anthropic's models caching costs multiples of the input, for others the
    same.
    """
    given = prices.get("input", 0.0)
    written = prices.get("written", given * 1.25 if like_claude else given)
    hours = prices.get("hours", given * 2 if like_claude else written)
    read = prices.get("read", given * 0.1 if like_claude else given)
    return TokenRate(*(price * factor for price in (given, prices.get("output", 0.0), written, hours, read)))


def _price(entry: Mapping[str, object], *names: str) -> float | None:
    for name in names:
        value = entry.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value >= 0:
            return float(value)
    return None
