"""The small `Intl` prints what Node.js prints: zones, languages and formats by the hundred."""

from __future__ import annotations

import json
import sys
from itertools import count
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from node_js import MISSING, NODE, run_node

from jackfield.api.scripts import ExpressionError, ScriptData
from jackfield_javascript.engine import JavaScriptEngine

ZONES = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Tokyo",
    "Asia/Kolkata",
    "Europe/London",
    "Australia/Sydney",
    "America/Sao_Paulo",
    "Asia/Kathmandu",
    "Pacific/Auckland",
]
LOCALES = ["en-US", "en-GB", "de", "fr", "es", "ja", "pt-BR", "en", "de-AT", "en-CA"]
FORMS: list[dict[str, Any]] = [
    {},
    {
        "year": "numeric",
        "month": "numeric",
        "day": "numeric",
        "hour": "numeric",
        "minute": "numeric",
        "second": "numeric",
    },
    {"hour": "numeric", "minute": "numeric", "second": "numeric"},
    {"year": "numeric", "month": "2-digit", "day": "2-digit"},
    {"year": "numeric", "month": "long", "day": "numeric"},
    {"weekday": "long", "year": "numeric", "month": "long", "day": "numeric"},
    {"year": "numeric", "month": "short", "day": "numeric", "hour": "2-digit", "minute": "2-digit"},
    {"hour": "2-digit", "minute": "2-digit"},
    {"hour": "2-digit", "minute": "2-digit", "hourCycle": "h23"},
    {"hour": "2-digit", "minute": "2-digit", "hour12": False},
    {"dateStyle": "short"},
    {"dateStyle": "medium"},
    {"dateStyle": "full"},
    {"timeStyle": "short"},
    {"dateStyle": "long", "timeStyle": "short"},
    {"month": "long"},
    {"weekday": "short"},
    {"month": "short", "year": "numeric"},
    {"year": "2-digit", "month": "2-digit", "day": "2-digit"},
    {"hour": "numeric", "minute": "numeric", "timeZoneName": "short"},
    {"hour": "numeric", "minute": "numeric", "timeZoneName": "longOffset"},
    {
        "year": "numeric",
        "month": "2-digit",
        "day": "2-digit",
        "hour": "2-digit",
        "minute": "2-digit",
        "second": "2-digit",
        "hourCycle": "h23",
    },
    {"minute": "numeric", "second": "numeric", "fractionalSecondDigits": 3},
    {"year": "numeric"},
    {"day": "numeric"},
]
TIMES = [1_719_792_306_007, 1_704_092_400_123, 951_782_400_000]
# CLDR is younger in Node.js than in babel, and has other patterns for these.
OTHER_DATA = {("en-CA", place) for place in range(len(FORMS))} | {("de-AT", 17)}
PAIRS = [
    (locale, form, ZONES[number % len(ZONES)], TIMES[number % len(TIMES)])
    for number, (locale, place, form) in zip(
        count(), [(locale, place, form) for locale in LOCALES for place, form in enumerate(FORMS)], strict=False
    )
    if (locale, place) not in OTHER_DATA
]
NUMBERS = [0, 1, -1, 1234.5678, 0.1256, 1234567.891, -9876.5, 1e21, 1.005, 2.5, 999999.999]
NUMBER_FORMS: list[dict[str, Any]] = [
    {},
    {"minimumFractionDigits": 2},
    {"maximumFractionDigits": 0},
    {"style": "percent"},
    {"style": "percent", "minimumFractionDigits": 1},
    {"style": "currency", "currency": "EUR"},
    {"style": "currency", "currency": "USD"},
    {"style": "currency", "currency": "JPY"},
    {"style": "currency", "currency": "USD", "currencyDisplay": "code"},
    {"useGrouping": False},
    {"minimumIntegerDigits": 3},
    {"maximumSignificantDigits": 3},
    {"signDisplay": "always"},
]

