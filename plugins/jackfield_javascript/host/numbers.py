"""`Intl.NumberFormat`, `PluralRules`, `RelativeTimeFormat` and `ListFormat`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import (
    ROUND_CEILING,
    ROUND_DOWN,
    ROUND_FLOOR,
    ROUND_HALF_DOWN,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    ROUND_UP,
    Context,
    Decimal,
)
from functools import lru_cache
from typing import Any

from babel import Locale
from babel.lists import format_list
from babel.numbers import get_currency_precision, get_currency_symbol, get_decimal_symbol, get_group_symbol
from babel.units import format_unit

from .locales import DIGITS, find_locale

PLAIN_NUMBER = re.compile(r"\d[\d.,٫]*")
UNSPACED = frozenset({"ja"})
"""Languages that write the name of a currency behind a number without a blank."""
EXACT = Context(prec=1000)
"""More digits than the largest number has, with the longest fraction."""
ROUNDING = {
    "expand": (ROUND_UP, ROUND_UP),
    "trunc": (ROUND_DOWN, ROUND_DOWN),
    "ceil": (ROUND_CEILING, ROUND_FLOOR),
    "floor": (ROUND_FLOOR, ROUND_CEILING),
    "halfTrunc": (ROUND_HALF_DOWN, ROUND_HALF_DOWN),
    "halfEven": (ROUND_HALF_EVEN, ROUND_HALF_EVEN),
    "halfCeil": (ROUND_HALF_UP, ROUND_HALF_DOWN),
    "halfFloor": (ROUND_HALF_DOWN, ROUND_HALF_UP),
}
"""Mode -> how the amount of a positive number is rounded, and that of a negative one."""
FOUR_DIGITS_UNGROUPED = frozenset({"es", "pl", "pt_PT", "bg", "hy", "ka", "lv", "it"})
"""Locales that group from five digits on; babel's data leaves it out."""


@lru_cache(maxsize=256)
def _options(text: str) -> Mapping[str, Any]:
    return dict(json.loads(text))


def _digits(options: Mapping[str, Any]) -> tuple[int, int]:
    """The fewest and the most digits of a fraction."""
    style = options.get("style", "decimal")
    usual = (0, 3)
    if style == "percent":
        usual = (0, 0)
    elif style == "currency":
        places = get_currency_precision(options["currency"])
        usual = (places, places)
    if options.get("notation") == "compact":
        usual = (0, 0)
    low: int | None = options.get("minimumFractionDigits")
    high: int | None = options.get("maximumFractionDigits")
    if low is None:
        return usual if high is None else (min(usual[0], high), high)
    return low, max(usual[1], low) if high is None else high


def _rounded(value: Decimal, options: Mapping[str, Any], negative: bool = False) -> str:
    """The digits of an amount, rounded half away from zero unless the options say otherwise."""
    rounding = ROUNDING.get(options.get("roundingMode", ""), (ROUND_HALF_UP, ROUND_HALF_UP))[negative]
    if "maximumSignificantDigits" in options or "minimumSignificantDigits" in options:
        most = options.get("maximumSignificantDigits", 21)
        least = options.get("minimumSignificantDigits", 1)
        if value:
            value = value.quantize(Decimal(1).scaleb(value.adjusted() - most + 1), rounding, EXACT)
        places = max(0, least - (value.adjusted() + 1 if value else 1))
        return _trimmed(f"{value:f}", places)
    low, high = _digits(options)
    if options.get("notation") == "compact" and "maximumFractionDigits" not in options and value:
        high = max(0, 1 - value.adjusted())  # two digits that count, and never fewer than the whole number has
    return _trimmed(f"{value.quantize(Decimal(1).scaleb(-high), rounding, EXACT):f}", low)


def _trimmed(text: str, places: int) -> str:
    """Without the noughts at the end beyond that many places."""
    whole, _, fraction = text.partition(".")
    while len(fraction) > places and fraction.endswith("0"):
        fraction = fraction[:-1]
    fraction = fraction.ljust(places, "0")
    return f"{whole}.{fraction}" if fraction else whole


