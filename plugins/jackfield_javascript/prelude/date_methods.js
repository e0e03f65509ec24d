// What expressions may call on dates: JavaScript's own, and luxon's. The former stay what they are when they are moved.
(function (kit) {
  'use strict';

  const { Fault } = kit;
  const nothing = () => undefined;
  const luxon = () => kit.luxon();
  const isDateTime = (value) => Boolean(value) && value.isLuxonDateTime === true && luxon().DateTime.isDateTime(value);
  const dateTime = (date) => (isDateTime(date) ? date : luxon().DateTime.fromJSDate(date));

  const DURATIONS = {
    __proto__: null, day: 'days', month: 'months', year: 'years', week: 'weeks', hour: 'hours', minute: 'minutes', second: 'seconds',
    millisecond: 'milliseconds', ms: 'milliseconds', sec: 'seconds', secs: 'seconds', hr: 'hours', hrs: 'hours', min: 'minutes', mins: 'minutes',
  };
  const UNITS = {
    __proto__: null, days: 'day', months: 'month', years: 'year', hours: 'hour', minutes: 'minute', seconds: 'second', milliseconds: 'millisecond',
    hrs: 'hour', hr: 'hour', mins: 'minute', min: 'minute', secs: 'second', sec: 'second', ms: 'millisecond',
  };
  const unitOf = (unit) => UNITS[unit] || unit;
  const amountOf = (amount = 0, unit = 'minutes') => ({ [DURATIONS[unit] || unit]: amount });

  // `date.plus(...)` of a Date is a Date.
  const changed = (date, change) => (isDateTime(date) ? change(date) : change(dateTime(date)).toJSDate());
  const moved = (how) => (date, ...values) => {
    const amount = values.length === 1 ? values[0] : amountOf(...values);
    return changed(date, (each) => each[how](amount));
  };

  function extract(date, part = 'week') {
    if (part !== 'yearDayNumber') return dateTime(date).get(unitOf(part === 'week' ? 'weekNumber' : part));
    const own = isDateTime(date) ? date.toJSDate() : date;
    const last = new Date(own.getFullYear(), 0, 0);
    const gap = own.getTime() - last.getTime() + (last.getTimezoneOffset() - own.getTimezoneOffset()) * 60_000;
    return Math.floor(gap / 86_400_000);
  }

  function anyDate(value) {
    if (typeof value === 'string') {
      const found = dateTime(new Date(value));
      return found.isValid ? found : undefined;
    }
    return value instanceof Date || isDateTime(value) ? dateTime(value) : undefined;
  }

  function isBetween(date, ...values) {
    if (values.length !== 2) throw new Fault('isBetween() needs two dates.');
    const [one, other] = values.map(anyDate);
    if (!one || !other) return undefined;
    return one > other ? other < date && date < one : other > date && date > one;
  }

  function isInLast(date, ...values) {
    const now = luxon().DateTime.now();
    const each = dateTime(date);
    return now.minus(amountOf(...values)) <= each && each <= luxon().DateTime.now();
  }

  const GAPS = new Set([...Object.values(DURATIONS), 'quarters', 'day', 'week', 'month', 'year', 'hour', 'minute', 'second', 'millisecond', 'weekNumber', 'yearDayNumber', 'weekday']);
  function diffTo(date, other, unit = 'days') {
    const units = Array.isArray(unit) ? unit : [unit];
    if (!units.length) units.push('days');
    const wrong = units.find((each) => !GAPS.has(each));
    if (wrong) throw new Fault(`The unit '${wrong}' is not known. There are milliseconds, seconds, minutes, hours, days, weeks, months, quarters and years.`);
    const gap = date.diff(toDateTime(other), units);
    return units.length > 1 ? gap.toObject() : gap.as(units[0]);
  }

  const toDateTime = (value) => (typeof value === 'string' ? textToDateTime(value) : dateTime(value));
  const millis = (date) => (isDateTime(date) ? date.toMillis() : date.getTime());

  const NUMBERS = ['ms', 's', 'us', 'excel'];
  function numberToDateTime(value, unit = 'ms') {
    const { DateTime } = luxon();
    if (!NUMBERS.includes(unit)) throw new Fault(`toDateTime() knows ms, s, us and excel, and no '${unit}'.`);
    if (unit === 'excel') return DateTime.fromSeconds((value - 25_569) * 86_400); // days since the last of 1899
    return unit === 's' ? DateTime.fromSeconds(value) : DateTime.fromMillis(unit === 'us' ? value / 1000 : value);
  }

  // A text without an offset is read in the workflow's zone; one with an offset keeps it.
  function textToDateTime(text, format) {
    const { DateTime } = luxon();
    try {
      if (NUMBERS.includes(format)) return numberToDateTime(Number(text), format);
      if (format) return DateTime.fromFormat(text, format);
      const plain = text.trim();
      for (const read of ['fromISO', 'fromHTTP', 'fromRFC2822', 'fromSQL']) {
        const found = DateTime[read](plain, { setZone: true });
        if (found.isValid) return found;
      }
      const found = DateTime.fromMillis(Date.parse(plain));
      if (found.isValid) return found;
    } catch {
      // luxon refuses some with an error of its own
    }
    throw new Fault('The text can\'t be converted to a date with a time.');
  }

  kit.methods.DATE = {
    beginningOf: (date, unit = 'week') => changed(date, (each) => each.startOf(unitOf(unit))),
    endOfMonth: (date) => changed(date, (each) => each.endOf('month')),
    extract,
    isBetween,
    isDst: (date) => dateTime(date).isInDST,
    isInLast,
    isWeekend: (date) => dateTime(date).weekday > 5,
    minus: moved('minus'),
    plus: moved('plus'),
    format: (date, format, options = {}) => dateTime(date).toFormat(format, { ...options }),
    toDateTime,
    diffTo,
    diffToNow: (date, unit) => diffTo(date, luxon().DateTime.now(), unit),
    toInt: millis,
    toFloat: millis,
    toBoolean: nothing,
    isEmpty: () => false,
    isNotEmpty: () => true,
  };
  Object.assign(kit, { isDateTime, numberToDateTime, textToDateTime });
});