DATES = """
const { pairs } = JSON.parse(require('fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify(pairs.map(([locale, form, timeZone, time]) => {
  const parts = new Intl.DateTimeFormat(locale, { ...form, timeZone }).formatToParts(new Date(time));
  const text = new Intl.DateTimeFormat(locale, { ...form, timeZone }).format(time);
  return [text, parts.map(({ type, value }) => `${type}=${value}`)];
})));
"""
OURS = """$json.pairs.map(([locale, form, timeZone, time]) => {
  const format = new Intl.DateTimeFormat(locale, { ...form, timeZone });
  return [format.format(new Date(time)), format.formatToParts(time).map(({ type, value }) => `${type}=${value}`)];
})"""
NUMBERS_SOURCE = """PAIRS.map(([locale, form, value]) => new Intl.NumberFormat(locale, form).format(value))"""

needs_node = pytest.mark.skipif(NODE is None, reason=MISSING)


async def asked(engine: JavaScriptEngine, source: str, given: dict[str, Any]) -> Any:
    value = (await engine.evaluate([source], ScriptData(input=[{"json": given}]), [0]))[0][0]
    assert not isinstance(value, ExpressionError), value
    return value


@needs_node
async def test_dates_in_many_languages_zones_and_formats(engine: JavaScriptEngine) -> None:
    assert len(PAIRS) >= 200
    expected = run_node(DATES, {"pairs": PAIRS})
    found = [
        row
        for start in range(0, len(PAIRS), 50)
        for row in await asked(engine, OURS, {"pairs": PAIRS[start : start + 50]})
    ]
    wrong = [(pair, ours, theirs) for pair, ours, theirs in zip(PAIRS, found, expected, strict=True) if ours != theirs]
    assert wrong == []


@needs_node
async def test_numbers_in_many_languages_and_formats(engine: JavaScriptEngine) -> None:
    locales = ("en-US", "de", "fr", "es", "ja", "pt-BR", "en-IN", "pl", "sv")
    pairs = [(locale, form, value) for locale in locales for form in NUMBER_FORMS for value in NUMBERS]
    read = "const { pairs } = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
    script = f"{read} console.log(JSON.stringify({NUMBERS_SOURCE.replace('PAIRS', 'pairs')}))"
    expected = run_node(script, {"pairs": pairs})
    found: list[Any] = []
    for start in range(0, len(pairs), 300):
        found += await asked(
            engine, NUMBERS_SOURCE.replace("PAIRS", "$json.pairs"), {"pairs": pairs[start : start + 300]}
        )
    wrong = [row for row in zip(pairs, found, expected, strict=True) if row[1] != row[2]]
    assert wrong == []


METHODS = [
    "new Date(1719792306007).toLocaleString()",
    "new Date(1719792306007).toLocaleDateString()",
    "new Date(1719792306007).toLocaleTimeString()",
    "new Date(1719792306007).toLocaleDateString('de-DE', { weekday: 'long' })",
    "new Date(1719792306007).toLocaleTimeString('en-US', { hour: '2-digit', minute: '2-digit' })",
    "new Date(1719792306007).toLocaleDateString(undefined, { dateStyle: 'medium' })",
    "new Date(1719792306007).toLocaleString('en-US', { timeZone: 'America/New_York' })",
    "new Date(NaN).toLocaleString()",
    "new Date(1719792306007).toString()",
    "new Date(1719792306007).toTimeString()",
    "new Date(-62e12).toLocaleDateString('en-US', { era: 'short' })",
    "(1234567.891).toLocaleString()",
    "(1234.5).toLocaleString('de-DE', { style: 'currency', currency: 'EUR' })",
    "(12n ** 20n).toLocaleString('en-US')",
    "(-0).toLocaleString()",
    "(0 / 0).toLocaleString()",
    "new Intl.PluralRules('en-US', { type: 'ordinal' }).select(22)",
    "new Intl.PluralRules('pl').select(3)",
    "new Intl.ListFormat('en', { type: 'disjunction' }).format(['a', 'b', 'c'])",
    "new Intl.ListFormat('de').format(['a', 'b'])",
    "new Intl.RelativeTimeFormat('en').format(-3, 'day')",
    "new Intl.RelativeTimeFormat('de').format(2, 'weeks')",
    "new Intl.NumberFormat('en', { notation: 'compact' }).format(1234567)",
    "new Intl.NumberFormat('en', { style: 'unit', unit: 'hour', unitDisplay: 'long' }).format(3)",
    "new Intl.DateTimeFormat('en-US', { hour: 'numeric', timeZone: 'UTC' }).resolvedOptions().hourCycle",
    "new Intl.DateTimeFormat('de', { timeZone: 'Europe/Berlin' }).resolvedOptions().timeZone",
    "new Intl.NumberFormat('en').resolvedOptions().maximumFractionDigits",
    "['b', 'a', 'C', 'ä'].sort(new Intl.Collator('de').compare)",
    "['a10', 'a9', 'a1'].sort(new Intl.Collator('en', { numeric: true }).compare)",
    "typeof Intl.DateTimeFormat",
    "(() => { try { new Intl.DateTimeFormat('en', { timeZone: 'No/Where' }) } catch (e) { return e.name } })()",
    "(() => { try { new Intl.NumberFormat('en', { style: 'currency' }) } catch (e) { return e.name } })()",
    "(() => { try { new Intl.DateTimeFormat('en', { month: 'big' }) } catch (e) { return e.name } })()",
    "(() => { try { new Date(0).toLocaleDateString('en', { timeStyle: 'short' }) } catch (e) { return e.name } })()",
    "(() => { try { new Intl.DateTimeFormat().format(NaN) } catch (e) { return e.name } })()",
]


