// A date with a time zone, after luxon's DateTime: the part of it that expressions use most.
(function (kit) {
  'use strict';

  const { zoneOffset } = kit.host; // (zone name, Unix seconds) -> minutes east of UTC, or null for an unknown zone
  const MONTHS = 'January February March April May June July August September October November December'.split(' ');
  const DAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');
  const SIZES = { millisecond: 1, second: 1e3, minute: 6e4, hour: 36e5, day: 864e5, week: 6048e5 };
  const MONTHLY = { month: 1, quarter: 3, year: 12 };
  const SHORT = { ms: 'millisecond', s: 'second', m: 'minute', h: 'hour', d: 'day', w: 'week', M: 'month', y: 'year' };
  const pad = (value, width = 2) => String(value).padStart(width, '0');

  function unitOf(name) {
    const unit = SHORT[name] ?? String(name).toLowerCase().replace(/s$/, '');
    if (unit in SIZES || unit in MONTHLY) return unit;
    throw new RangeError(`Invalid unit ${name}`);
  }

  const offsets = new Map();
  function offsetAt(zone, millis) {
    if (zone === 'UTC' || !Number.isFinite(millis)) return 0;
    const fixed = /^UTC([+-])(\d{1,2})(?::?(\d\d))?$/.exec(zone);
    if (fixed) return (fixed[1] === '-' ? -1 : 1) * (60 * fixed[2] + Number(fixed[3] ?? 0));
    const quarter = Math.floor(millis / 9e5); // offsets change at quarters of an hour
    if (typeof zone !== 'string' || zone.length > 64) return null;
    const key = `${zone} ${quarter}`;
    if (!offsets.has(key)) {
      if (offsets.size > 1000) offsets.clear();
      offsets.set(key, zoneOffset(zone, quarter * 900));
    }
    return offsets.get(key);
  }

  // The instant at which clocks in the zone show what `wall` shows in UTC.
  function instant(wall, zone) {
    const guess = wall - offsetAt(zone, wall) * 6e4;
    return wall - offsetAt(zone, guess) * 6e4;
  }

  const TOKENS = {
    yyyy: (t) => pad(t.year, 4), yy: (t) => pad(t.year % 100), y: (t) => t.year,
    LLLL: (t) => MONTHS[t.month - 1], MMMM: (t) => MONTHS[t.month - 1],
    LLL: (t) => MONTHS[t.month - 1].slice(0, 3), MMM: (t) => MONTHS[t.month - 1].slice(0, 3),
    LL: (t) => pad(t.month), MM: (t) => pad(t.month), L: (t) => t.month, M: (t) => t.month,
    dd: (t) => pad(t.day), d: (t) => t.day, ooo: (t) => pad(t.ordinal, 3), o: (t) => t.ordinal,
    EEEE: (t) => DAYS[t.weekday - 1], cccc: (t) => DAYS[t.weekday - 1],
    EEE: (t) => DAYS[t.weekday - 1].slice(0, 3), ccc: (t) => DAYS[t.weekday - 1].slice(0, 3),
    E: (t) => t.weekday, c: (t) => t.weekday,
    HH: (t) => pad(t.hour), H: (t) => t.hour, hh: (t) => pad(t.hour % 12 || 12), h: (t) => t.hour % 12 || 12,
    mm: (t) => pad(t.minute), m: (t) => t.minute, ss: (t) => pad(t.second), s: (t) => t.second,
    SSS: (t) => pad(t.millisecond, 3), S: (t) => t.millisecond, a: (t) => (t.hour < 12 ? 'AM' : 'PM'),
    ZZZZ: (t) => t.zoneName, z: (t) => t.zoneName, ZZZ: (t) => shift(t.offset, ''), ZZ: (t) => shift(t.offset, ':'),
    Z: (t) => shift(t.offset, ':').replace(/^(.)0/, '$1').replace(/:00$/, ''),
    WW: (t) => pad(t.weekNumber), W: (t) => t.weekNumber, kkkk: (t) => pad(t.weekYear, 4), q: (t) => t.quarter,
    X: (t) => Math.floor(t.ts / 1e3), x: (t) => t.ts,
    D: (t) => t.toFormat('L/d/yyyy'), DD: (t) => t.toFormat('LLL d, yyyy'), DDD: (t) => t.toFormat('LLLL d, yyyy'),
    t: (t) => t.toFormat('h:mm a'), tt: (t) => t.toFormat('h:mm:ss a'), T: (t) => t.toFormat('HH:mm'),
  };
  Object.setPrototypeOf(TOKENS, null);
  const shift = (minutes, colon) => {
    const size = Math.abs(minutes);
    return (minutes < 0 ? '-' : '+') + pad(Math.floor(size / 60)) + colon + pad(size % 60);
  };

  const ISO = /^(\d{4})(?:-?(\d\d)(?:-?(\d\d))?)?(?:[T ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?)?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/i;

  function readIso(text, zone) {
    const found = ISO.exec(String(text).trim());
    if (!found) return NaN;
    const [, year, month = 1, day = 1, hour = 0, minute = 0, second = 0, fraction = ''] = found;
    const millis = Number(fraction.padEnd(3, '0').slice(0, 3));
    const wall = Date.UTC(year, month - 1, day, hour, minute, second, millis);
    if (new Date(wall).getUTCDate() !== Number(day)) return NaN;
    if (!found[8]) return instant(wall, zone);
    return found[8].toUpperCase() === 'Z' ? wall : wall - offsetAt('UTC' + found[8], 0) * 6e4;
  }

  const READERS = {
    yyyy: ['(\\d{4})', 'year'], yy: ['(\\d\\d)', 'year'], LL: ['(\\d\\d)', 'month'], MM: ['(\\d\\d)', 'month'],
    L: ['(\\d{1,2})', 'month'], M: ['(\\d{1,2})', 'month'], dd: ['(\\d\\d)', 'day'], d: ['(\\d{1,2})', 'day'],
    HH: ['(\\d\\d)', 'hour'], H: ['(\\d{1,2})', 'hour'], hh: ['(\\d\\d)', 'hour'], h: ['(\\d{1,2})', 'hour'],
    mm: ['(\\d\\d)', 'minute'], m: ['(\\d{1,2})', 'minute'], ss: ['(\\d\\d)', 'second'], s: ['(\\d{1,2})', 'second'],
    SSS: ['(\\d{3})', 'millisecond'], a: ['([AaPp]\\.?[Mm]\\.?)', 'half'],
    LLL: ['([A-Za-z]{3})', 'name'], MMM: ['([A-Za-z]{3})', 'name'],
    LLLL: ['([A-Za-z]+)', 'name'], MMMM: ['([A-Za-z]+)', 'name'],
    EEE: ['([A-Za-z]{3})', 'weekday'], cccc: ['([A-Za-z]+)', 'weekday'], EEEE: ['([A-Za-z]+)', 'weekday'],
    ZZ: ['(Z|[+-]\\d\\d:\\d\\d)', 'shift'], ZZZ: ['([+-]\\d{4})', 'shift'],
  };
  Object.setPrototypeOf(READERS, null);
  const PIECES = /'([^']*)'|([A-Za-z])\2*|[^A-Za-z']+/g;

  function readFormat(text, format, zone) {
    const fields = [];
    let pattern = '';
    for (const [piece, quoted] of String(format).matchAll(PIECES)) {
      const reader = READERS[piece];
      if (reader) fields.push(reader[1]);
      pattern += reader ? reader[0] : RegExp.escape(quoted ?? piece);
    }
    const found = new RegExp(`^${pattern}$`).exec(String(text).trim());
    if (!found) return NaN;
    const at = { year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 };
    fields.forEach((field, place) => (at[field] = /^\d+$/.test(found[place + 1]) ? Number(found[place + 1]) : found[place + 1]));
    if (at.year < 100) at.year += at.year > 60 ? 1900 : 2000;
    if (at.name) at.month = 1 + MONTHS.findIndex((name) => name.toLowerCase().startsWith(at.name.toLowerCase()));
    if (at.half) at.hour = (at.hour % 12) + (/^p/i.test(at.half) ? 12 : 0);
    if (at.month < 1 || at.month > 12 || at.day < 1 || at.day > 31) return NaN;
    const wall = Date.UTC(at.year, at.month - 1, at.day, at.hour, at.minute, at.second, at.millisecond);
    if (!at.shift) return instant(wall, zone);
    return at.shift === 'Z' ? wall : wall - offsetAt('UTC' + at.shift, 0) * 6e4;
  }

  class DateTime {
    #millis;
    #zone;
    #wall;

    constructor(millis, zone = 'UTC') {
      this.#zone = zone === 'utc' || zone === 'Etc/UTC' ? 'UTC' : zone;
      const offset = offsetAt(this.#zone, millis);
      this.#millis = offset === null || Math.abs(millis) > 864e13 ? NaN : Math.trunc(millis);
      this.#wall = new Date(this.#millis + (offset ?? 0) * 6e4);
    }

    static #zoneOf(options) {
      const zone = options?.zone ?? kit.timezone();
      return zone === 'local' || zone === 'default' ? kit.timezone() : zone;
    }
    static now = () => new DateTime(Date.now(), kit.timezone());
    static fromISO = (text, options) => {
      const zone = DateTime.#zoneOf(options);
      return new DateTime(readIso(text, zone), zone);
    };
    static fromFormat = (text, format, options) => {
      const zone = DateTime.#zoneOf(options);
      return new DateTime(readFormat(text, format, zone), zone);
    };
    static fromMillis = (millis, options) => new DateTime(Number(millis), DateTime.#zoneOf(options));
    static fromSeconds = (seconds, options) => new DateTime(Number(seconds) * 1e3, DateTime.#zoneOf(options));
    static fromJSDate = (date, options) => new DateTime(date.getTime(), DateTime.#zoneOf(options));
    static fromObject = (fields, options) => new DateTime(0, 'UTC').set({ ...fields }).#moved(DateTime.#zoneOf(options));
    static utc = (...parts) => DateTime.#of('UTC', parts);
    static local = (...parts) => DateTime.#of(kit.timezone(), parts);
    static isDateTime = (value) => typeof value === 'object' && value !== null && #wall in value;
    static #of(zone, parts) {
      if (parts.length === 0) return new DateTime(Date.now(), zone);
      const [year, month = 1, ...rest] = parts;
      return new DateTime(instant(Date.UTC(year, month - 1, ...(rest.length ? rest : [1])), zone), zone);
    }
    #moved(zone) {
      return new DateTime(instant(this.#wall.getTime(), zone), zone);
    }

    get year() { return this.#wall.getUTCFullYear(); }
    get month() { return this.#wall.getUTCMonth() + 1; }
    get day() { return this.#wall.getUTCDate(); }
    get hour() { return this.#wall.getUTCHours(); }
    get minute() { return this.#wall.getUTCMinutes(); }
    get second() { return this.#wall.getUTCSeconds(); }
    get millisecond() { return this.#wall.getUTCMilliseconds(); }
    get weekday() { return this.#wall.getUTCDay() || 7; }
    get quarter() { return Math.ceil(this.month / 3); }
    get ordinal() { return Math.floor((this.#wall - Date.UTC(this.year, 0, 1)) / SIZES.day) + 1; }
    get weekYear() { return new Date(this.#wall.getTime() + (4 - this.weekday) * SIZES.day).getUTCFullYear(); }
    get weekNumber() {
      const thursday = this.#wall.getTime() + (4 - this.weekday) * SIZES.day;
      return Math.floor((thursday - Date.UTC(new Date(thursday).getUTCFullYear(), 0, 1)) / SIZES.week) + 1;
    }
    get daysInMonth() { return new Date(Date.UTC(this.year, this.month, 0)).getUTCDate(); }
    get offset() { return offsetAt(this.#zone, this.#millis); }
    get zoneName() { return this.#zone; }
    get ts() { return this.#millis; }
    get isValid() { return !Number.isNaN(this.#millis); }
    get isWeekend() { return this.weekday > 5; }

    toISO(options) {
      if (!this.isValid) return null;
      const tail = options?.includeOffset === false ? '' : this.#zone === 'UTC' ? 'Z' : shift(this.offset, ':');
      const text = this.#wall.toISOString().slice(0, -1);
      return (options?.suppressMilliseconds && this.millisecond === 0 ? text.slice(0, -4) : text) + tail;
    }
    toISODate() { return this.isValid ? this.#wall.toISOString().slice(0, 10) : null; }
    toISOTime() { return this.isValid ? this.toISO().slice(11) : null; }
    toSQLDate() { return this.toISODate(); }
    toSQL() { return this.toFormat('yyyy-MM-dd HH:mm:ss.SSS ZZ'); }
    toFormat(format) {
      if (!this.isValid) return 'Invalid DateTime';
      return String(format).replace(PIECES, (piece, quoted) => quoted ?? TOKENS[piece]?.(this) ?? piece);
    }
    format(format = 'yyyy-MM-dd') { return this.toFormat(format); }
    toMillis() { return this.#millis; }
    toSeconds() { return this.#millis / 1e3; }
    toUnixInteger() { return Math.floor(this.#millis / 1e3); }
    toJSDate() { return new Date(this.#millis); }
    toUTC() { return this.setZone('UTC'); }
    toLocal() { return this.setZone(kit.timezone()); }
    toDateTime() { return this; }
    toObject() {
      const { year, month, day, hour, minute, second, millisecond } = this;
      return { year, month, day, hour, minute, second, millisecond };
    }
    toLocaleString() { return this.toFormat('L/d/yyyy'); }
    setLocale() { return this; }
    setZone(zone, options) {
      const name = DateTime.#zoneOf({ zone });
      return options?.keepLocalTime ? this.#moved(name) : new DateTime(this.#millis, name);
    }
    toString() { return this.toISO() ?? 'Invalid DateTime'; }
    toJSON() { return this.toISO(); }
    valueOf() { return this.#millis; }
    [Symbol.toPrimitive](hint) { return hint === 'number' ? this.#millis : this.toString(); }

    set(fields) {
      const at = { ...this.toObject() };
      for (const [name, value] of Object.entries(fields)) at[unitOf(name)] = Number(value);
      const day = Math.min(at.day, 'day' in fields || 'days' in fields ? 31 : new Date(Date.UTC(at.year, at.month, 0)).getUTCDate());
      const wall = Date.UTC(at.year, at.month - 1, day, at.hour, at.minute, at.second, at.millisecond);
      return new DateTime(instant(wall, this.#zone), this.#zone);
    }

    // plus({days: 1}), plus(1, 'days') and plus(milliseconds)
    plus(amount, unit) { return this.#shift(amount, unit, 1); }
    minus(amount, unit) { return this.#shift(amount, unit, -1); }
    #shift(amount, unit, sign) {
      const parts = typeof amount === 'object' && amount !== null ? amount : { [unit ?? 'millisecond']: Number(amount) };
      let moved = this;
      let exact = 0;
      for (const [name, value] of Object.entries(parts)) {
        const each = unitOf(name);
        const steps = sign * Number(value);
        if (each in MONTHLY) moved = moved.#months(steps * MONTHLY[each]);
        else if (each === 'day' || each === 'week') moved = moved.#days(steps * (each === 'week' ? 7 : 1));
        else exact += steps * SIZES[each];
      }
      return exact ? new DateTime(moved.#millis + exact, this.#zone) : moved;
    }
    #months(count) {
      const total = this.year * 12 + this.month - 1 + count;
      return this.set({ year: Math.floor(total / 12), month: (((total % 12) + 12) % 12) + 1 });
    }
    #days(count) {
      return new DateTime(instant(this.#wall.getTime() + count * SIZES.day, this.#zone), this.#zone);
    }

    startOf(unit) {
      const name = unitOf(unit);
      if (name === 'week') return this.#days(1 - this.weekday).startOf('day');
      if (name === 'quarter') return this.set({ month: (this.quarter - 1) * 3 + 1, day: 1 }).startOf('day');
      const first = { year: 0, month: 1, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 };
      const order = Object.keys(first);
      return this.set(Object.fromEntries(order.slice(order.indexOf(name) + 1).map((key) => [key, first[key]])));
    }
    endOf(unit) { return this.startOf(unit).plus(1, unit).minus(1, 'millisecond'); }
    beginningOf(unit = 'week') { return this.startOf(unit); }
    endOfMonth() { return this.endOf('month'); }
    extract(unit = 'week') { return unit === 'week' ? this.weekNumber : unit === 'weekday' ? this.weekday : this[unitOf(unit)]; }

    diff(other, units = 'millisecond') {
      const gap = this.#millis - kit.toDateTime(other).toMillis();
      const names = [units].flat().map(unitOf);
      const found = { __proto__: null };
      let rest = gap;
      for (const name of names) {
        const size = SIZES[name] ?? MONTHLY[name] * 30 * SIZES.day;
        found[name] = name === names.at(-1) ? rest / size : Math.trunc(rest / size);
        rest -= found[name] * size;
      }
      return new Duration(gap, found);
    }
    diffNow(units) { return this.diff(DateTime.now(), units); }
    diffTo(other, units = 'days') {
      const gap = this.diff(other, units);
      return Array.isArray(units) ? gap.toObject() : gap.as(units);
    }
    diffToNow(units = 'days') { return DateTime.now().diffTo(this, units); }
    hasSame(other, unit) { return this.startOf(unit).toMillis() === kit.toDateTime(other).startOf(unit).toMillis(); }
    equals(other) { return DateTime.isDateTime(other) && this.#millis === other.#millis && this.#zone === other.#zone; }
    isBetween(one, other) {
      const [low, high] = [kit.toDateTime(one).toMillis(), kit.toDateTime(other).toMillis()].sort((a, b) => a - b);
      return this.#millis > low && this.#millis < high;
    }
    isInLast(amount = 0, unit = 'minutes') {
      return this.#millis >= DateTime.now().minus(amount, unit).toMillis() && this.#millis <= Date.now();
    }
  }

  // How long it is between two dates.
  class Duration {
    #gap;
    #parts;
    constructor(gap, parts) {
      this.#gap = gap;
      this.#parts = parts;
      for (const [name, value] of Object.entries(parts)) this[name + 's'] = value;
    }
    as(unit) { return this.#gap / (SIZES[unitOf(unit)] ?? MONTHLY[unitOf(unit)] * 30 * SIZES.day); }
    toMillis() { return this.#gap; }
    toObject() { return Object.fromEntries(Object.entries(this.#parts).map(([name, value]) => [name + 's', value])); }
    valueOf() { return this.#gap; }
    toJSON() { return this.toObject(); }
  }

  // Anything that stands for a date as a DateTime.
  kit.toDateTime = (value) => {
    if (DateTime.isDateTime(value)) return value;
    if (value instanceof Date) return DateTime.fromJSDate(value);
    if (typeof value === 'number') return DateTime.fromMillis(value);
    const iso = DateTime.fromISO(value);
    return iso.isValid ? iso : DateTime.fromMillis(Date.parse(String(value)));
  };
  kit.DateTime = DateTime;
  kit.roots.push(DateTime, DateTime.prototype, Duration.prototype);
});