def _groups(locale: Locale, whole: str, options: Mapping[str, Any]) -> list[str]:
    grouping = options.get("useGrouping", "auto")
    pattern = locale.decimal_formats[None]
    low, high = pattern.grouping
    few = (
        options.get("notation") == "compact"
        or str(locale) in FOUR_DIGITS_UNGROUPED
        or locale.language in FOUR_DIGITS_UNGROUPED
    )
    least = low + 2 if grouping == "min2" or (few and grouping != "always") else low + 1
    if grouping in (False, "false") or len(whole) < least:
        return [whole]
    parts = [whole[-low:]]
    whole = whole[:-low]
    while whole:
        parts.insert(0, whole[-high:])
        whole = whole[:-high]
    return parts


def _number_parts(locale: Locale, text: str, options: Mapping[str, Any]) -> list[tuple[str, str]]:
    whole, _, fraction = text.partition(".")
    whole = whole.rjust(options.get("minimumIntegerDigits", 1), "0")
    parts: list[tuple[str, str]] = []
    system = _system(locale, options)
    for group in _groups(locale, whole, options):
        if parts:
            parts.append(("group", get_group_symbol(locale, numbering_system=system).replace("’", "'")))
        parts.append(("integer", group))
    if fraction:
        parts += [("decimal", get_decimal_symbol(locale, numbering_system=system)), ("fraction", fraction)]
    return parts


def _system(locale: Locale, options: Mapping[str, Any]) -> str:
    asked = options.get("numberingSystem") or locale.default_numbering_system
    return asked if asked in locale.number_symbols else "latn"


def _sign(locale: Locale, negative: bool, zero: bool, options: Mapping[str, Any]) -> list[tuple[str, str]]:
    shown = options.get("signDisplay", "auto")
    symbols = locale.number_symbols.get(_system(locale, options), locale.number_symbols["latn"])
    if negative and shown != "never" and not (shown in ("exceptZero", "negative") and zero):
        return [("minusSign", str(symbols.get("minusSign", "-")))]
    if not negative and (shown == "always" or (shown == "exceptZero" and not zero)):
        return [("plusSign", str(symbols.get("plusSign", "+")))]
    return []


def _currency(locale: Locale, options: Mapping[str, Any]) -> str:
    code, display = options["currency"], options.get("currencyDisplay", "symbol")
    if display == "code":
        return str(code)
    if display == "narrowSymbol":
        symbol = get_currency_symbol(code, locale)
        return symbol.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ") or symbol
    return str(get_currency_symbol(code, locale))


def _currency_name(locale: Locale, parts: list[tuple[str, str]], code: str) -> str:
    digits = "".join("." if kind == "decimal" else text for kind, text in parts if kind != "group")
    names = locale._data["currency_names_plural"].get(code, {})
    rule = locale.plural_form(Decimal(digits)) if digits.replace(".", "").isdigit() else "other"
    return str(names.get(rule) or names.get("other") or locale.currencies.get(code, code))


def _around(
    locale: Locale, parts: list[tuple[str, str]], sign: list[tuple[str, str]], options: Mapping[str, Any]
) -> list[tuple[str, str]]:
    """With sign and currency or percent sign where the locale's pattern has them."""
    style = options.get("style", "decimal")
    if style == "decimal":
        return [*sign, *parts]
    if style == "percent":
        pattern, mark, kind = locale.percent_formats[None].pattern, "%", "percentSign"
        symbols = locale.number_symbols.get(_system(locale, options), locale.number_symbols["latn"])
        shown = str(symbols.get("percentSign", "%"))
    else:
        if options.get("currencyDisplay") == "name":
            named = ("currency", _currency_name(locale, parts, options["currency"]))
            return [*sign, *parts, *([] if locale.language in UNSPACED else [("literal", " ")]), named]
        pattern, mark, kind = locale.currency_formats["standard"].pattern, "¤", "currency"
        shown = _currency(locale, options)
    pattern, _, negative = str(pattern).partition(";")
    before, _, after = pattern.partition(mark)
    if any(letter in "#0" for letter in before):
        space = before[len(before.rstrip("\xa0\u202f ")) :]
        lead = before[: min(before.find(letter) for letter in "#0" if letter in before)]
        head = [("literal", lead)] if lead else []
        return [*sign, *head, *parts, *([("literal", space)] if space else []), (kind, shown)]
    if sign and sign[0][0] == "minusSign" and negative.startswith(f"{mark}-"):
        return [(kind, shown), *sign, *parts]
    space = after[: len(after) - len(after.lstrip("\xa0\u202f "))]
    if not space and kind == "currency" and shown[-1:].isalpha():
        space = "\xa0"
    return [*sign, (kind, shown), *([("literal", space)] if space else []), *parts]


