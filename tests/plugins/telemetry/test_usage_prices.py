"""Prices: how a model is found, what is left out of a list, and both readings of a price above a number of tokens."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from usage_lab import claude_line

from jackfield.api.telemetry import Tokens
from jackfield_telemetry.importing.imports import ImportEffort, run_import
from jackfield_telemetry.importing.jobs import LogSource
from jackfield_telemetry.ledger.database import Ledger
from jackfield_telemetry.prices.price_list import Prices, PriceTable
from jackfield_telemetry.prices.rates import surcharge
from jackfield_telemetry.readers.claude import ClaudeReader
from jackfield_telemetry.reports.queries import Pricing, UsageFilter, slices

SHIPPED = Path(__file__).resolve().parents[3] / "manifests/pricing/litellm.json"
TIERED = {
    "input_cost_per_token": 3e-6,
    "output_cost_per_token": 15e-6,
    "input_cost_per_token_above_200k_tokens": 6e-6,
    "output_cost_per_token_above_200k_tokens": 22.5e-6,
    "litellm_provider": "anthropic",
}


@pytest.fixture(scope="module")
def shipped() -> PriceTable:
    return Prices(SHIPPED, Path("/nowhere")).table()


@pytest.mark.parametrize(
    "name",
    [
        "claude-sonnet-4-20250514",
        "claude-sonnet-4",
        "claude-sonnet-4-5-20250929",
        "anthropic/claude-sonnet-4.5",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "claude-sonnet-4-5@20250929",
        "claude-sonnet-4-5-20250929[1m]",
    ],
)
def test_a_model_is_found_under_the_names_that_hosts_give_it(shipped: PriceTable, name: str) -> None:
    rates = shipped.rates(name)
    assert rates is not None
    assert (rates.base.input, rates.base.output, rates.base.hours) == (3e-6, 15e-6, 6e-6)


@pytest.mark.parametrize("name", ["acc-claude-3", "claude", "gpt", "", "my-gpt-5", "gpt-5-codex-of-mine"])
def test_what_only_resembles_a_model_has_no_price(shipped: PriceTable, name: str) -> None:
    assert shipped.rates(name) is None


def test_models_without_their_makers_name(shipped: PriceTable) -> None:
    found = {name: shipped.rates(name) for name in ("MiniMax-M2.1", "glm-4.7", "gpt-5.4")}
    assert {name: rates.base.input for name, rates in found.items() if rates} == {
        "MiniMax-M2.1": 0.3e-6,
        "glm-4.7": 0.6e-6,
        "gpt-5.4": 2.5e-6,
    }


def test_what_a_list_leaves_out() -> None:
    plain = {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6}
    table = PriceTable({"claude-x": plain, "other": plain})
    claude, other = table.rates("claude-x"), table.rates("other")
    assert claude is not None
    assert other is not None
    assert claude.base.cost(Tokens(0, 0, 30, 10, 20)).total == pytest.approx(1e-6 * (10 * 1.25 + 20 * 2 + 10 * 0.1))
    assert other.base.cost(Tokens(0, 0, 30, 10, 20)).total == pytest.approx(40e-6)


def test_service_tiers_have_their_own_prices() -> None:
    table = PriceTable(
        {
            "own": {"input_cost_per_token": 1e-6, "input_cost_per_token_priority": 3e-6},
            "multiple": {"input_cost_per_token": 1e-6, "provider_specific_entry": {"fast": 6}},
        }
    )
    found = [
        table.rates(model, tier=tier) for model in ("own", "multiple") for tier in ("", "fast", "priority", "flex")
    ]
    assert [rates.base.input for rates in found if rates] == pytest.approx(
        [1e-6, 3e-6, 3e-6, 1e-6, 1e-6, 6e-6, 6e-6, 1e-6]
    )


@pytest.mark.parametrize(
    ("tiers", "cost"),
    [
        ("request", 1000 * 6e-6 + 10 * 22.5e-6 + 250_000 * 0.6e-6),
        ("marginal", 1000 * 3e-6 + 10 * 15e-6 + 200_000 * 0.3e-6 + 50_000 * 0.6e-6),
    ],
)
def test_both_readings_of_a_price_above_a_number_of_tokens(tmp_path: Path, tiers: str, cost: float) -> None:
    ledger = Ledger(tmp_path / "ledger" / "ledger.db")
    (tmp_path / "projects").mkdir()
    lines = [claude_line("long", "r", (1000, 10, 0, 250_000)), claude_line("brief", "r", (1000, 10, 0, 100_000))]
    (tmp_path / "projects" / "one.jsonl").write_bytes(b"".join(lines))
    run_import(ledger, [LogSource(ClaudeReader(), tmp_path)], ImportEffort())
    pricing = Pricing(PriceTable({"m-one": TIERED}), tiers)  # type: ignore[arg-type]
    found = ledger.read(lambda connection: list(slices(connection, UsageFilter(), pricing)))
    brief = 1000 * 3e-6 + 10 * 15e-6 + 100_000 * 0.3e-6
    assert sum(one.cost.total for one in found) == pytest.approx(cost + brief)
    ledger.close()


def test_ranges_of_a_prompts_length() -> None:
    ranges = [
        {"range": [0, 32e3], "input_cost_per_token": 1e-6, "output_cost_per_token": 5e-6},
        {"range": [32e3, 128e3], "input_cost_per_token": 2e-6, "output_cost_per_token": 9e-6},
    ]
    rates = PriceTable({"q": {"tiered_pricing": ranges}}).rates("q")
    assert rates is not None
    assert [rates.at(prompt).input for prompt in (0, 31_000, 32_000, 128_000)] == [1e-6, 1e-6, 2e-6, 2e-6]


def test_the_registrys_list_counts_first_and_a_broken_one_is_named(tmp_path: Path) -> None:
    registry = tmp_path / "litellm-pricing.json"
    prices = Prices(SHIPPED, registry)
    registry.write_text('{"gpt-5": {"input_cost_per_token": 7}, "sample_spec": {"input_cost_per_token": "words"}}')
    rates = prices.table().rates("gpt-5")
    assert rates is not None
    assert rates.base.input == 7
    registry.write_text('{"gpt-5": {"input_')
    rates = prices.table().rates("gpt-5")
    assert rates is not None
    assert rates.base.input == 1.25e-6
    assert str(registry) in prices.problems()[0]
    assert registry.read_text() == '{"gpt-5": {"input_'


ENTRY = st.dictionaries(
    st.sampled_from([*TIERED, "tiered_pricing", "provider_specific_entry", "cache_read_input_token_cost_priority"]),
    st.none() | st.floats() | st.text(max_size=3) | st.lists(st.dictionaries(st.just("range"), st.lists(st.floats()))),
)


@given(entry=ENTRY, tier=st.sampled_from(["", "fast", "flex"]))
def test_no_entry_of_a_list_makes_pricing_fail(entry: dict[str, object], tier: str) -> None:
    rates = PriceTable({"any": {"input_cost_per_token": 1e-6, **entry}}).rates("any", tier=tier)
    assert rates is not None
    tokens = Tokens(300_000, 5, 7, 9, 1)
    assert rates.at(200_000).cost(tokens).total >= 0
    assert surcharge(rates, tokens).total == surcharge(rates, tokens).total
