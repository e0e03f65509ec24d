"""Makes `manifests/pricing/litellm.json` from LiteLLM's price list.

    python tools/price_snapshot.py model_prices_and_context_window.json

Kept are the prices of tokens of chat and responses models; the models in `RETIRED` are added where the list has dropped
them, so that old logs can still be priced.
"""

from __future__ import annotations

import json
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "manifests/pricing/litellm.json"
MODES = ("chat", "responses")
FIELD = re.compile(
    r"(input_cost_per_token|output_cost_per_token|cache_creation_input_token_cost|cache_read_input_token_cost)"
    r"(_above_1hr)?(_above_\d+k_tokens)?(_priority|_flex)?"
)
PLAIN = ("litellm_provider", "tiered_pricing")
HOSTS = ("bedrock", "vertex_ai", "azure", "sagemaker", "databricks", "snowflake", "oci", "watsonx")
"""Clouds whose many regional entries repeat the makers' prices; their short names are found by the maker's."""


def _claude(read: float, *, long: bool = False) -> dict[str, object]:
    """All of Claude's prices stand in one ratio to a cached token's. long: those above 200,000 tokens are known."""
    prices: dict[str, object] = {
        "input_cost_per_token": read * 10,
        "output_cost_per_token": read * 50,
        "cache_creation_input_token_cost": read * 12.5,
        "cache_creation_input_token_cost_above_1hr": read * 20,
        "cache_read_input_token_cost": read,
        "litellm_provider": "anthropic",
    }
    if long:
        above = {"input": 20, "output": 75, "creation": 25, "read": 2}
        prices |= {
            "input_cost_per_token_above_200k_tokens": read * above["input"],
            "output_cost_per_token_above_200k_tokens": read * above["output"],
            "cache_creation_input_token_cost_above_200k_tokens": read * above["creation"],
            "cache_read_input_token_cost_above_200k_tokens": read * above["read"],
        }
    return {name: round(price, 12) if isinstance(price, float) else price for name, price in prices.items()}


ABOUT = "jackfield"
"""The entry that says of which day the list is."""
RETIRED: dict[str, dict[str, object]] = {
    "claude-sonnet-4-20250514": _claude(0.3e-6, long=True),
    "claude-opus-4-20250514": _claude(1.5e-6),
    "claude-opus-4-1-20250805": _claude(1.5e-6),
    "claude-3-7-sonnet-20250219": _claude(0.3e-6),
    "claude-3-5-sonnet-20241022": _claude(0.3e-6),
    "claude-3-5-sonnet-20240620": _claude(0.3e-6),
    "claude-3-5-haiku-20241022": _claude(0.08e-6),
    "claude-3-opus-20240229": _claude(1.5e-6),
    "claude-3-sonnet-20240229": _claude(0.3e-6),
    "claude-3-haiku-20240307": {
        "input_cost_per_token": 0.25e-6,
        "output_cost_per_token": 1.25e-6,
        "cache_creation_input_token_cost": 0.3e-6,
        "cache_creation_input_token_cost_above_1hr": 0.5e-6,
        "cache_read_input_token_cost": 0.03e-6,
        "litellm_provider": "anthropic",
    },
}


def reduced(entry: dict[str, object]) -> dict[str, object]:
    kept = {name: value for name, value in entry.items() if FIELD.fullmatch(name) or name in PLAIN}
    special = entry.get("provider_specific_entry")
    if isinstance(special, dict) and "fast" in special:
        kept["provider_specific_entry"] = {"fast": special["fast"]}
    return kept


def wanted(entry: dict[str, object]) -> bool:
    provider = str(entry.get("litellm_provider", ""))
    priced = "input_cost_per_token" in entry or "tiered_pricing" in entry
    return entry.get("mode") in MODES and priced and not provider.startswith(HOSTS)


def main() -> None:
    given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    prices = {name: reduced(entry) for name, entry in given.items() if wanted(entry)}
    for name, entry in RETIRED.items():
        prices.setdefault(name, entry)
    prices[ABOUT] = {"as_of": datetime.now(UTC).date().isoformat()}
    lines = (f"{json.dumps(name)}:{json.dumps(prices[name], separators=(',', ':'))}" for name in sorted(prices))
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    sys.stdout.write(f"{len(prices)} models, {TARGET.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
