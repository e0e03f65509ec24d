"""luxon in scripts is luxon: as published, and with the results that it has in Node.js."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from node_js import MISSING, NODE, run_node

import jackfield_javascript
from jackfield.api.scripts import ScriptData
from jackfield_javascript.engine import JavaScriptEngine

VENDOR = Path(str(jackfield_javascript.__file__)).parent / "vendor"
NOW = 1_782_648_305_678


def test_the_libraries_are_as_published() -> None:
    listed = json.loads((VENDOR / "vendored.json").read_text())
    assert {entry["file"] for entry in listed} == {path.name for path in VENDOR.iterdir()} - {"vendored.json"}
    for entry in listed:
        assert hashlib.sha256((VENDOR / entry["file"]).read_bytes()).hexdigest() == entry["sha256"], entry["file"]
    versions = {entry["package"]: entry["version"] for entry in listed}
    assert f'const VERSION = "{versions["luxon"]}"' in (VENDOR / "luxon.js").read_text()


EXPRESSIONS = [
    "N.toISO()",
    "N.toISODate()",
    "N.toISOWeekDate()",
    "N.toSQL()",
    "N.toHTTP()",
    "N.toRFC2822()",
    "N.toMillis()",
    "N.toFormat('yyyy-MM-dd HH:mm:ss')",
    "N.toFormat('EEE, dd MMM @ t')",
    "N.toFormat('cccc LLLL d yy h:mm a ZZZZ z')",
    "N.toFormat('D DD DDD DDDD t tt ttt T TT f ff F FF')",
    "N.toFormat(\"yyyy 'year' o q W kkkk E G\")",
    "N.setLocale('de').toFormat('cccc, d. LLLL yyyy')",
    "N.setLocale('fr').toLocaleString(DateTime.DATETIME_FULL)",
    "N.toLocaleString()",
    "N.toLocaleString(DateTime.DATE_MED)",
    "N.toLocaleString(DateTime.TIME_24_SIMPLE)",
    "N.toLocaleString({ weekday: 'long', month: 'long', day: '2-digit' })",
    "N.toRelative({ base: N.plus({ days: 3 }) })",
    "N.toRelativeCalendar({ base: N.plus({ days: 1 }) })",
    "N.setLocale('de').toRelative({ base: N.minus({ hours: 5 }) })",
    "N.plus({ months: 8, days: 3 }).toISO()",
    "N.minus({ quarters: 1, weeks: 2 }).toISO()",
    "N.startOf('week').toISO()",
    "N.endOf('quarter').toISO()",
    "N.set({ weekday: 1, hour: 3 }).toISO()",
    "N.setZone('America/New_York').toISO()",
    "N.setZone('UTC+3').toISO()",
    "N.setZone('Asia/Kathmandu', { keepLocalTime: true }).toISO()",
    "N.toUTC().toISO()",
    "[N.offset, N.zoneName, N.offsetNameShort, N.offsetNameLong, N.isInDST, N.daysInYear, N.weeksInWeekYear]",
    "[N.weekdayLong, N.weekdayShort, N.monthLong, N.monthShort, N.weekNumber, N.weekYear, N.ordinal, N.quarter]",
    "N.diff(DateTime.fromISO('2026-01-01'), ['months', 'days', 'hours']).toObject()",
    "N.hasSame(N.plus(1), 'day')",
    "DateTime.fromISO('2026-03-29T02:30').toISO()",
    "DateTime.fromISO('2026-W10-3').toISODate()",
    "DateTime.fromISO('2026-10-25T02:30:00+01:00').plus({ hours: 1 }).toISO()",
    "DateTime.fromISO('nope').invalidReason",
    "DateTime.fromISO('2026-02-30').invalidExplanation",
    "DateTime.fromSQL('2026-05-06 07:08:09.123').toISO()",
    "DateTime.fromFormat('31/12/2026 5:07 PM', 'dd/MM/yyyy h:mm a').toISO()",
    "DateTime.fromHTTP('Sun, 06 Nov 1994 08:49:37 GMT').toISO()",
    "DateTime.fromFormat('März 5 2026', 'LLLL d yyyy', { locale: 'de' }).toISODate()",
    "DateTime.fromRFC2822('25 Nov 2016 13:23:12 GMT').toISO()",
    "DateTime.fromObject({ year: 2026, ordinal: 200 }, { zone: 'Asia/Tokyo' }).toISO()",
    "DateTime.fromSeconds(1e9).toISO()",
    "DateTime.max(N, N.plus({ days: 1 })).toISODate()",
    "DateTime.local(2026, 1, 2, { zone: 'utc' }).toISO()",
    "Duration.fromObject({ hours: 26, minutes: 70 }).normalize().toObject()",
    "Duration.fromISO('P1Y2M3DT4H').toISO()",
    "Duration.fromObject({ hours: 3, minutes: 5 }).toHuman()",
    "Duration.fromMillis(98765432).toFormat('d h:mm:ss')",
    "Duration.fromObject({ days: 400 }).shiftTo('years', 'months', 'days').toObject()",
    "Interval.fromDateTimes(N, N.plus({ days: 3 })).length('hours')",
    "Interval.fromISO('2026-01-01/2026-02-01').count('days')",
    "Interval.after(N, { days: 2 }).splitBy({ days: 1 }).map((part) => part.toISODate())",
    "N",
    "[N.startOf('day')]",
    "`${N}`",
    "N + 1",
    "N > N.minus({ days: 1 })",
    "JSON.stringify({ at: N })",
    "(() => { try { N.plus({ nope: 1 }) } catch (e) { return e.message } })()",
]

SCRIPT = """
const { sources, file } = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const { DateTime, Duration, Interval, Settings } = require(file);
Settings.defaultZone = 'Europe/Berlin';
Settings.defaultLocale = 'en-US';
const N = DateTime.fromMillis(1782648305678);
const values = sources.map((source) => {
  try {
    return new Function('N', 'DateTime', 'Duration', 'Interval', `return (${source})`)(N, DateTime, Duration, Interval);
  } catch { return null }
});
console.log(JSON.stringify(values.map((value) => value ?? null)));
"""


@pytest.mark.skipif(NODE is None, reason=MISSING)
async def test_results_are_those_in_node(engine: JavaScriptEngine) -> None:
    expected = run_node(SCRIPT, {"sources": EXPRESSIONS, "file": str(VENDOR / "luxon.js")})
    data = ScriptData(input=[{"json": {}}], timezone="Europe/Berlin", now_ms=NOW)
    found = (await engine.evaluate([f"((N) => ({source}))($now)" for source in EXPRESSIONS], data, [0]))[0]
    wrong = [row for row in zip(EXPRESSIONS, found, expected, strict=True) if row[1] != row[2]]
    assert wrong == []


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("$now.plus(1, 'days').toISODate()", "2026-06-29"),
        ("$now.minus(2, 'months').toISODate()", "2026-04-28"),
        ("$now.plus(1000).toMillis()", NOW + 1000),
        ("$now.beginningOf('month').toISODate()", "2026-06-01"),
        ("$now.endOfMonth().toISODate()", "2026-06-30"),
        ("$now.extract('day')", 28),
        ("$now.extract()", 26),
        ("$now.isDst()", True),
        ("$now.isWeekend()", True),
        ("$now.isBetween('2026-06-01', '2026-07-01')", True),
        ("$now.diffTo('2026-06-30T14:05:05.678', 'days')", -2),
        ("$now.format('dd/LL')", "28/06"),
        ("$now.toDateTime().toMillis()", NOW),
        ("new Date(0).isWeekend()", False),
        ("'2026-06-28'.toDateTime().weekday", 7),
        ("(1700000000).toDateTime('s').toISO()", "2023-11-14T23:13:20.000+01:00"),
        ("DateTime.now().minus(1, 'minutes').isInLast(5, 'minutes')", True),
        ("'28/06/2026'.toDateTime('dd/MM/yyyy').toISODate()", "2026-06-28"),
    ],
)
async def test_what_expressions_add_to_dates(engine: JavaScriptEngine, source: str, value: object) -> None:
    data = ScriptData(input=[{"json": {}}], timezone="Europe/Berlin", now_ms=NOW)
    assert await engine.evaluate([source], data, [0]) == [[value]]


async def test_each_workflow_has_its_zone(engine: JavaScriptEngine) -> None:
    found: list[Any] = []
    for zone in ("Asia/Tokyo", "UTC", "America/New_York", "Asia/Tokyo"):
        data = ScriptData(input=[{"json": {}}], timezone=zone, now_ms=NOW)
        found += (await engine.evaluate(["DateTime.fromISO('2026-01-01T00:00').toISO()"], data, [0]))[0]
    assert [text[-6:] for text in found] == ["+09:00", "0.000Z", "-05:00", "+09:00"]


LEAKS = [
    "$now.zone.zoneName = 'x'",
    "$now.loc.weekdaysCache = 1",
    "$now.loc.numberFormatter()['constructor'].prototype.format = () => 'changed'",
    "$now.loc.dtFormatter($now).dtf.format = () => 'changed'",
    "$now.diff($today).matrix.hours.minutes = 1",
    "$now.diff($today).matrix.months.days = 1",
    "$now.diff($today).matrix.years = {days: 1}",
    "Duration.fromObject({}, {conversionAccuracy: 'longterm'}).matrix.months.days = 1",
    """(() => {
      class Base { constructor(made) { return made } }
      class Changed extends Base { source = '(x)'; exec = () => null }
      for (const { regex } of DateTime.buildFormatParser('yyyy-MM-dd').units) new Changed(regex);
    })()""",
    "DateTime.DATE_SHORT.day = 'changed'",
    "DateTime.prototype.toISO = () => 'changed'",
    "DateTime.now = () => 'changed'",
    "Duration.prototype.toISO = () => 'changed'",
    "Interval.fromDateTimes = () => 'changed'",
    "Object.assign(DateTime, { fromISO: 1 })",
    "(() => { try { $now.plus({ x: 1 }) } catch (e) { e['__proto__'].name = 'changed'; e.x = 1 } })()",
    "$jmespath($json, 'a')['x'] = 1",
]
PROBE = """[$now.toISO(), $now.toFormat('D t EEE'), DateTime.fromISO('2026-01-01').toISO(), $now.diff($today).toISO(),
  $now.toLocaleString(), $now.zoneName, $now.setLocale('de').toFormat('EEEE'), $now.diff($today, 'minutes').minutes,
  (() => { try { $now.plus({ x: 1 }) } catch (e) { return `${e.name} ${e.x}` } })(), $jmespath({a: 1}, 'a'),
  DateTime.fromFormat('2026-01-02', 'yyyy-MM-dd').toISO(), Duration.fromObject({years: 1, months: 1}).as('days'),
  Duration.fromObject({months: 1}, {conversionAccuracy: 'longterm'}).as('days')]"""


@pytest.mark.parametrize("leak", LEAKS)
async def test_one_evaluation_does_not_change_the_next(engine: JavaScriptEngine, leak: str) -> None:
    data = ScriptData(input=[{"json": {"a": {}}}], timezone="Europe/Berlin", now_ms=NOW)
    before = await engine.evaluate([PROBE], data, [0])
    assert isinstance(before[0][0], list)
    await engine.evaluate([leak], data, [0])
    assert await engine.evaluate([PROBE], data, [0]) == before
