// What every other file of the prelude builds on. Each file is one function that is handed the same `kit`.
(function (kit) {
  'use strict';

  // An error that the user must see; every other run-time error of an expression counts as undefined.
  class Fault extends Error {
    #mark = true;

    static is(value) {
      return typeof value === 'object' && value !== null && #mark in value;
    }
  }

  // A string may hold half a surrogate pair, which is no Unicode text: it becomes U+FFFD.
  function wellFormed(json) {
    if (!json.includes('\\ud')) return json;
    return json.replace(/\\(?:[^u]|u[0-9a-f]{4})/g, (escape) => (escape.startsWith('\\ud') ? '\\ufffd' : escape));
  }

  // JSON of any value; what JSON can't say (undefined, a symbol) is null.
  function jsonText(value) {
    const text = JSON.stringify(value);
    return text === undefined ? 'null' : wellFormed(text);
  }

  // The engine keeps a long text in pieces, which Python can't take; joined it is one.
  const whole = (text) => [text].join('');

  const host = {};
  for (const [name, call] of Object.entries(kit.host)) {
    host[name] = (...values) => call(...values.map((value) => (typeof value === 'string' ? whole(value) : value)));
  }

  const { ownKeys, apply } = Reflect;
  const { defineProperty, getOwnPropertyDescriptor } = Object;
  function hide(target, members) {
    for (const name of ownKeys(members)) {
      const member = getOwnPropertyDescriptor(members, name);
      defineProperty(target, name, { ...member, enumerable: false });
    }
  }

  const offsets = new Map();

  // Minutes east of UTC; null for an unknown zone.
  function offsetAt(zone, millis) {
    if (zone === 'UTC') return 0;
    if (typeof zone !== 'string' || zone.length > 64) return null;
    const quarter = Math.floor(millis / 9e5); // offsets change at quarters of an hour
    const key = `${zone} ${quarter}`;
    let found = offsets.get(key);
    if (found === undefined) {
      if (offsets.size > 1000) offsets.clear();
      found = host.zoneOffset(zone, quarter * 900);
      offsets.set(key, found);
    }
    return found;
  }

  hide(BigInt.prototype, {
    toJSON() {
      return this.toString();
    },
  });

  const Internal = InternalError;
  // With no memory left for an error object the engine throws null.
  const outOfMemory = (error) => error === null || (error instanceof Internal && error.message === 'out of memory');

  // What few scripts use is compiled when the first one does. `kit.seal` then does to it what was done to the rest.
  const compile = eval;
  function later(load) {
    let found = null;
    return () => (found ??= load());
  }
  function textOf(name) {
    return host.textOf(name);
  }
  function part(name, made) {
    return later(() => {
      const before = kit.roots.length;
      compile(textOf(name))(kit);
      kit.seal(kit.roots.slice(before));
      return made();
    });
  }
  kit.intl = part('intl', () => kit.Intl);
  kit.luxon = part('dates', () => kit.dates);
  kit.url = part('url', () => kit);
  kit.collation = part('collation', () => kit.collate);
  kit.letters = part('letters', () => kit.plainLetters);
  kit.jmespath = later(() => {
    const exports = {};
    compile(`(function (exports, parent) { ${textOf('vendor/jmespath')}\n})`)(exports);
    kit.seal([exports]);
    return exports;
  });

  const date = (required, defaults) =>
    ({
      toLocaleString(locales, options) {
        return kit.intl().showDate(this, locales, options, required, defaults);
      },
    }).toLocaleString;
  const number = {
    toLocaleString(locales, options) {
      return kit.intl().showNumber(this, locales, options);
    },
  };
  hide(Date.prototype, {
    toLocaleString: date('any', 'all'),
    toLocaleDateString: date('date', 'date'),
    toLocaleTimeString: date('time', 'time'),
  });
  // The engine leaves out the name of the zone, which Node.js puts at the end.
  const { toString, toTimeString, getTime } = Date.prototype;
  const named = (show) =>
    ({
      toString() {
        const text = apply(show, this, []);
        return text === 'Invalid Date' ? text : `${text} (${host.localZone(apply(getTime, this, []) / 1000)})`;
      },
    }).toString;
  hide(Date.prototype, { toString: named(toString), toTimeString: named(toTimeString) });
  const { cbrt } = Math;
  hide(Math, {
    cbrt(value) {
      const root = cbrt(value); // the engine is off by the last digit
      return Number.isFinite(root) && root ? root - (root * root * root - value) / (3 * root * root) : root;
    },
  });
  // Turkish has a letter more.
  const { toUpperCase, toLowerCase } = String.prototype;
  const isTurkish = (locales) => /^(?:tr|az)\b/.test([locales].flat()[0] ?? '');
  hide(String.prototype, {
    toLocaleUpperCase(locales) {
      return apply(toUpperCase, isTurkish(locales) ? `${this}`.replaceAll('i', 'İ') : this, []);
    },
    toLocaleLowerCase(locales) {
      return apply(toLowerCase, isTurkish(locales) ? `${this}`.replace(/İ|I\u0307/g, 'i').replaceAll('I', 'ı') : this, []);
    },
    localeCompare(other, locales, options) {
      if (this === undefined || this === null) throw new TypeError('localeCompare() needs a text.');
      return kit.intl().compare(`${this}`, `${other}`, locales, options);
    },
  });
  hide(Array.prototype, {
    toLocaleString(...given) {
      return [...this].map((value) => (value === undefined || value === null ? '' : String(value.toLocaleString(...given)))).join();
    },
  });
  hide(Number.prototype, number);
  hide(BigInt.prototype, number);

  Object.assign(kit, { Fault, jsonText, whole, host, hide, outOfMemory, compile, textOf, offsetAt, apply: (call, target) => apply(call, target, []), seal() {}, useZone() {}, roots: [Fault, Fault.prototype] });
});