def number_parts(tag: str, options_text: str, value_text: str) -> list[tuple[str, str]]:
    """(type, value) of each part. value: as JavaScript prints it. Raises ValueError, KeyError for wrong options."""
    options = _options(options_text)
    locale, _ = find_locale(tag)
    if value_text == "NaN":
        return [("nan", "NaN")]
    negative, text = value_text.startswith("-"), value_text.lstrip("-")
    if text == "Infinity":
        return _around(locale, [("infinity", "∞")], _sign(locale, negative, False, options), options)
    value = EXACT.multiply(Decimal(text), 100 if options.get("style") == "percent" else 1)
    if options.get("style") == "unit":
        return [("literal", _with_unit(locale, negative, value, options))]
    suffix: list[tuple[str, str]] = []
    if options.get("notation") == "compact":
        value, suffix = _compact(locale, value, options.get("compactDisplay", "short"))
    if options.get("notation") in ("scientific", "engineering"):
        value, suffix = _with_exponent(locale, value, options)
    digits = _rounded(value, options, negative)
    zero = not any(letter in "123456789" for letter in digits)
    parts = _number_parts(locale, digits, options) + suffix
    made = _around(locale, parts, _sign(locale, negative, zero, options), options)
    if options.get("currencySign") == "accounting" and made[0][0] == "minusSign":
        made = _in_brackets(locale, made)
    table = DIGITS.get(options.get("numberingSystem") or locale.default_numbering_system)
    if table is None:
        return made
    return [(kind, text.translate(str.maketrans("0123456789", table))) for kind, text in made]


