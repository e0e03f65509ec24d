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

  function hide(target, members) {
    for (const name of Reflect.ownKeys(members)) {
      const member = Object.getOwnPropertyDescriptor(members, name);
      Object.defineProperty(target, name, { ...member, enumerable: false });
    }
  }

  hide(BigInt.prototype, {
    toJSON() {
      return Number.isSafeInteger(Number(this)) ? Number(this) : this.toString();
    },
  });

  const Internal = InternalError;
  // With no memory left for an error object the engine throws null.
  const outOfMemory = (error) => error === null || (error instanceof Internal && error.message === 'out of memory');

  Object.assign(kit, { Fault, jsonText, whole, host, hide, outOfMemory, roots: [Fault, Fault.prototype] });
});
