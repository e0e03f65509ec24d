// A small Intl: the engine has none. The host knows the languages (CLDR) and the time zones; this is the interface of
// ECMA-402 in front of it. Instances are frozen and keep their state to themselves: luxon caches and shows them.
(function (kit) {
  'use strict';

  const { formatDate, resolveDate, formatNumber, resolveNumber, pluralCategory, relativeTime, joinList, displayName } = kit.host;
  const { offsetAt } = kit;
  const { freeze, fromEntries } = Object;
  const { parse, stringify } = JSON;
  const isNaN = Number.isNaN;

  // -- time zones

  const UTC = new Set(['utc', 'gmt', 'etc/utc', 'etc/gmt', 'etc/uct', 'zulu']);
  function knownZone(zone) {
    const name = String(zone);
    if (UTC.has(name.toLowerCase())) return 'UTC';
    if (/^[+-]\d\d(?::?\d\d)?$/.test(name)) return name.length === 3 ? `${name}:00` : name;
    if (/^[\w+-]+(?:\/[\w+-]+)*$/.test(name) && offsetAt(name, 0) !== null) return name;
    throw new RangeError(`Invalid time zone specified: ${name}`);
  }

  // -- options

  const TAG = /^(?:[A-Za-z]{2,3}|[A-Za-z]{5,8})(?:-[A-Za-z0-9]{1,8})*$/;
  function localeOf(given) {
    if (given === null) throw new TypeError('Incorrect locale information provided');
    const one = typeof given === 'string' || given instanceof Locale;
    const first = one ? given : given?.length ? given[0] : undefined;
    if (first === undefined && !given?.length) return 'en-US';
    const tag = typeof first === 'object' && first !== null ? first.toString() : first;
    if (typeof tag !== 'string' || !TAG.test(tag)) throw new RangeError(`Incorrect locale information provided`);
    return canonical(tag);
  }

  // The language in small letters, a script like a name, a region in capitals.
  function canonical(tag) {
    const [whole, rest = ''] = tag.split(/(-[ux]-.*)/i);
    const parts = whole.toLowerCase().split('-').map((part, place) => {
      if (!place || /^\d/.test(part)) return part;
      return part.length === 2 ? part.toUpperCase() : part.length === 4 ? part[0].toUpperCase() + part.slice(1) : part;
    });
    return parts.join('-') + rest.toLowerCase();
  }

  function pick(options, allowed) {
    const found = {};
    if (options === undefined) return found;
    for (const name of Object.keys(allowed)) {
      const value = options[name];
      if (value === undefined) continue;
      found[name] = allowed[name](value, name);
    }
    return found;
  }
  const oneOf = (...values) => (value, name) => {
    const text = String(value);
    if (!values.includes(text)) throw new RangeError(`Value ${text} out of range for Intl options property ${name}`);
    return text;
  };
  const within = (low, high) => (value, name) => {
    const number = Number(value);
    if (!(number >= low && number <= high)) throw new RangeError(`${name} value is out of range.`);
    return Math.floor(number);
  };
  const text = (value) => String(value);

  const supported = (locales) => (locales === undefined ? [] : [locales].flat().map(localeOf));

  const width = oneOf('narrow', 'short', 'long');
  const digits = oneOf('2-digit', 'numeric');
  const style = oneOf('full', 'long', 'medium', 'short');
  const DATE_OPTIONS = {
    weekday: width, era: width, year: digits, month: oneOf('2-digit', 'numeric', 'narrow', 'short', 'long'), day: digits,
    dayPeriod: width, hour: digits, minute: digits, second: digits, fractionalSecondDigits: within(1, 3),
    timeZoneName: oneOf('short', 'long', 'shortOffset', 'longOffset', 'shortGeneric', 'longGeneric'),
    hour12: Boolean, hourCycle: oneOf('h11', 'h12', 'h23', 'h24'), dateStyle: style, timeStyle: style,
    numberingSystem: text, calendar: text,
  };
  const DATE_PARTS = ['weekday', 'year', 'month', 'day'];
  const TIME_PARTS = ['dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits'];
  const PLAIN_DATE = { year: 'numeric', month: 'numeric', day: 'numeric' };
  const PLAIN_TIME = { hour: 'numeric', minute: 'numeric', second: 'numeric' };

  function dateOptions(given, required, defaults) {
    const options = pick(given, DATE_OPTIONS);
    const styled = options.dateStyle !== undefined || options.timeStyle !== undefined;
    if (styled) {
      const explicit = [...DATE_PARTS, ...TIME_PARTS, 'era', 'timeZoneName'].find((name) => options[name] !== undefined);
      if (explicit) throw new TypeError(`Can't set option ${explicit} when ${options.dateStyle ? 'dateStyle' : 'timeStyle'} is used`);
      if ((required === 'date' && options.timeStyle) || (required === 'time' && options.dateStyle)) {
        throw new TypeError(`Invalid option : ${required === 'date' ? 'timeStyle' : 'dateStyle'}`);
      }
      return options;
    }
    const names = { date: DATE_PARTS, time: TIME_PARTS, any: [...DATE_PARTS, ...TIME_PARTS] }[required];
    if (names.some((name) => options[name] !== undefined)) return options;
    return { ...options, ...(defaults !== 'time' && PLAIN_DATE), ...(defaults !== 'date' && PLAIN_TIME) };
  }

  // -- dates

  function timeOf(value) {
    const time = value === undefined ? Date.now() : Number(value);
    if (isNaN(time) || Math.abs(time) > 864e13) throw new RangeError('Invalid time value');
    return Math.trunc(time);
  }

  class DateTimeFormat {
    #locale;
    #options;
    #zone;
    #resolved;
    #format;

    constructor(locales, options, required = 'any', defaults = 'date') {
      this.#locale = localeOf(locales);
      const found = dateOptions(options, required, defaults);
      this.#zone = options?.timeZone === undefined ? kit.limits.zone : knownZone(options.timeZone);
      this.#options = stringify(found);
      this.#resolved = found;
      freeze(this);
    }
    static supportedLocalesOf(locales) {
      return supported(locales);
    }
    #parts(value) {
      return parse(formatDate(this.#locale, this.#options, this.#zone, timeOf(value)));
    }
    get format() {
      // V8 prints a plain space here where CLDR has a narrow one, though not in the parts.
      return (this.#format ??= freeze((date) => {
        let shown = '';
        for (const [, part] of this.#parts(date)) shown += part;
        return shown.replace(/\u202f/g, ' ');
      }));
    }
    formatToParts(date) {
      return this.#parts(date).map(([type, part]) => ({ type, value: part }));
    }
    formatRange(start, end) {
      const [from, to] = [this.format(start), this.format(end)];
      return from === to ? from : `${from}\u2009–\u2009${to}`;
    }
    resolvedOptions() {
      const { locale, calendar, numberingSystem, ...cycle } = parse(resolveDate(this.#locale, this.#options));
      const { hour12, hourCycle, ...shown } = this.#resolved;
      return { locale, calendar, numberingSystem, timeZone: this.#zone, ...cycle, ...shown };
    }
    get [Symbol.toStringTag]() {
      return 'Intl.DateTimeFormat';
    }
  }

  // -- numbers

  const NUMBER_OPTIONS = {
    style: oneOf('decimal', 'percent', 'currency', 'unit'), currency: (value) => String(value).toUpperCase(),
    currencyDisplay: oneOf('code', 'symbol', 'narrowSymbol', 'name'), unit: text, unitDisplay: width,
    notation: oneOf('standard', 'scientific', 'engineering', 'compact'), compactDisplay: oneOf('short', 'long'),
    useGrouping: (value) => (typeof value === 'string' ? value : value ? 'always' : false),
    signDisplay: oneOf('auto', 'never', 'always', 'exceptZero', 'negative'), minimumIntegerDigits: within(1, 21),
    minimumFractionDigits: within(0, 100), maximumFractionDigits: within(0, 100),
    minimumSignificantDigits: within(1, 21), maximumSignificantDigits: within(1, 21), numberingSystem: text,
    currencySign: oneOf('standard', 'accounting'),
    roundingMode: oneOf('ceil', 'floor', 'expand', 'trunc', 'halfCeil', 'halfFloor', 'halfExpand', 'halfTrunc', 'halfEven'),
  };

  class NumberFormat {
    #locale;
    #options;
    #format;

    constructor(locales, options) {
      this.#locale = localeOf(locales);
      const found = pick(options, NUMBER_OPTIONS);
      if (found.style === 'currency' && !/^[A-Z]{3}$/.test(found.currency ?? '')) {
        throw found.currency === undefined ? new TypeError('Currency code is required with currency style.') : new RangeError(`Invalid currency code : ${found.currency}`);
      }
      if (found.style === 'unit' && found.unit === undefined) throw new TypeError('Required unit property is missing.');
      const { minimumFractionDigits: low, maximumFractionDigits: high } = found;
      if (low !== undefined && high !== undefined && low > high) throw new RangeError('maximumFractionDigits value is out of range.');
      this.#options = stringify(found);
      freeze(this);
    }
    static supportedLocalesOf(locales) {
      return supported(locales);
    }
    #parts(value) {
      const number = typeof value === 'bigint' ? value : Number(value);
      const shown = Object.is(number, -0) ? '-0' : String(number);
      return parse(formatNumber(this.#locale, this.#options, shown)).map(([type, part]) => ({ type, value: part }));
    }
    get format() {
      return (this.#format ??= freeze((value) => this.#parts(value).map((part) => part.value).join('')));
    }
    formatToParts(value) {
      return this.#parts(value);
    }
    resolvedOptions() {
      return parse(resolveNumber(this.#locale, this.#options));
    }
    get [Symbol.toStringTag]() {
      return 'Intl.NumberFormat';
    }
  }

  class PluralRules {
    #locale;
    #type;
    constructor(locales, options) {
      this.#locale = localeOf(locales);
      this.#type = pick(options, { type: oneOf('cardinal', 'ordinal') }).type ?? 'cardinal';
      freeze(this);
    }
    select(value) {
      const number = Number(value);
      return Number.isFinite(number) ? pluralCategory(this.#locale, this.#type, String(number)) : 'other';
    }
    resolvedOptions() {
      return { locale: this.#locale, type: this.#type };
    }
  }

  const UNIT = /^(?:second|minute|hour|day|week|month|quarter|year)s?$/;
  class RelativeTimeFormat {
    #locale;
    #options;
    constructor(locales, options) {
      this.#locale = localeOf(locales);
      this.#options = stringify(pick(options, { style: width, numeric: oneOf('always', 'auto') }));
      freeze(this);
    }
    format(value, unit) {
      if (!UNIT.test(unit)) throw new RangeError(`Invalid unit argument for format() '${unit}'`);
      const number = Number(value);
      if (!Number.isFinite(number)) throw new RangeError('Value need to be finite number for Intl.RelativeTimeFormat.prototype.format()');
      return relativeTime(this.#locale, this.#options, Object.is(number, -0) ? '-0' : String(number), String(unit));
    }
    resolvedOptions() {
      return { locale: this.#locale, style: 'long', numeric: 'always', ...parse(this.#options), numberingSystem: 'latn' };
    }
  }

  class ListFormat {
    #locale;
    #options;
    constructor(locales, options) {
      this.#locale = localeOf(locales);
      this.#options = stringify(pick(options, { type: oneOf('conjunction', 'disjunction', 'unit'), style: width }));
      freeze(this);
    }
    format(list) {
      return joinList(this.#locale, this.#options, stringify([...list].map(String)));
    }
    resolvedOptions() {
      return { locale: this.#locale, type: 'conjunction', style: 'long', ...parse(this.#options) };
    }
  }

  const COLLATOR_OPTIONS = {
    usage: oneOf('sort', 'search'), sensitivity: oneOf('base', 'accent', 'case', 'variant'), numeric: Boolean,
    caseFirst: oneOf('upper', 'lower', 'false'), ignorePunctuation: Boolean, collation: text, localeMatcher: text,
  };
  class Collator {
    #locale;
    #options;
    #compare;
    constructor(locales, options) {
      this.#locale = localeOf(locales);
      const asked = /-u-.*\bk[nf]\b/.test(this.#locale) ? this.#locale : '';
      const numeric = /\bkn(?!-false)\b/.test(asked);
      this.#options = { numeric, caseFirst: /\bkf-(upper|lower)/.exec(asked)?.[1] ?? 'false', ...pick(options, COLLATOR_OPTIONS) };
      freeze(this);
    }
    static supportedLocalesOf(locales) {
      return supported(locales);
    }
    get compare() {
      const options = { ...this.#options, language: this.#locale.split('-')[0] };
      return (this.#compare ??= freeze((one, other) => kit.collation()(String(one), String(other), options)));
    }
    resolvedOptions() {
      const { numeric, caseFirst, usage = 'sort', sensitivity = 'variant', ignorePunctuation = false } = this.#options;
      return { locale: this.#locale.split('-u-')[0], usage, sensitivity, ignorePunctuation, collation: 'default', numeric, caseFirst };
    }
    get [Symbol.toStringTag]() {
      return 'Intl.Collator';
    }
  }

  class Locale {
    #tag;
    constructor(tag) {
      this.#tag = localeOf(tag);
      freeze(this);
    }
    get baseName() {
      return this.#tag.split('-u-')[0];
    }
    get language() {
      return this.#tag.split('-')[0];
    }
    get region() {
      return /-([A-Z]{2}|\d{3})\b/.exec(this.#tag)?.[1];
    }
    toString() {
      return this.#tag;
    }
  }

  const NAMES = { type: oneOf('language', 'region', 'script', 'currency'), fallback: oneOf('code', 'none'), style: width };
  const CODES = { language: TAG, region: /^(?:[a-z]{2}|\d{3})$/i, script: /^[a-z]{4}$/i, currency: /^[a-z]{3}$/i };
  class DisplayNames {
    #locale;
    #options;
    constructor(locales, options) {
      this.#locale = localeOf(locales);
      this.#options = { style: 'long', fallback: 'code', ...pick(options, NAMES) };
      if (this.#options.type === undefined) throw new TypeError('Required option "type" must not be undefined');
      freeze(this);
    }
    of(code) {
      const { type, fallback } = this.#options;
      if (!CODES[type].test(`${code}`)) throw new RangeError('Invalid argument to Intl.DisplayNames.prototype.of');
      const plain = type === 'currency' ? `${code}`.toUpperCase() : type === 'region' ? `${code}`.toUpperCase() : `${code}`;
      return displayName(this.#locale, type, plain) ?? (fallback === 'code' ? plain : undefined);
    }
    resolvedOptions() {
      return { locale: this.#locale, ...this.#options };
    }
  }

  // Pieces of a text. Words of languages that write no blanks need a dictionary, which is not here.
  const PIECES = {
    grapheme: () => /\r\n|\p{RI}\p{RI}|\p{Emoji}(?:\p{EMod}|\ufe0f)?\u20e3?(?:\u200d\p{Emoji}(?:\p{EMod}|\ufe0f)?)*\p{M}*|\P{M}\p{M}*|\p{M}+/gu,
    word: () => /\r\n|[\p{L}\p{N}_][\p{L}\p{N}\p{M}_]*(?:['’.:·][\p{L}_][\p{L}\p{N}\p{M}_]*|[.,](?<=\p{N}.)\p{N}+)*|[ \u3000]+|[^]/gu,
    sentence: () => /[^.!?…\n]*(?:[.!?…]+["'”’)\]]*\s*(?!\p{Ll})|[.!?…]+(?=\S|\s+\p{Ll})|\n|$)/gu,
  };
  const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{2}/u;
  class Segmenter {
    #locale;
    #granularity;
    constructor(locales, options) {
      this.#locale = localeOf(locales);
      this.#granularity = pick(options, { granularity: oneOf('grapheme', 'word', 'sentence') }).granularity ?? 'grapheme';
      freeze(this);
    }
    segment(given) {
      const input = `${given}`;
      const isWord = this.#granularity === 'word';
      if (isWord && UNSPACED.test(input)) throw new RangeError('Intl.Segmenter finds no words in languages that write without blanks.');
      const made = [];
      for (const { 0: segment, index } of input.matchAll(PIECES[this.#granularity]())) {
        if (segment) made.push({ segment, index, input, ...(isWord && { isWordLike: /[\p{L}\p{N}]/u.test(segment) }) });
      }
      return {
        containing: (place = 0) => made.findLast(({ index }) => index <= place && place < input.length),
        [Symbol.iterator]: () => made[Symbol.iterator](),
      };
    }
    resolvedOptions() {
      return { locale: this.#locale, granularity: this.#granularity };
    }
  }

  // These may be called without `new` as well.
  const callable = (Made) => new Proxy(Made, { apply: (_, self, values) => new Made(...values) });
  const Intl = {};
  kit.hide(Intl, {
    DateTimeFormat: callable(DateTimeFormat), NumberFormat: callable(NumberFormat), PluralRules, RelativeTimeFormat, ListFormat,
    DisplayNames, Segmenter, Collator: callable(Collator), Locale, getCanonicalLocales: supported,
  });
  for (const part of [DateTimeFormat, NumberFormat, PluralRules, RelativeTimeFormat, ListFormat, DisplayNames, Segmenter, Collator, Locale]) if (part.prototype) delete part.prototype.constructor;

  const { getTime } = Date.prototype;
  const { apply } = kit;
  const plain = new Map();
  const MOST_PLAIN = 32;
  // Texts of dates without options, of which programs make many alike.
  function plainFormat(locales, required, defaults) {
    const key = `${kit.limits.zone} ${typeof locales} ${locales} ${required} ${defaults}`;
    let found = plain.get(key);
    if (found === undefined) {
      if (plain.size >= MOST_PLAIN) plain.clear();
      found = new DateTimeFormat(locales, undefined, required, defaults).format;
      plain.set(key, found);
    }
    return found;
  }
  function showDate(date, locales, options, required, defaults) {
    if (isNaN(apply(getTime, date))) return 'Invalid Date';
    const alike = options === undefined && (locales === undefined || typeof locales === 'string');
    return alike ? plainFormat(locales, required, defaults)(date) : new DateTimeFormat(locales, options, required, defaults).format(date);
  }
  const showNumber = (value, locales, options) => new NumberFormat(locales, options).format(value);

  const compare = (one, other, locales, options) => new Collator(locales, options).compare(one, other);

  kit.Intl = { Intl, showDate, showNumber, compare };
  kit.roots.push(Intl, DateTimeFormat, NumberFormat, DisplayNames, Segmenter, Collator);
});
