"""Languages in expressions: numbers, dates and texts of JavaScript's own Intl."""

from __future__ import annotations

from collections.abc import Iterator

from ..cases import Family, NodeCase
from .expressions import expression_cases

LOCALES = ("en-US", "de-DE", "fr-FR", "en-IN", "ja-JP", "pt-BR", "ar-EG", "sv-SE", "pl-PL", "de-CH", "es-ES", "hi-IN")
NUMBERS = ("1234567.891", "0.5", "-42", "1234")
OPTIONS = (
    "", "{style: 'currency', currency: 'EUR'}", "{style: 'currency', currency: 'USD'}", "{style: 'percent'}",
    "{minimumFractionDigits: 2}", "{maximumFractionDigits: 0}", "{maximumSignificantDigits: 3}",
    "{notation: 'compact'}", "{useGrouping: false}", "{minimumIntegerDigits: 6}", "{signDisplay: 'always'}",
    "{style: 'unit', unit: 'kilometer-per-hour'}", "{style: 'currency', currency: 'JPY', currencyDisplay: 'name'}",
    "{style: 'currency', currency: 'EUR', currencyDisplay: 'code'}",
)  # fmt: skip
DATES = (
    "", "{dateStyle: 'full'}", "{dateStyle: 'long'}", "{dateStyle: 'medium'}", "{dateStyle: 'short'}",
    "{timeStyle: 'short'}", "{dateStyle: 'medium', timeStyle: 'short'}", "{weekday: 'long'}",
    "{month: 'long', year: 'numeric'}", "{day: '2-digit', month: '2-digit', year: 'numeric'}",
    "{hour: '2-digit', minute: '2-digit'}", "{hour: 'numeric', hour12: true}",
    "{timeZone: 'Europe/Berlin', timeZoneName: 'short', hour: 'numeric'}",
    "{weekday: 'short', month: 'short', day: 'numeric'}", "{timeZone: 'Asia/Tokyo'}",
)  # fmt: skip
OTHERS = (
    "(1234.5).format()", "(1234.5).format('de-DE')", "(1234.5).format('de-DE', {style: 'currency', currency: 'EUR'})",
    "(0.256).format('en', {style: 'percent'})", "(1234.5).format('xx')", "(1234.5).format('not a tag')",
    "(1234.5).format('en', {style: 'currency'})", "(1234.5).format(['fr', 'de'])", "(NaN).format()",
    "(Infinity).format()", "(-0).format()", "(1e21).format()", "(1234.5678).format('en', {maximumFractionDigits: 1})",
    "(1500000).format('en', {notation: 'compact', compactDisplay: 'long'})",
    "(123456).format('en', {notation: 'scientific'})", "(123456).format('en', {notation: 'engineering'})",
    "(5).format('en', {style: 'unit', unit: 'day', unitDisplay: 'long'})",
    "(1).format('en', {style: 'unit', unit: 'hour', unitDisplay: 'long'})",
    "(1.5).format('en', {roundingMode: 'floor', maximumFractionDigits: 0})",
    "(-5).format('en', {style: 'currency', currency: 'USD', currencySign: 'accounting'})",
    "(1234).format('en', {useGrouping: 'min2'})", "(0.000001).format()", "(123456789.987654321).format()",
    "(1234.5).toLocaleString()", "(1234.5).toLocaleString('de')",
    "(1234.5).toLocaleString('de', {minimumFractionDigits: 2})", "(1234n).toLocaleString('de')",
    "[1234.5, 'a', null].toLocaleString('de')", "new Date(0).toLocaleString()", "new Date(0).toLocaleDateString()",
    "new Date(0).toLocaleTimeString()", "new Date(0).toLocaleDateString('de')",
    "new Date(0).toLocaleTimeString('de')", "new Date(0).toLocaleString('en-GB', {timeZone: 'Asia/Kolkata'})",
    "new Date('x').toLocaleString()", "new Date(0).toLocaleDateString('de', {timeStyle: 'short'})",
    "new Date(0).toLocaleString('en', {timeZone: 'x'})", "new Date(0).toLocaleString(undefined, {month: 'short'})",
    "Intl.NumberFormat('de').format(5.5)", "new Intl.NumberFormat('de').formatToParts(1234.5)",
    "new Intl.NumberFormat('de').resolvedOptions().locale",
    "new Intl.NumberFormat('en', {style: 'currency', currency: 'USD'}).resolvedOptions().maximumFractionDigits",
    "new Intl.DateTimeFormat('de').format(new Date(0))", "new Intl.DateTimeFormat().resolvedOptions().timeZone",
    "new Intl.DateTimeFormat('en', {dateStyle: 'long'}).formatToParts(new Date(0))",
    "new Intl.DateTimeFormat('en', {dateStyle: 'long'}).formatRange(new Date(0), new Date(86400000))",
    "new Intl.PluralRules('en', {type: 'ordinal'}).select(2)", "new Intl.PluralRules('pl').select(2)",
    "new Intl.PluralRules('ar').select(3)", "new Intl.RelativeTimeFormat('en').format(-1, 'day')",
    "new Intl.RelativeTimeFormat('en', {numeric: 'auto'}).format(-1, 'day')",
    "new Intl.RelativeTimeFormat('de').format(3, 'weeks')",
    "new Intl.RelativeTimeFormat('en', {style: 'short'}).format(2, 'month')",
    "new Intl.ListFormat('en').format(['a', 'b', 'c'])",
    "new Intl.ListFormat('de', {type: 'disjunction'}).format(['a', 'b'])",
    "new Intl.ListFormat('en', {style: 'short', type: 'unit'}).format(['a', 'b'])",
    "Intl.getCanonicalLocales('EN-us')", "new Intl.Locale('de-AT').language",
    "Intl.DateTimeFormat.supportedLocalesOf(['de', 'en'])", "typeof Intl.Segmenter", "typeof Intl.DisplayNames",
    "new Intl.DisplayNames('en', {type: 'region'}).of('DE')", "Intl", "Object.keys(Intl)",
)  # fmt: skip
PAIRS = (
    ("a", "b"), ("b", "a"), ("a", "a"), ("a", "A"), ("A", "a"), ("a", "B"), ("ä", "a"), ("ä", "z"), ("a", "á"),
    ("item 10", "item 9"), ("10", "9"), ("1", "a"), ("", "a"), (" a", "a"), ("a b", "ab"), ("a-b", "ab"),
    ("_", "a"), ("résumé", "resume"), ("Résumé", "resume"), ("ß", "ss"), ("æ", "ae"), ("ø", "z"), ("é", "f"),
    ("ñ", "o"), ("co-op", "coop"), ("a1", "a01"), ("Z", "a"), ("1.5", "1.10"), ("я", "a"), ("ё", "е"), ("#", "a"),
    ("$", "1"), ("a\u0301", "á"), ("łódź", "lodz"), ("a", "aa"), ("AB", "aC"), ("aB", "Ab"),
)  # fmt: skip
ORDERS = (
    "", "'en'", "'de'", "'sv'", "undefined, {numeric: true}", "'en', {sensitivity: 'base'}",
    "'en', {sensitivity: 'accent'}", "'en', {sensitivity: 'case'}", "'en', {caseFirst: 'upper'}", "'en-u-kn-true'",
    "'en', {ignorePunctuation: true}",
)  # fmt: skip
LETTERS = (
    "b",
    "a",
    "B",
    "A",
    "ä",
    "Ä",
    "z",
    "Z",
    "o",
    "ö",
    "å",
    "1",
    "10",
    "2",
    "_",
    "-",
    " ",
    "é",
    "e",
    "f",
    "ß",
    "ñ",
)
SORTED = "[" + ", ".join(f"'{letter}'" for letter in LETTERS) + "]"
SORTS = (
    "'en'",
    "'de'",
    "'sv'",
    "'es'",
    "'en', {numeric: true}",
    "'en', {caseFirst: 'upper'}",
    "'en', {sensitivity: 'base'}",
    "'da'",
)


def numbers() -> Iterator[NodeCase]:
    return expression_cases(
        f"({number}).toLocaleString('{locale}'{', ' * bool(options)}{options})"
        for number in NUMBERS
        for locale in LOCALES
        for options in OPTIONS
    )


def dates() -> Iterator[NodeCase]:
    return expression_cases(
        f"new Date('2026-05-10T15:06:07Z').toLocaleString('{locale}'{', ' * bool(options)}{options})"
        for locale in LOCALES
        for options in DATES
    )


def others() -> Iterator[NodeCase]:
    return expression_cases(OTHERS)


def collation() -> Iterator[NodeCase]:
    compared = (
        f"'{one}'.localeCompare('{other}'{', ' * bool(order)}{order})" for one, other in PAIRS for order in ORDERS
    )
    made = (f"[...{SORTED}].sort(new Intl.Collator({order}).compare).join()" for order in SORTS)
    return expression_cases(
        [*compared, *made, "new Intl.Collator().resolvedOptions()", "Intl.Collator('de').compare('a', 'b')"]
    )


FAMILIES = (
    Family("expressions: numbers in languages", numbers),
    Family("expressions: dates in languages", dates),
    Family("expressions: Intl", others),
    Family("expressions: order of texts", collation),
)
