"""A grammar of expressions with dates that Python evaluates: `$now`, `new Date` and what is done with them."""

from __future__ import annotations

from expression_grammar import Sources, form, one
from hypothesis import strategies as st

ZONES = (
    "UTC",
    "Europe/Berlin",
    "Europe/London",
    "America/New_York",
    "America/St_Johns",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "Pacific/Auckland",
    "Etc/UTC",
)
MOMENTS = (
    1_790_000_000_123,
    1_774_745_999_999,  # an hour before clocks go forward in Berlin
    1_774_746_000_000,
    1_792_886_400_000,  # clocks go back there
    1_709_208_000_000,  # a 29 February
    1_767_225_599_999,  # the end of a year
    1_773_000_000_000,  # around the change in New York
)
DATA = {
    "day": "2026-03-29",
    "early": "2026-03-29T02:30:00",
    "instant": "2024-02-29T23:59:59.999Z",
    "there": "2026-01-31T12:00:00+05:30",
    "millis": 1_700_000_000_000,
    "amount": 3,
    "digits": "2",
    "nothing": None,
    "odd": "31/12/2026",
}

units = one(
    "year", "years", "quarter", "quarters", "month", "months", "week", "weeks", "day", "days", "hour", "hours",
    "minute", "minutes", "second", "seconds", "millisecond", "milliseconds", "Day",
)  # fmt: skip
short = one("ms", "sec", "secs", "min", "mins", "hr", "hrs", "d", "M", "days", "hours", "months")
amounts = one("0", "1", "2", "-1", "7", "13", "30", "365", "1000", "$json.amount", "$json.digits", "-5", "90")
patterns = one(
    "yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss", "dd.MM.yy", "EEE, dd MMM yyyy", "cccc, d LLLL y", "h:mm a", "HH:mm:ss.SSS",
    "yyyyMMdd-HHmmss", "MMMM dd, yyyy", "dd/LL/yyyy HH:ii", "ZZ", "Z ZZZ z", "o ooo W WW q qq", "X x", "hh 'oclock' a",
    "'it''s' yyyy", "yyyy''MM", "YYYY", "u uu uuu S", "c E ccccc EEEEE MMMMM", "MM_dd|H", "'open", "kkkk-'W'WW-c", "T",
    "yyyy-MM-dd'T'HH:mm:ssZZ", "",
)  # fmt: skip
moments = one("$json.day", "$json.instant", "$json.there", "$json.millis", "$json.early", "$json.odd", "$json.nothing")

steps: Sources = st.one_of(
    form(".<m>({ <u>: <a> })", m=one("plus", "minus"), u=units, a=amounts),
    form(".<m>({ <u>: <a>, <v>: <b> })", m=one("plus", "minus"), u=units, a=amounts, v=units, b=amounts),
    form(".<m>(<a>, '<u>')", m=one("plus", "minus"), u=st.one_of(short, units), a=amounts),
    form(".<m>(<a>)", m=one("plus", "minus"), a=amounts),
)
luxon_steps: Sources = st.one_of(
    steps,
    form(".startOf('<u>')", u=st.one_of(short, units)),
    form(".setZone('<z>')", z=one(*ZONES, "local", "utc", "GMT", "UTC+3", "europe/berlin", "Nowhere/City", "")),
)
luxon_starts: Sources = st.one_of(one("$now", "$today"), form("DateTime.fromISO(<t>)", t=moments))
starts: Sources = st.one_of(
    one("$now", "$today"),
    st.builds(lambda start, step: start + step, form("new Date(<t>)", t=moments), steps),
)
dates: Sources = st.one_of(
    st.builds(lambda start, more: start + "".join(more), starts, st.lists(steps, max_size=3)),
    st.builds(lambda start, more: start + "".join(more), luxon_starts, st.lists(luxon_steps, max_size=3)),
)
dated: Sources = st.one_of(
    dates,
    form("<d>.<m>()", d=dates, m=one("toISO", "toISODate", "toString", "toJSON")),
    form("<d>.<m>('<p>')", d=dates, m=one("toFormat", "format"), p=patterns.map(lambda text: text.replace("'", "\\'"))),
    form("new Date(<t>).<m>", t=moments, m=one("getTime()", "toISOString()", "toJSON()", "format('dd.MM.yyyy')")),
    form("`on ${<d>}`", d=dates),
    form("(<d> <o> <e>)", d=dates, e=dates, o=one("<", ">=", "-", "+")),
    form("'at ' + <d>", d=dates),
    form("[<d>, { a: <e> }]", d=dates, e=dates),
    form("JSON.stringify({ a: <d> })", d=dates),
    form("(<d> || 'never')", d=dates),
)
