"""The methods that expressions may call on plain values, and dates with a time zone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from jackfield.api.scripts import ExpressionError

Ask = Callable[..., Awaitable[object]]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("['', 'a'].map((text) => [text.isEmpty(), text.isNotEmpty()])", [[True, False], [False, True]]),
        ("['12', ' 7 ', '1.5'].map((text) => text.toNumber())", [12, 7, 1.5]),
        ("['12px'.toInt(), 'ff'.toInt(16), '1.5kg'.toFloat()]", [12, 255, 1.5]),
        ("['true', 'no', '0', 'x'].map((text) => text.toBoolean())", [True, False, False, True]),
        ("'hello wORLD, it\\'s me'.toTitleCase()", "Hello wORLD, It's Me"),
        ("'hELLO you. and me'.toSentenceCase()", "Hello you. And me"),
        ("'Hello World-andMore'.toSnakeCase()", "hello_world_andmore"),
        ("['é€😀'.base64Encode(), 'w6nigqzwn5iA'.base64Decode()]", ["w6nigqzwn5iA", "é€😀"]),
        ("['a b&c'.urlEncode(), 'a%20b'.urlDecode()]", ["a%20b%26c", "a b"]),
        ("'{\"a\": [1]}'.parseJson().a", [1]),
        ("'a'.quote()", '"a"'),
        ("'abc'.hash()", "900150983cd24fb0d6963f7d28e17f72"),
        ("'abc'.hash('sha1')", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("'<b>bold</b> text'.removeTags()", "bold text"),
        ("'# Title\\n**bold** [link](http://x)'.removeMarkdown()", "Title\nbold link"),
        ("'Ünïcødé ß'.replaceSpecialChars()", "Unicode ss"),
        ("['1.5', 'x', ''].map((text) => text.isNumeric())", [True, False, False]),
        ("['a@b.de', 'a@b', 'x a@b.de'].map((text) => text.isEmail())", [True, False, False]),
        ("['https://a.de/x', 'a.de'].map((text) => text.isUrl())", [True, False]),
        ("['a.de', 'a', 'http://a.de'].map((text) => text.isDomain())", [True, False, False]),
        ("'mail me at me@example.com, now'.extractEmail()", "me@example.com"),
        ("['https://www.a.co.uk:80/x?y', 'me@b.com', 'c.org/z', 'none'].map((text) => text.extractDomain() ?? null)",
         ["www.a.co.uk", "b.com", "c.org", None]),
        ("'see https://a.de/b?c=1 there'.extractUrl()", "https://a.de/b?c=1"),
        ("'https://a.de/b/c?d#e'.extractUrlPath()", "/b/c"),
        ("'2026-01-02'.toDate()", "2026-01-02T00:00:00.000Z"),
        ("'2026-01-02T03:04:05Z'.toDateTime().hour", 3),
        ("[[], [0]].map((list) => [list.isEmpty(), list.isNotEmpty()])", [[True, False], [False, True]]),
        ("[[1, 2, 3].first(), [1, 2, 3].last(), [].first() ?? 'none']", [1, 3, "none"]),
        ("[1, '1', 1, {a: 1}, {a: 1}].removeDuplicates()", [1, "1", {"a": 1}]),
        ("[{a: 1, b: 1}, {a: 1, b: 2}].unique('a')", [{"a": 1, "b": 1}]),
        ("[{a: 1}, {a: 2}].pluck('a')", [1, 2]),
        ("[{a: 1, b: 2}].pluck('a', 'b')", [[1, 2]]),
        ("[[1, 2, 3].sum(), [1, 5].min(), [1, 5].max(), [1, 2].average()]", [6, 1, 5, 1.5]),
        ("[0, null, '', [], {}, 1, undefined].compact()", [0, 1]),
        ("[1, 2, 3, 4, 5].chunk(2)", [[1, 2], [3, 4], [5]]),
        ("[{k: 'a', v: 1}, {k: 'b', v: 2}].smartJoin('k', 'v')", {"a": 1, "b": 2}),
        ("[{a: 1}].renameKeys('a', 'b')", [{"b": 1}]),
        ("[{a: 1}].merge([{b: 2}])", {"a": 1, "b": 2}),
        ("[[1, 2].union([2, 3]), [1, 2].difference([2]), [1, 2].intersection([2, 3])]", [[1, 2, 3], [1], [2]]),
        ("[1].append(2, 3)", [1, 2, 3]),
        ("[{a: [1]}.toJsonString(), [1].toJsonString(), 'a'.toJsonString()]",
         ['{"a":[1]}', "[1]", '"a"']),
        ("[7].includes([7, 8].randomItem()) || true", True),
        ("[(1.5).ceil(), (1.5).floor(), (1.255).round(2), (-2).abs(), (2.5).round()]", [2, 1, 1.25, 2, 3]),
        ("[(2).isEven(), (3).isOdd(), (1.5).isInteger(), (0).toBoolean()]", [True, True, False, False]),
        ("(1.9).toInt()", 2),
        ("[(999).format(), (-1234).format(), (1000000).format()]", ["999", "-1,234", "1,000,000"]),
        ("(1234567.5).format()", "1,234,567.5"),
        ("[true.toInt(), false.isEmpty()]", [1, True]),
        ("[{}.isEmpty(), {a: 1}.isNotEmpty(), {a: 1}.hasField('a'), {a: 1}.hasField('b')]", [True, True, True, False]),
        ("({a: 1, b: 2}).removeField('a')", {"b": 2}),
        ("({a: 'xy', b: 'z'}).removeFieldsContaining('x')", {"b": "z"}),
        ("({a: 'xy', b: 'z'}).keepFieldsContaining('x')", {"a": "xy"}),
        ("({a: 0, b: null, c: ''}).compact()", {"a": 0}),
        ("[{a: 1}.keys(), {a: 1}.values(), {a: 'b c', d: 1}.urlEncode()]", [["a"], [1], "a=b+c&d=1"]),
        ("new Date(0).format('yyyy-MM-dd')", "1970-01-01"),
        ("new Date(0).plus(1, 'days')", "1970-01-02T00:00:00.000Z"),
        ("[...new Map([[1, 2]])['keys']()]", [1]),
        ("[Object.keys({a: 1}), Object.values({a: 1})]", [["a"], [1]]),
        ("[Math.round(1.5), Math.abs(-1), Math.min(2, 1)]", [2, 1, 1]),
        ("$json.first()", "own"),
        ("$json?.list?.first()", 1),
        ("$json.list\n  .map((x) => x + 1) // a comment .first( here\n  .last()", 4),
        ("'.isEmpty() '.concat(`.first() ${[9].first()} .last()`)", ".isEmpty() .first() 9 .last()"),
        ("/.isEmpty(a)?\\/[/.first()]/.source", ".isEmpty(a)?\\/[/.first()]"),
        ("6 / [3].first() / 2", 1),
        ("{ a: [1, 2].last() }.a", 2),
        ("[...[[1], [2]].last()]", [2]),
    ],
)  # fmt: skip
async def test_extension(ask: Ask, source: str, value: object) -> None:
    own = "(() => { $json.first = () => 'own'; return $json.first() })()" if source == "$json.first()" else source
    assert await ask(own, {"list": [1, 2, 3]}) == value


@pytest.mark.parametrize(
    "source", ["'x'.toNumber()", "'{'.parseJson()", "[1].chunk(0)", "(5).toTitleCase()", "'a'.hash('x')"]
)
async def test_a_wrong_argument_reaches_the_user(ask: Ask, source: str) -> None:
    assert isinstance(await ask(source), ExpressionError)


@pytest.mark.parametrize(
    "source", ["$json.none?.isEmpty()", "null?.first()", "$json.a.nothing()", "$json.a?.b.isEmpty?.().c"]
)
async def test_a_call_on_nothing_is_undefined(ask: Ask, source: str) -> None:
    assert await ask(source, {"a": "x"}) is None


NOW = 1_782_648_305_678  # 2026-06-28T12:05:05.678Z, a Sunday


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("$now", "2026-06-28T14:05:05.678+02:00"),
        ("`${$now}`", "2026-06-28T14:05:05.678+02:00"),
        ("$now + ''", str(NOW)),
        ("$now - 0", NOW),
        ("$now > $today", True),
        ("$today", "2026-06-28T00:00:00.000+02:00"),
        ("$now.toISODate()", "2026-06-28"),
        ("$now.toMillis()", NOW),
        ("$now.toSeconds()", NOW / 1000),
        ("$now.toUTC()", "2026-06-28T12:05:05.678Z"),
        ("$now.setZone('America/New_York').toISO()", "2026-06-28T08:05:05.678-04:00"),
        ("$now.setZone('UTC+3').hour", 15),
        ("$now.setZone('No/Where').isValid", False),
        ("$now.toJSDate()", "2026-06-28T12:05:05.678Z"),
        ("[$now.year, $now.month, $now.day, $now.weekday, $now.hour]", [2026, 6, 28, 7, 14]),
        ("[$now.weekNumber, $now.ordinal, $now.quarter, $now.daysInMonth, $now.isWeekend]", [26, 179, 2, 30, True]),
        ("$now.toFormat('yyyy-MM-dd HH:mm:ss')", "2026-06-28 14:05:05"),
        ("$now.toFormat('EEE, dd MMM @ t')", "Sun, 28 Jun @ 2:05 PM"),
        ("$now.toFormat('MMMM dd, yyyy')", "June 28, 2026"),
        ("$now.toFormat('cccc LLL d yy h:mm a ZZ ZZZ SSS')", "Sunday Jun 28 26 2:05 PM +02:00 +0200 678"),
        ("$now.toFormat(\"yyyy'T'HH 'o''clock'\")", "2026T14 oclock"),
        ("$now.format('dd.MM.yyyy')", "28.06.2026"),
        ("$now.plus({days: 3, hours: 1}).toISO()", "2026-07-01T15:05:05.678+02:00"),
        ("$now.plus(1, 'days').toISODate()", "2026-06-29"),
        ("$now.minus(2, 'months').toISODate()", "2026-04-28"),
        ("$now.minus({weeks: 1}).toISODate()", "2026-06-21"),
        ("$now.startOf('month').toISO()", "2026-06-01T00:00:00.000+02:00"),
        ("$now.startOf('week').toISODate()", "2026-06-22"),
        ("$now.startOf('year').toISODate()", "2026-01-01"),
        ("$now.startOf('quarter').toISODate()", "2026-04-01"),
        ("$now.endOf('month').toISO()", "2026-06-30T23:59:59.999+02:00"),
        ("$now.endOfMonth().day", 30),
        ("$now.set({hour: 1, minute: 0}).toISO()", "2026-06-28T01:00:05.678+02:00"),
        ("$now.diff(DateTime.fromISO('2026-06-26T14:05:05.678'), 'days').days", 2),
        ("$now.diff($today, ['hours', 'minutes']).toObject().hours", 14),
        ("$now.diffTo('2026-06-27T14:05:05.678', 'days')", 1),
        ("$now.isBetween('2026-01-01', '2027-01-01')", True),
        ("$now.hasSame($today, 'day')", True),
        ("$now.extract('month')", 6),
        ("DateTime.fromISO('2026-01-31').plus({months: 1}).toISODate()", "2026-02-28"),
        ("DateTime.fromISO('2026-03-28T02:30').plus({days: 1}).toISO()", "2026-03-29T03:30:00.000+02:00"),
        ("DateTime.fromISO('2026-01-01T00:00:00Z').toISO()", "2026-01-01T01:00:00.000+01:00"),
        ("DateTime.fromISO('2026-01-01T00:00:00-05:00').toUTC().hour", 5),
        ("DateTime.fromISO('2026-01-01', {zone: 'utc'}).toISO()", "2026-01-01T00:00:00.000Z"),
        ("DateTime.fromISO('nonsense').isValid", False),
        ("DateTime.fromISO('2026-02-30').isValid", False),
        ("DateTime.fromISO('nonsense').toISO()", None),
        ("DateTime.fromISO('nonsense')", "Invalid DateTime"),
        ("DateTime.fromFormat('31/12/2026 5:07 PM', 'dd/MM/yyyy h:mm a').toISO()", "2026-12-31T17:07:00.000+01:00"),
        ("DateTime.fromFormat('Dec 24, 2026', 'LLL d, yyyy').toISODate()", "2026-12-24"),
        ("DateTime.fromFormat('x', 'yyyy').isValid", False),
        ("DateTime.fromSeconds(0).toUTC().toISO()", "1970-01-01T00:00:00.000Z"),
        ("DateTime.fromMillis(1000, {zone: 'utc'}).second", 1),
        ("DateTime.fromJSDate(new Date(0)).toMillis()", 0),
        ("DateTime.fromObject({year: 2026, month: 2, day: 3}).toISO()", "2026-02-03T00:00:00.000+01:00"),
        ("DateTime.local(2026, 1, 2).toISO()", "2026-01-02T00:00:00.000+01:00"),
        ("DateTime.utc(2026).toISO()", "2026-01-01T00:00:00.000Z"),
        ("{at: [$today]}", {"at": ["2026-06-28T00:00:00.000+02:00"]}),
        ("$now.diffTo('2026-06-26T14:05:05.678', ['days', 'hours'])", {"days": 2, "hours": 0}),
        ("Math.round($now.minus({days: 2}).diffToNow('days') - $now.diffToNow('days'))", -2),
    ],
)  # fmt: skip
async def test_date(ask: Ask, source: str, value: object) -> None:
    assert await ask(source, timezone="Europe/Berlin", now_ms=NOW) == value


ADDED = {
    "'text'": """hash removeMarkdown removeTags toDate toDateTime toBoolean toNumber toFloat toInt toSentenceCase
      toSnakeCase toTitleCase urlEncode urlDecode quote replaceSpecialChars length isDomain isEmail
      isNumeric isUrl isEmpty isNotEmpty extractEmail extractDomain extractUrl extractUrlPath
      parseJson base64Encode base64Decode toJsonString""",
    "[1, 2]": """removeDuplicates unique first last pluck randomItem sum min max average isEmpty isNotEmpty compact
      smartJoin chunk renameKeys merge union difference intersection append toJsonString""",
    "(5)": "ceil floor format round abs isInteger isEven isOdd toBoolean toInt toFloat toDateTime isEmpty isNotEmpty",
    "({a: 1})": """isEmpty isNotEmpty hasField removeField removeFieldsContaining keepFieldsContaining compact
      urlEncode keys values toJsonString""",
    "new Date(0)": """beginningOf endOfMonth extract isBetween isDst isInLast isWeekend minus plus format toDateTime
      diffTo diffToNow""",
    "$now": """beginningOf endOfMonth extract isBetween isDst isInLast isWeekend minus plus format toDateTime
      diffTo diffToNow""",
}


@pytest.mark.parametrize("value", ADDED)
async def test_every_added_method_is_there(ask: Ask, value: str) -> None:
    for name in ADDED[value].split():
        source = f"(() => {{ try {{ {value}.{name}([], []); return '' }} catch (error) {{ return error.message }} }})()"
        found = await ask(source, now_ms=NOW)
        assert "can't be called" not in str(found), name
