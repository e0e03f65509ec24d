// The methods that expressions may call on plain values, such as `.isEmpty()` and `.toTitleCase()`. They are reached
// through symbols (`x.isEmpty()` is compiled as `x[symbol]()`), so that no value grows a property that it did not have.
(function (kit) {
  'use strict';

  const { Fault, sum } = kit;
  const toDateTime = (value) => kit.luxon().toDateTime(value);
  const apply = Reflect.apply;
  const isObject = (value) => typeof value === 'object' && value !== null;
  const key = (value) => JSON.stringify(value) + typeof value;
  const escapeHtml = /<[^>]*>/g;
  const words = (text) => text.replace(/([a-z\d])([A-Z])/g, '$1 $2').split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

  function number(value, convert) {
    const found = convert(value);
    if (Number.isNaN(found)) throw new Fault(`'${value}' can't be converted to a number.`);
    return found;
  }

  function parsed(text) {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new Fault(`Parsing failed: the text is not valid JSON (${error.message}).`);
    }
  }

  function encode(text) {
    return encodeURIComponent(text);
  }

  function round(value, places, how = Math.round) {
    const scale = 10 ** places;
    return how(Number((value * scale).toPrecision(15))) / scale;
  }

  function unique(list, ...names) {
    const seen = new Set();
    return list.filter((value) => {
      const mark = key(names.length && isObject(value) ? names.flat().map((name) => value[name]) : value);
      return seen.has(mark) ? false : seen.add(mark);
    });
  }

  const url = /(https?:\/\/)?(?:www\.)?[-a-zA-Z0-9@:%._+~#=]{1,256}\.[a-zA-Z0-9()]{1,6}\b[-a-zA-Z0-9()@:%_+.~#?&/=]*/;
  const domain = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/]*@)?([^/:?#\s]+\.[^/:?#\s]+)/i;
  const email = /[^\s@<>"',;:()]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+/;

  const STRING = {
    isEmpty: (text) => text === '',
    isNotEmpty: (text) => text !== '',
    toNumber: (text) => number(text, Number),
    toInt: (text, radix) => number(text, (value) => parseInt(value, radix ?? 10)),
    toFloat: (text) => number(text, parseFloat),
    toBoolean: (text) => !['false', 'no', '0', ''].includes(text.trim().toLowerCase()),
    toDate: (text) => new Date(text),
    toDateTime: (text, format) => (format ? kit.luxon().DateTime.fromFormat(text, format) : toDateTime(text)),
    length: (text) => text.length,
    toTitleCase: (text) => text.replace(/\p{L}[\p{L}\p{N}'’]*/gu, capital),
    toSentenceCase: (text) => text.toLowerCase().replace(/(^\s*|[.!?]\s+)(\p{L})/gu, (found) => found.toUpperCase()),
    toSnakeCase: (text) => words(text).join('_').toLowerCase(),
    toJsonString: (text) => JSON.stringify(text),
    parseJson: parsed,
    base64Encode: (text) => kit.base64(kit.utf8(text)),
    base64Decode: (text) => kit.fromUtf8(kit.fromBase64(text)),
    urlEncode: (text, whole) => (whole ? encodeURI(text) : encode(text)),
    urlDecode: (text, whole) => (whole ? decodeURI(text) : decodeURIComponent(text)),
    quote: (text, mark = '"') => mark + text.replaceAll(mark, '\\' + mark) + mark,
    hash: (text, algorithm = 'md5') => kit.digest(algorithm, null, kit.utf8(text)),
    replaceSpecialChars: (text) => text.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss').replaceAll('ø', 'o'),
    removeTags: (text) => text.replace(escapeHtml, ''),
    removeMarkdown: (text) =>
      text
        .replace(/^#{1,6}\s+/gm, '')
        .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/(\*\*|__|~~|`{1,3}|\*|_)([^*_~`]+)\1/g, '$2')
        .replace(/^>\s?/gm, '')
        .replace(/^\s*[-*+]\s+/gm, ''),
    isNumeric: (text) => text.trim() !== '' && Number.isFinite(Number(text)),
    isEmail: (text) => new RegExp(`^${email.source}$`).test(text),
    isUrl: (text) => /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#]+/i.test(text),
    isDomain: (text) => /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i.test(text),
    extractEmail: (text) => email.exec(text)?.[0],
    extractDomain: (text) => domain.exec(text.includes('@') && !text.includes('/') ? text.split('@').at(-1) : text)?.[1],
    extractUrl: (text) => url.exec(text)?.[0],
    extractUrlPath: (text) => /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+([^?#]*)/i.exec(text)?.[1] || undefined,
  };

  const ARRAY = {
    isEmpty: (list) => list.length === 0,
    isNotEmpty: (list) => list.length > 0,
    first: (list) => list[0],
    last: (list) => list.at(-1),
    pluck: (list, ...names) =>
      list.map((value) => (names.length === 1 ? value?.[names[0]] : names.length ? names.map((name) => value?.[name]) : value)),
    unique,
    removeDuplicates: unique,
    sum: (list) => sum(list.map(Number)),
    min: (list) => Math.min(...list.map(Number)),
    max: (list) => Math.max(...list.map(Number)),
    average: (list) => (list.length ? sum(list.map(Number)) / list.length : 0),
    randomItem: (list) => list[Math.floor(Math.random() * list.length)],
    compact: (list) => list.filter((value) => !kit.isEmpty(value)),
    chunk: (list, size) => {
      if (!(size >= 1)) throw new Fault('chunk() needs a size of at least 1.');
      const parts = [];
      for (let i = 0; i < list.length; i += Math.floor(size)) parts.push(list.slice(i, i + Math.floor(size)));
      return parts;
    },
    smartJoin: (list, name, value) => Object.fromEntries(list.filter(isObject).map((entry) => [entry[name], entry[value]])),
    renameKeys: (list, ...names) =>
      list.map((value) => {
        const renamed = new Map();
        for (let i = 0; i + 1 < names.length; i += 2) renamed.set(names[i], names[i + 1]);
        return isObject(value) ? Object.fromEntries(Object.entries(value).map(([k, v]) => [renamed.get(k) ?? k, v])) : value;
      }),
    merge: (list, other = []) => ({ ...Object.assign({}, ...list.filter(isObject)), ...Object.assign({}, ...other.filter(isObject)) }),
    union: (list, other) => unique([...list, ...other]),
    difference: (list, other) => list.filter((value) => !other.map(key).includes(key(value))),
    intersection: (list, other) => unique(list.filter((value) => other.map(key).includes(key(value)))),
    append: (list, ...values) => list.concat(values),
    toJsonString: (list) => JSON.stringify(list),
  };

  const NUMBER = {
    isEmpty: () => false,
    isNotEmpty: () => true,
    ceil: (value) => Math.ceil(value),
    floor: (value) => Math.floor(value),
    abs: (value) => Math.abs(value),
    round: (value, places = 0) => round(value, places),
    isInteger: (value) => Number.isInteger(value),
    isEven: (value) => value % 2 === 0,
    isOdd: (value) => Math.abs(value % 2) === 1,
    toBoolean: (value) => value !== 0,
    toInt: (value) => Math.trunc(value),
    toNumber: (value) => value,
    toFloat: (value) => value,
    toDateTime: (value, unit = 'ms') => toDateTime(unit === 's' ? value * 1e3 : unit === 'us' ? value / 1e3 : value),
    format: (value) => value.toString().replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, ',')),
    toJsonString: (value) => JSON.stringify(value),
  };

  const BOOLEAN = {
    isEmpty: () => false,
    isNotEmpty: () => true,
    toNumber: Number,
    toInt: Number,
    toBoolean: (value) => value,
    toJsonString: (value) => JSON.stringify(value),
  };

  const without = (object, drop) => Object.fromEntries(Object.entries(object).filter(([name, value]) => !drop(value, name)));
  const contains = (value, text) => typeof value === 'string' && value.includes(text);
  const OBJECT = {
    isEmpty: (object) => Object.keys(object).length === 0,
    isNotEmpty: (object) => Object.keys(object).length > 0,
    hasField: (object, name) => Object.hasOwn(object, name),
    removeField: (object, name) => without(object, (_, each) => each === name),
    removeFieldsContaining: (object, text) => without(object, (value) => contains(value, text)),
    keepFieldsContaining: (object, text) => without(object, (value) => !contains(value, text)),
    compact: (object) => without(object, (value) => value === null || value === undefined || value === '' || value === 'null'),
    merge: (object, other) => ({ ...other, ...object }),
    keys: (object) => Object.keys(object),
    values: (object) => Object.values(object),
    urlEncode: (object) => Object.entries(object).map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&'),
    toJsonString: (object) => JSON.stringify(object),
  };

  const UNITS = {
    __proto__: null, ms: 'milliseconds', s: 'seconds', m: 'minutes', h: 'hours', d: 'days', w: 'weeks', M: 'months', Q: 'quarters', y: 'years',
  };
  const unitOf = (unit) => UNITS[unit] ?? unit;
  // `1, 'days'`, `{days: 1}`, a Duration or milliseconds
  const amountOf = (amount, unit) => (typeof amount === 'object' || unit === undefined ? amount : { [unitOf(unit)]: Number(amount) });
  const between = (from, to, units = 'days') => {
    const names = [units].flat().map(unitOf);
    const gap = from.diff(to, names);
    return Array.isArray(units) ? gap.toObject() : gap.as(names[0]);
  };
  const EXTRACTS = { week: 'weekNumber', weeks: 'weekNumber', dayOfYear: 'ordinal', yearDayNumber: 'ordinal' };

  const DATETIME = {
    isEmpty: () => false,
    isNotEmpty: () => true,
    plus: (date, amount, unit) => date.plus(amountOf(amount, unit)),
    minus: (date, amount, unit) => date.minus(amountOf(amount, unit)),
    format: (date, format = 'yyyy-MM-dd') => date.toFormat(format),
    beginningOf: (date, unit = 'week') => date.startOf(unitOf(unit)),
    endOfMonth: (date) => date.endOf('month'),
    extract: (date, part = 'week') => date.get(EXTRACTS[part] ?? part.replace(/s$/, '')),
    isBetween: (date, one, other) => {
      if (one === undefined || other === undefined) throw new Fault('isBetween() needs two dates.');
      const [low, high] = [toDateTime(one).toMillis(), toDateTime(other).toMillis()].sort((a, b) => a - b);
      return date.toMillis() > low && date.toMillis() < high;
    },
    isDst: (date) => date.isInDST,
    isWeekend: (date) => date.weekday > 5,
    isInLast: (date, amount = 0, unit = 'minutes') => {
      const now = kit.luxon().DateTime.now();
      return date >= now.minus({ [unitOf(unit)]: Number(amount) }) && date <= now;
    },
    diffTo: (date, other, units) => between(date, toDateTime(other), units),
    diffToNow: (date, units) => between(kit.luxon().DateTime.now(), date, units),
    toDateTime: (date) => date,
    toInt: (date) => date.toMillis(),
    toNumber: (date) => date.toMillis(),
    toBoolean: () => true,
    toJsonString: (date) => JSON.stringify(date),
  };
  const DATE = Object.fromEntries(
    Object.entries(DATETIME).map(([name, call]) => [name, (date, ...values) => call(toDateTime(date), ...values)]),
  );
  DATE.toJsonString = (date) => JSON.stringify(date);

  const KINDS = [STRING, ARRAY, NUMBER, BOOLEAN, OBJECT, DATE, DATETIME];
  for (const kind of KINDS) Object.setPrototypeOf(kind, null);

  function kindOf(value) {
    if (typeof value === 'string') return STRING;
    if (typeof value === 'number' || typeof value === 'bigint') return NUMBER;
    if (typeof value === 'boolean') return BOOLEAN;
    if (Array.isArray(value)) return ARRAY;
    if (value instanceof Date) return DATE;
    return value.isLuxonDateTime === true && kit.luxon().DateTime.isDateTime(value) ? DATETIME : OBJECT;
  }

  // A method that the value has itself comes first; then the extension of its kind. luxon's own `plus` knows no units.
  const SHARED = new Set(['plus', 'minus']);
  function extension(name) {
    return function (...values) {
      const own = this[name];
      const takesOver = SHARED.has(name) && kindOf(this) === DATETIME;
      if (typeof own === 'function' && !takesOver) return apply(own, this, values);
      const found = kindOf(this)[name];
      if (found) return found(this, ...values);
      throw new Fault(`${name}() can't be called on a value of type ${typeof this}.`);
    };
  }
  const symbols = { __proto__: null };
  for (const name of new Set(KINDS.flatMap((kind) => Object.keys(kind)))) {
    symbols[name] = Symbol(name);
    kit.hide(Object.prototype, { [symbols[name]]: extension(name) });
  }
  kit.extensions = symbols;
  // A list of the script's own making may catch the functions that its `map` and `filter` are handed.
  kit.roots.push(key, isObject, capital, sum, toDateTime, unitOf, ...KINDS, SHARED);
});
