"""luxon in expressions: reading, moving, comparing and printing dates, in zones and languages, independent of now."""

from __future__ import annotations

from collections.abc import Iterator

from ..cases import Family, NodeCase
from .expressions import expression_cases

TEXTS = (
    "2026-05-10 10:11:12", "2026-05-10T10:11:12", "2026-05-10T10:11:12Z", "2026-05-10T10:11:12+02:00",
    "2026-05-10T10:11:12.345-07:00", "2026-05-10", "20260510", "2026-W19-7", "2026-130", "2026-05", "2026", "10:11",
    "2026-05-10 10:11:12 Europe/Berlin", "2026-05-10 10:11:12 +0200", "Sun, 10 May 2026 10:11:12 GMT",
    "Sun, 10 May 2026 10:11:12 +0200", "10 May 2026", "May 10, 2026 10:11", "5/10/2026", "10.05.2026", "2026/05/10",
    "1778407872000", "1778407872", "", "nonsense", "2026-02-30", "2026-03-08T02:30:00", "2026-11-01T01:30:00",
    "  2026-05-10  ", "Sunday, 10-May-26 10:11:12 GMT", "2026-05-10T24:00:00", "+002026-05-10",
    "2026-05-10T10:11:12[Asia/Tokyo]",
)  # fmt: skip
READS = (
    ".toDateTime()",
    ".toDateTime().zoneName",
    ".toDate()",
    ".toDateTime('yyyy-MM-dd')",
    ".toDateTime('ms')",
    ".toDateTime('s')",
)
AT = "DateTime.fromISO('2026-05-10T10:11:12.345')"
CALLS = (
    ".toISO()", ".toISODate()", ".toISOTime()", ".toISOWeekDate()", ".toISO({suppressMilliseconds: true})",
    ".toISO({includeOffset: false})", ".toSQL()", ".toSQLDate()", ".toSQLTime()", ".toHTTP()", ".toRFC2822()",
    ".toMillis()", ".toSeconds()", ".toUnixInteger()", ".valueOf()", ".toJSON()", ".toString()", ".toJSDate()",
    ".toBSON()", ".toObject()", ".toLocaleString()", ".toLocaleString(DateTime.DATE_FULL)",
    ".toLocaleString(DateTime.DATETIME_MED)", ".toLocaleString(DateTime.DATE_HUGE)",
    ".toLocaleString(DateTime.TIME_SIMPLE)", ".toLocaleString(DateTime.TIME_24_WITH_SECONDS)",
    ".toLocaleString(DateTime.DATETIME_FULL)", ".toLocaleString(DateTime.DATETIME_HUGE)",
    ".toLocaleString({month: 'long'})", ".toLocaleString({weekday: 'short', day: 'numeric'})",
    ".toLocaleString(DateTime.DATETIME_SHORT_WITH_SECONDS)", ".toLocaleString(DateTime.DATE_MED_WITH_WEEKDAY)",
    ".toLocaleParts()", ".year", ".quarter", ".month", ".day", ".hour", ".minute", ".second", ".millisecond",
    ".weekday", ".weekNumber", ".weekYear", ".ordinal", ".weeksInWeekYear", ".daysInMonth", ".daysInYear",
    ".isInLeapYear", ".isInDST", ".offset", ".offsetNameShort", ".offsetNameLong", ".zoneName", ".zone.name",
    ".isOffsetFixed", ".monthShort", ".monthLong", ".weekdayShort", ".weekdayLong", ".locale", ".isValid",
    ".invalidReason", ".localWeekNumber", ".isWeekend()", ".isDst()", ".plus({days: 1})",
    ".plus({months: 1, hours: 2})", ".plus(1000)", ".plus(1, 'days')", ".plus(1, 'day')", ".plus('1', 'months')",
    ".plus(2, 'M')", ".plus(2, 'hrs')", ".plus({quarters: 1})", ".plus({weeks: -1})", ".plus({days: 0.5})",
    ".plus({months: 1.5})", ".plus(Duration.fromObject({hours: 3}))", ".plus('P1D')", ".plus()", ".plus(null)",
    ".plus({x: 1})", ".minus({years: 1})", ".minus(1, 'weeks')", ".minus(0)", ".set({hour: 0})",
    ".set({month: 2, day: 31})", ".set({weekday: 1})", ".set({ordinal: 1})", ".set({x: 1})", ".startOf('day')",
    ".startOf('week')", ".startOf('month')", ".startOf('quarter')", ".startOf('year')", ".startOf('hour')",
    ".startOf('x')", ".endOf('day')", ".endOf('month')", ".endOf('week')", ".beginningOf('week')",
    ".beginningOf('hours')", ".beginningOf()", ".endOfMonth()", ".extract()", ".extract('month')",
    ".extract('hours')", ".extract('yearDayNumber')", ".extract('weekday')", ".extract('x')",
    ".setZone('Asia/Tokyo')", ".setZone('Asia/Tokyo', {keepLocalTime: true})", ".setZone('utc')", ".setZone('UTC+3')",
    ".setZone('x')", ".toUTC()", ".toLocal()", ".setLocale('de').toFormat('EEEE d. MMMM yyyy')",
    ".setLocale('fr').toLocaleString(DateTime.DATE_FULL)", ".reconfigure({locale: 'es'}).monthLong",
    ".diff(DateTime.fromISO('2026-01-01'))", ".diff(DateTime.fromISO('2026-01-01'), 'days').days",
    ".diff(DateTime.fromISO('2026-01-01'), ['months', 'days']).toObject()",
    ".diff(DateTime.fromISO('2026-01-01'), 'hours').toISO()", ".diffTo('2026-01-01')",
    ".diffTo('2026-01-01', 'hours')", ".diffTo('2026-01-01T00:00:00.000Z', ['months', 'days'])",
    ".diffTo(DateTime.fromISO('2025-05-10'), 'years')", ".diffTo('2026-01-01', 'x')", ".diffTo('nonsense')",
    ".diffTo()", ".hasSame(DateTime.fromISO('2026-05-10'), 'day')",
    ".equals(DateTime.fromISO('2026-05-10T10:11:12.345'))", ".isBetween('2026-01-01', '2027-01-01')",
    ".isBetween('2027-01-01', '2026-01-01')", ".isBetween('x', '2026-01-01')", ".isBetween('2026-01-01')",
    ".until(DateTime.fromISO('2026-05-11')).length('hours')", ".toRelative({base: DateTime.fromISO('2026-05-08')})",
    ".toRelativeCalendar({base: DateTime.fromISO('2026-05-09')})",
    ".toRelative({base: DateTime.fromISO('2026-05-08'), locale: 'de'})", ".toFormat('D')", ".toFormat('DDDD')",
    ".toFormat('t')", ".toFormat('TT')", ".toFormat('f')", ".toFormat('FFFF')", ".format('yyyy-MM-dd HH:mm:ss')",
    ".format('dd LLL yy', {locale: 'fr'})", ".format('D', {locale: 'de'})", ".format()", ".format('x')",
    ".toFormat('yyyy', {numberingSystem: 'arab'})", ".resolvedLocaleOptions()", ".get('week')", ".get('x')",
    ".toInt()", ".toFloat()", ".toBoolean()", ".toNumber()", ".isEmpty()", ".toDateTime()", ".toJsonString()",
    ".hasField('c')", ".keys()", " < DateTime.fromISO('2027-01-01')", " + 1", " - DateTime.fromISO('2026-05-10')",
    " == null", ".c", ".ts", ".foo", ".foo()",
)  # fmt: skip
PATTERNS = (
    "S", "SSS", "u", "uu", "uuu", "s", "ss", "m", "mm", "h", "hh", "H", "HH", "Z", "ZZ", "ZZZ", "ZZZZ", "ZZZZZ",
    "z", "a", "d", "dd", "E", "EEE", "EEEE", "EEEEE", "c", "ccc", "cccc", "ccccc", "M", "MM", "MMM", "MMMM",
    "MMMMM", "L", "LL", "LLL", "LLLL", "LLLLL", "y", "yy", "yyyy", "yyyyyy", "G", "GG", "GGGGG", "kk", "kkkk",
    "W", "WW", "n", "nn", "ii", "iiii", "o", "ooo", "q", "qq", "X", "x", "D", "DD", "DDD", "DDDD", "t", "tt",
    "ttt", "tttt", "T", "TT", "TTT", "TTTT", "f", "ff", "fff", "ffff", "F", "FF", "FFF", "FFFF",
)  # fmt: skip
LOCALES = ("en", "de", "fr", "es", "ja", "pt-BR", "en-GB", "ar", "ru", "zh-CN", "sv", "pl")
ZONES = (
    "Europe/Berlin",
    "Asia/Kolkata",
    "America/St_Johns",
    "Pacific/Auckland",
    "UTC",
    "Australia/Lord_Howe",
    "America/Sao_Paulo",
    "UTC+5:30",
)
STATIC = (
    "DateTime.fromISO('2026-05-10').toISO()", "DateTime.fromISO('2026-05-10T10:00:00+02:00').toISO()",
    "DateTime.fromISO('2026-05-10T10:00:00+02:00', {setZone: true}).toISO()",
    "DateTime.fromISO('2026-05-10', {zone: 'Asia/Tokyo'}).toISO()", "DateTime.fromISO('x')",
    "DateTime.fromISO('x').toISO()", "DateTime.fromISO('x').toFormat('yyyy')", "DateTime.fromISO(null)",
    "DateTime.fromISO()", "DateTime.fromISO(20260510)", "DateTime.fromFormat('10.05.2026', 'dd.MM.yyyy')",
    "DateTime.fromFormat('10 Mai 2026', 'd MMMM yyyy', {locale: 'de'})", "DateTime.fromFormat('x', 'yyyy')",
    "DateTime.fromFormat('2026-05-10 10:11 PM', 'yyyy-MM-dd hh:mm a')", "DateTime.fromFormat('1778407872', 'X')",
    "DateTime.fromFormat('2026-05-10 +02:00', 'yyyy-MM-dd ZZ')",
    "DateTime.fromFormat('2026-05-10 Asia/Tokyo', 'yyyy-MM-dd z', {setZone: true})",
    "DateTime.fromSQL('2026-05-10 10:11:12')", "DateTime.fromHTTP('Sun, 10 May 2026 10:11:12 GMT')",
    "DateTime.fromRFC2822('Sun, 10 May 2026 10:11:12 +0200')", "DateTime.fromMillis(0)", "DateTime.fromMillis('0')",
    "DateTime.fromSeconds(1.5)", "DateTime.fromJSDate(new Date(0))", "DateTime.fromJSDate('x')",
    "DateTime.fromObject({year: 2026, month: 5})", "DateTime.fromObject({year: 2026, weekNumber: 1})",
    "DateTime.fromObject({year: 2026, month: 13})", "DateTime.fromObject({hour: 5}, {zone: 'utc'}).hour",
    "DateTime.local(2026, 5, 10)", "DateTime.utc(2026, 5, 10)", "DateTime.local(2026, 3, 8, 2, 30)",
    "DateTime.local(2026, 5, {zone: 'Asia/Tokyo'})",
    "DateTime.max(DateTime.fromMillis(0), DateTime.fromMillis(1)).toMillis()", "DateTime.min()",
    "DateTime.isDateTime($json.date)", "DateTime.isDateTime(DateTime.fromMillis(0))", "DateTime.invalid('x')",
    "DateTime", "DateTime.DATE_FULL", "DateTime.expandFormat('D')",
    "DateTime.fromFormatExplain('x', 'y').invalidReason", "Duration.fromObject({hours: 2, minutes: 30})",
    "Duration.fromObject({hours: 2, minutes: 30}).toISO()",
    "Duration.fromObject({hours: 2, minutes: 90}).normalize().toObject()",
    "Duration.fromISO('P1Y2M3DT4H5M6S').toObject()", "Duration.fromISO('x')", "Duration.fromISO('x').toISO()",
    "Duration.fromMillis(90061001).toFormat('d hh:mm:ss.SSS')",
    "Duration.fromMillis(90061001).shiftTo('days', 'hours', 'minutes').toObject()",
    "Duration.fromMillis(90061001).rescale().toObject()", "Duration.fromMillis(90061001).toHuman()",
    "Duration.fromObject({days: 1, hours: 2}).toHuman()",
    "Duration.fromObject({days: 1, hours: 2}).toHuman({unitDisplay: 'short'})",
    "Duration.fromObject({days: 2, hours: 1}, {locale: 'de'}).toHuman()",
    "Duration.fromObject({days: 1.5}).as('hours')", "Duration.fromObject({days: 1}).plus({hours: 1}).as('minutes')",
    "Duration.fromObject({x: 1})", "Duration.fromObject({hours: 1}).minus({minutes: 1}).toISO()",
    "Duration.fromObject({hours: 1}).negate().toObject()",
    "Duration.fromObject({hours: 1}).mapUnits(x => x * 2).hours", "Duration.fromISOTime('10:11').toObject()",
    "Duration.fromObject({hours: 1}).toMillis()", "Duration.fromObject({hours: 25}).toISOTime()",
    "Duration.fromObject({hours: 5}).toISOTime()", "Duration.fromMillis(1500).seconds",
    "Duration.fromDurationLike(1000).milliseconds", "Duration.fromObject({months: 1}).valueOf()",
    "Duration.fromObject({hours: 1}).equals(Duration.fromObject({minutes: 60}))",
    "Duration.fromObject({hours: 1}) < Duration.fromObject({hours: 2})",
    "Duration.fromObject({weeks: 2}).toFormat('w')", "Duration.fromObject({hours: 1}).set({minutes: 5}).toObject()",
    "`${Duration.fromObject({hours: 1})}`", "[Duration.fromObject({hours: 1})]",
    "Duration.fromMillis(-5000).toFormat('hh:mm:ss')",
    "Interval.fromDateTimes(DateTime.fromISO('2026-01-01'), DateTime.fromISO('2026-02-01')).length('days')",
    "Interval.fromISO('2026-01-01/2026-02-01').toISO()", "Interval.fromISO('2026-01-01/P1M').toString()",
    "Interval.fromISO('2026-01-01/P1M')", "Interval.fromISO('x').isValid",
    "Interval.after(DateTime.fromISO('2026-01-01'), {days: 3}).splitBy({days: 1}).map(x => x.start.toISODate())",
    "Interval.before(DateTime.fromISO('2026-01-01'), 1000).toDuration().milliseconds",
    "Interval.fromISO('2026-01-01/2026-02-01').contains(DateTime.fromISO('2026-01-15'))",
    "Interval.fromISO('2026-01-01/2026-02-01').count('days')",
    "Interval.fromISO('2026-01-01/2026-02-01').overlaps(Interval.fromISO('2026-01-15/2026-03-01'))",
    "Interval.fromISO('2026-01-01/2026-02-01').intersection(Interval.fromISO('2026-01-15/2026-03-01')).toISODate()",
    "Interval.fromISO('2026-01-01/2026-02-01').toLocaleString(DateTime.DATE_MED)",
    "Interval.fromISO('2026-01-01/2026-02-01').toFormat('dd.MM.')",
    "Interval.fromISO('2026-01-01/2026-02-01').divideEqually(2).length", "Interval.fromISO('2026-02-01/2026-01-01')",
    "Interval.merge([Interval.fromISO('2026-01-01/P1M')]).length", "(46152).toDateTime('excel')",
    "(46152.5).toDateTime('excel')", "'46152'.toDateTime('excel')", "(0).toDateTime('excel')",
    "(1778407872000).toDateTime()", "(1778407872).toDateTime('s')", "'1778407872000000'.toDateTime('us')",
    "$json.date.toDateTime().toISO()", "$json.day.toDateTime()", "new Date(0).toDateTime()",
    "$json.date.format('yyyy')", "$json.date.plus(1, 'days')", "$json.date.extract('month')",
    "$json.date.beginningOf('month')", "$json.date.isBetween('2026-01-01', '2027-01-01')",
    "$json.date.diffTo('2026-01-01')", "$json.date.toInt()", "$json.date.isWeekend()", "$json.date.toDate()",
    "new Date('2026-05-10T10:11:12Z').plus(1, 'month')",
    "new Date('2026-05-10T10:11:12Z').plus({days: 1}).toISOString()",
    "new Date('2026-05-10T10:11:12Z').minus(90, 'minutes')",
    "new Date('2026-05-10T02:11:12Z').format('yyyy-MM-dd HH:mm')",
    "new Date('2026-05-10T02:11:12Z').beginningOf('day')", "new Date('2026-05-10T02:11:12Z').endOfMonth()",
    "new Date('2026-05-10T02:11:12Z').extract('day')", "new Date('2026-05-10T02:11:12Z').extract('yearDayNumber')",
    "new Date('2026-05-10T02:11:12Z').isWeekend()", "new Date('2026-05-10T02:11:12Z').isDst()",
    "new Date(0).diffTo(new Date(5))", "new Date(0).isBetween(new Date(-1), new Date(1))",
    "new Date('2026-05-10T02:11:12Z').toDateTime().toISO()", "typeof $now.toISO()", "$now.zoneName",
    "$today.toFormat('HH:mm:ss.SSS')", "$now.locale", "$today.zoneName", "$now.diffTo($now, 'hours')",
    "$now > $today", "$today.plus(1, 'days') > $now", "$now.isInLast(5, 'minutes')",
    "$today.isInLast(1, 'seconds') ? 0 : 0", "DateTime.now().zoneName", "typeof DateTime.now().toMillis()", "luxon",
    "Settings", "DateTime.local().zoneName", "DateTime.fromISO('2026-05-10') + ''",
    "[DateTime.fromISO('2026-05-10')]", "{a: DateTime.fromISO('2026-05-10')}",
    "JSON.stringify(DateTime.fromISO('2026-05-10'))", "DateTime.fromISO('2026-05-10').toISO().slice(0, 10)",
)  # fmt: skip


def reading() -> Iterator[NodeCase]:
    return expression_cases(f"'{text}'{read}" for text in TEXTS for read in READS)


def calls() -> Iterator[NodeCase]:
    return expression_cases(f"{AT}{call}" for call in CALLS)


def printing() -> Iterator[NodeCase]:
    patterns = [f"{AT}.toFormat('{pattern}')" for pattern in PATTERNS]
    zones = [f"{AT}.setZone('{zone}').toFormat('ZZ z ZZZZ ZZZZZ FFFF')" for zone in ZONES]
    locales = [
        f"{AT}.setLocale('{locale}').toFormat('{pattern}')"
        for locale in LOCALES
        for pattern in ("EEEE EEE d MMMM MMM a", "D DD DDD DDDD", "t tt", "f ff fff ffff", "G E MMMMM")
    ]
    return expression_cases([*patterns, *zones, *locales])


def static() -> Iterator[NodeCase]:
    return expression_cases(STATIC)


FAMILIES = (
    Family("expressions: dates read from texts", reading),
    Family("expressions: methods of dates", calls),
    Family("expressions: dates printed", printing),
    Family("expressions: luxon and dates", static),
)