def _in_brackets(locale: Locale, made: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """A negative amount as accountants of the language write it."""
    if ";(" not in str(locale.currency_formats["accounting"].pattern):
        return made
    return [("literal", "("), *made[1:], ("literal", ")")]


def _with_exponent(locale: Locale, value: Decimal, options: Mapping[str, Any]) -> tuple[Decimal, list[tuple[str, str]]]:
    power = value.adjusted() if value else 0
    if options["notation"] == "engineering":
        power -= power % 3
    symbols = locale.number_symbols.get(_system(locale, options), locale.number_symbols["latn"])
    sign = [("exponentMinusSign", str(symbols.get("minusSign", "-")))] if power < 0 else []
    mark = ("exponentSeparator", str(symbols.get("exponential", "E")))
    return value.scaleb(-power, EXACT), [mark, *sign, ("exponentInteger", str(abs(power)))]


def _compact(locale: Locale, value: Decimal, length: str) -> tuple[Decimal, list[tuple[str, str]]]:
    power = min(value.adjusted(), 14) if value >= 1000 else 0
    if not power:
        return value, []
    pattern = str(locale.compact_decimal_formats[length]["other"]["1" + "0" * power].pattern).split(";")[0]
    zeros = pattern.count("0")
    rest = pattern.replace("0", "").replace("'", "")
    if not rest:
        return value, []
    space = rest[: len(rest) - len(rest.lstrip("\xa0 "))]
    return value.scaleb(zeros - 1 - power), [*([("literal", space)] if space else []), ("compact", rest.strip("\xa0 "))]


def _with_unit(locale: Locale, negative: bool, value: Decimal, options: Mapping[str, Any]) -> str:
    digits = _rounded(value, options)
    length = options.get("unitDisplay", "short")
    template = str(format_unit(Decimal(digits), options["unit"], length=length, locale=locale, format="0"))
    table = DIGITS.get(_system(locale, options), "0123456789")
    number = "".join(text for _, text in _number_parts(locale, digits, options))
    sign = "".join(text for _, text in _sign(locale, negative, not value, options))
    shown = sign + number.translate(str.maketrans("0123456789", table))
    return PLAIN_NUMBER.sub(lambda match: shown, template, count=1)


def format_number(tag: str, options: str, value: str) -> str:
    """JSON of the parts."""
    return json.dumps(number_parts(tag, options, value))


def resolve_number(tag: str, options_text: str) -> str:
    options = _options(options_text)
    locale, name = find_locale(tag)
    low, high = _digits(options)
    found = {"locale": name, "numberingSystem": _system(locale, options), "style": options.get("style", "decimal")}
    shown = {key: options[key] for key in ("currency", "unit") if key in options}
    return json.dumps(
        {
            **found,
            **shown,
            "minimumIntegerDigits": options.get("minimumIntegerDigits", 1),
            "minimumFractionDigits": low,
            "maximumFractionDigits": high,
            "useGrouping": options.get("useGrouping", "auto"),
            "notation": options.get("notation", "standard"),
            "signDisplay": options.get("signDisplay", "auto"),
        }
    )


def plural(tag: str, kind: str, value: str) -> str:
    """The plural category of a number. kind: `cardinal` or `ordinal`."""
    locale, _ = find_locale(tag)
    rule = locale.ordinal_form if kind == "ordinal" else locale.plural_form
    return str(rule(abs(Decimal(value))))


def relative(tag: str, options_text: str, value_text: str, unit: str) -> str:
    """`in 2 days`, `yesterday` (with numeric: auto). Raises KeyError for an unknown unit."""
    options = _options(options_text)
    locale, _ = find_locale(tag)
    unit = unit.removesuffix("s")
    style = options.get("style", "long")
    fields = locale._data["date_fields"]
    field = fields[unit if style == "long" else f"{unit}-{style}"]
    value = Decimal(value_text)
    if options.get("numeric") == "auto" and value == int(value) and str(int(value)) in field.get("relative", {}):
        return str(field["relative"][str(int(value))])
    past = value < 0 or value_text.startswith("-")
    forms = _relative_forms(field, "past" if past else "future")
    form = forms.get(locale.plural_form(abs(value)), forms["other"])
    digits = "".join(text for _, text in _number_parts(locale, _rounded(abs(value), {}), {}))
    return str(form).replace("{0}", digits)


def _relative_forms(field: Mapping[str, Any], when: str) -> Mapping[str, Any]:
    return field.get(f"relative-time-{when}") or field.get("relative-time", field)[when]  # type: ignore[no-any-return]


def join_list(tag: str, options_text: str, values: str) -> str:
    """`a, b and c`. values: JSON list of texts."""
    options = _options(options_text)
    locale, _ = find_locale(tag)
    kind = {"conjunction": "standard", "disjunction": "or", "unit": "unit"}[options.get("type", "conjunction")]
    style = options.get("style", "long")
    suffix = "" if style == "long" else f"-{style}"
    texts = json.loads(values)
    return str(format_list(texts, style=kind + suffix, locale=locale)) if texts else ""  # type: ignore[arg-type]


def display_name(tag: str, kind: str, code: str) -> str | None:
    """The name of a language, region, script or currency; None where the language has none for it."""
    locale, _ = find_locale(tag)
    tables = {
        "language": locale.languages,
        "region": locale.territories,
        "script": locale.scripts,
        "currency": locale.currencies,
    }
    names = tables[kind]
    plain = code.replace("-", "_")
    if kind == "language" and plain not in names and "_" in plain:
        first, _, region = plain.partition("_")
        known = names.get(first), locale.territories.get(region.upper())
        return f"{known[0]} ({known[1]})" if all(known) else None
    found = names.get(plain)
    return None if found is None else str(found)