@needs_node
async def test_methods_and_other_services(engine: JavaScriptEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    script = f"console.log(JSON.stringify([{','.join(METHODS)}]))"
    expected = run_node(script, {})
    data = ScriptData(input=[{"json": {}}])
    found = (await engine.evaluate(METHODS, data, [0]))[0]
    wrong = [row for row in zip(METHODS, found, expected, strict=True) if row[1] != row[2]]
    assert wrong == []


async def test_the_zone_of_the_process_is_the_default(engine: JavaScriptEngine) -> None:
    data = ScriptData(input=[{"json": {}}], timezone="Asia/Tokyo")
    sources = ["new Date(0).toLocaleString('de')", "new Intl.DateTimeFormat().resolvedOptions().timeZone"]
    assert await engine.evaluate(sources, data, [0]) == [["1.1.1970, 00:00:00", "UTC"]]


async def test_code_nodes_have_it_too(engine: JavaScriptEngine) -> None:
    source = "return [(1234.5).toLocaleString('de'), new Date(0).toLocaleDateString('en-GB'), Intl.NumberFormat.name]"
    result = await engine.run(source, ScriptData(input=[]), each=False, timeout=10)
    assert result.value == ["1.234,5", "01/01/1970", "NumberFormat"]


async def test_instances_can_not_be_changed(engine: JavaScriptEngine) -> None:
    source = """(() => {
      const format = new Intl.NumberFormat('en');
      const { prototype } = Intl.NumberFormat;
      const tries = [() => { format.format = 1 }, () => { prototype.format = 1 }, () => { Intl.x = 1 }];
      return tries.map((change) => { try { change(); return 'changed' } catch { return 'refused' } });
    })()"""
    assert await asked(engine, source, {}) == ["refused"] * 3


def test_the_pairs_are_json() -> None:
    assert json.loads(json.dumps(PAIRS))


async def test_numbers_with_many_digits(engine: JavaScriptEngine) -> None:
    sources = [
        "(1e30).toLocaleString() === '1' + ',000'.repeat(10)",
        "(123456789012345678901234567890n).toLocaleString('en')",
        "(1e300).toLocaleString('de', {minimumFractionDigits: 100}).length",
    ]
    found = await engine.evaluate(sources, ScriptData(input=[{"json": {}}]), [0])
    assert found == [[True, "123,456,789,012,345,678,901,234,567,890", 301 + 100 + 101]]


async def test_what_the_host_cannot_format_fails_alone(engine: JavaScriptEngine) -> None:
    data = ScriptData(input=[{"json": {}}])
    wrong = "new Intl.NumberFormat('en', {style: 'unit', unit: 'none such'}).format(1)"
    assert await engine.evaluate([wrong, "(10n ** 5000n).toLocaleString()", "1 + 1"], data, [0]) == [[None, None, 2]]
    caught = await engine.run(f"try {{ {wrong} }} catch (e) {{ return e.name }}", data, each=False, timeout=5)
    assert caught.value == "TypeError"
