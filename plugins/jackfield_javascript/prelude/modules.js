// What a Code node may require, and the globals of Node.js that scripts lean on.
(function (kit) {
  'use strict';

  const { utf8, fromUtf8, hex, fromHex, base64, fromBase64, latin1, fromLatin1 } = kit;
  const { deriveKey, randomHex } = kit.host;
  const { defineProperty } = Object;

  const WRITE = {
    __proto__: null, utf8, 'utf-8': utf8, hex: fromHex, base64: fromBase64, base64url: fromBase64,
    latin1: fromLatin1, binary: fromLatin1, ascii: fromLatin1,
  };
  const url64 = (bytes) => base64(bytes).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
  const READ = {
    __proto__: null, utf8: fromUtf8, 'utf-8': fromUtf8, hex, base64, base64url: url64, latin1, binary: latin1, ascii: latin1,
  };

  function codec(table, encoding = 'utf8') {
    const found = table[String(encoding).toLowerCase()];
    if (!found) throw new TypeError(`Unknown encoding: ${encoding}`);
    return found;
  }

  class Buffer extends Uint8Array {
    static from(value, encoding) {
      if (typeof value === 'string') return Buffer.#own(codec(WRITE, encoding)(value));
      if (value?.type === 'Buffer' && Array.isArray(value.data)) return Buffer.#own(Uint8Array.from(value.data));
      return Buffer.#own(new Uint8Array(value instanceof ArrayBuffer ? value : Array.from(value)));
    }
    static alloc(size, fill = 0) {
      return Buffer.#own(new Uint8Array(size).fill(fill));
    }
    static concat(list) {
      const size = list.reduce((total, part) => total + part.length, 0);
      const whole = Buffer.alloc(size);
      let place = 0;
      for (const part of list) {
        whole.set(part, place);
        place += part.length;
      }
      return whole;
    }
    static compare(one, other) {
      const place = Array.from(one).findIndex((byte, at) => byte !== other[at]);
      const [left, right] = place < 0 ? [one.length, other.length] : [one[place], other[place] ?? -1];
      return Math.sign(left - right);
    }
    static isBuffer(value) {
      return value instanceof Buffer;
    }
    static byteLength(value, encoding) {
      return typeof value === 'string' ? codec(WRITE, encoding)(value).length : value.byteLength;
    }
    static #own(bytes) {
      return new Buffer(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    toString(encoding, start = 0, end = this.length) {
      return codec(READ, encoding)(Uint8Array.prototype.subarray.call(this, start, end));
    }
    toJSON() {
      return { type: 'Buffer', data: Array.from(this) };
    }
    indexOf(value, start = 0) {
      if (typeof value === 'number') return super.indexOf(value, start);
      const wanted = typeof value === 'string' ? Buffer.from(value) : value;
      for (let at = start; at + wanted.length <= this.length; at++) {
        if (wanted.every((byte, place) => this[at + place] === byte)) return at;
      }
      return -1;
    }
    includes(value, start) {
      return this.indexOf(value, start) >= 0;
    }
    readUInt8(at = 0) {
      if (at < 0 || at >= this.length) throw new RangeError(`The value of "offset" is out of range. It must be >= 0 and <= ${this.length - 1}. Received ${at}`);
      return this[at];
    }
    equals(other) {
      return this.length === other.length && this.every((byte, place) => byte === other[place]);
    }
    slice(start, end) {
      return this.subarray(start, end);
    }
  }

  class Digest {
    #algorithm;
    #key;
    #parts = [];
    constructor(algorithm, key) {
      this.#algorithm = algorithm;
      this.#key = key;
      try {
        kit.digest(algorithm, key, new Uint8Array(0));
      } catch {
        throw new Error(key === null ? 'Digest method not supported' : `Invalid digest: ${algorithm}`);
      }
    }
    update(data, encoding) {
      this.#parts.push(Buffer.from(data, encoding));
      return this;
    }
    copy() {
      const made = new Digest(this.#algorithm, this.#key);
      made.#parts = [...this.#parts];
      return made;
    }
    digest(encoding) {
      const bytes = fromHex(kit.digest(this.#algorithm, this.#key, Buffer.concat(this.#parts)));
      return encoding ? Buffer.from(bytes).toString(encoding) : Buffer.from(bytes);
    }
  }

  const randomBytes = (size) => Buffer.from(randomHex(size), 'hex');
  const crypto = {
    createHash: (algorithm) => new Digest(algorithm, null),
    hash: (algorithm, data, encoding = 'hex') => new Digest(algorithm, null).update(data).digest(encoding),
    getHashes: () => ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha3-256', 'sha3-384', 'sha3-512'],
    createHmac: (algorithm, key) => new Digest(algorithm, Buffer.from(key)),
    randomBytes,
    randomInt: (low, high) => {
      const [from, to] = high === undefined ? [0, low] : [low, high];
      return from + Math.floor((parseInt(randomHex(6), 16) / 2 ** 48) * (to - from));
    },
    randomUUID: () => {
      const bytes = randomBytes(16);
      bytes[6] = (bytes[6] & 15) | 64;
      bytes[8] = (bytes[8] & 63) | 128;
      return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
    getRandomValues: (array) => {
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(randomBytes(array.byteLength));
      return array;
    },
    pbkdf2Sync: (password, salt, rounds, size, algorithm) => {
      const key = deriveKey(String(algorithm), hex(Buffer.from(password)), hex(Buffer.from(salt)), rounds, size);
      if (typeof key !== 'string') throw new TypeError(`Invalid digest: ${algorithm}`);
      return Buffer.from(key, 'hex');
    },
    get webcrypto() {
      return webcrypto;
    },
    timingSafeEqual: (one, other) => Buffer.from(one).equals(Buffer.from(other)),
  };

  // Of the Web's cryptography what scripts can use without keys.
  const webcrypto = {
    randomUUID: crypto.randomUUID,
    getRandomValues: crypto.getRandomValues,
    subtle: {
      async digest(algorithm, data) {
        const name = String(algorithm?.name ?? algorithm).replace('-', '');
        return new Digest(name, null).update(new Uint8Array(data.buffer ?? data)).digest().buffer;
      },
    },
  };

  class TextEncoder {
    encode(text = '') {
      return utf8(text);
    }
  }
  class TextDecoder {
    #read;
    constructor(label = 'utf-8') {
      const name = String(label).trim().toLowerCase();
      if (!/^(?:utf-?8|latin1|iso-8859-1|ascii|us-ascii|windows-1252)$/.test(name)) throw new RangeError(`The "${label}" encoding is not supported`);
      this.#read = /^utf/.test(name) ? fromUtf8 : latin1;
    }
    decode(bytes = []) {
      return this.#read(new Uint8Array(bytes.buffer ?? bytes, bytes.byteOffset ?? 0, bytes.byteLength));
    }
  }

  const { FormData, URL, URLSearchParams } = kit;
  const util = {
    inspect: (value) => (typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? String(value))),
    format: (...values) => values.map((value) => (typeof value === 'string' ? value : util.inspect(value))).join(' '),
    promisify: (call) => (...values) =>
      new Promise((done, fail) => call(...values, (error, value) => (error ? fail(error) : done(value)))),
    isDeepStrictEqual: (one, other) => JSON.stringify(one) === JSON.stringify(other),
    types: { isDate: (value) => value instanceof Date, isRegExp: (value) => value instanceof RegExp },
  };
  const MODULES = {
    __proto__: null,
    crypto: () => crypto,
    buffer: () => ({ Buffer }),
    url: () => ({ URL, URLSearchParams }),
    luxon: () => kit.luxon().luxon,
    jmespath: () => kit.jmespath(),
    util: () => util,
  };
  const REASONS = [
    [/^(?:https?|http2|net|tls|dgram|dns|axios|node-fetch|got|request|request-promise\S*|undici|ws)$/, 'a Code node has no network; call servers with an HTTP Request node before it'],
    [/^(?:fs|fs\/promises|path|os|child_process|process|worker_threads|cluster|vm|module|v8)$/, 'a Code node has no files and no processes; read files with the nodes for files before it'],
  ];

  function require(name) {
    const plain = String(name).replace(/^node:/, '');
    if (plain in MODULES) return MODULES[plain]();
    const known = Object.keys(MODULES).join(', ');
    const reason = REASONS.find(([names]) => names.test(plain))?.[1] ?? 'it is not part of this engine';
    throw new Error(`Cannot require '${name}': ${reason}. The modules that a Code node may require are ${known}.`);
  }

  function structuredClone(value, done = new Map()) {
    if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError('This value could not be cloned.');
    if (typeof value !== 'object' || value === null) return value;
    if (done.has(value)) return done.get(value);
    if (value instanceof Date) return new Date(value);
    if (value instanceof RegExp) return new RegExp(value);
    const copy = Array.isArray(value) ? [] : value instanceof Map ? new Map() : value instanceof Set ? new Set() : {};
    done.set(value, copy);
    const clone = (part) => structuredClone(part, done);
    if (value instanceof Map) value.forEach((part, name) => copy.set(clone(name), clone(part)));
    else if (value instanceof Set) value.forEach((part) => copy.add(clone(part)));
    else for (const [name, part] of Object.entries(value)) defineProperty(copy, name, { value: clone(part), writable: true, enumerable: true, configurable: true });
    return copy;
  }

  const decode64 = globalThis.atob;
  function atob(text) {
    try {
      return decode64(text);
    } catch {
      throw new Error('Invalid character');
    }
  }

  kit.crypto = crypto;
  kit.nodeGlobals = {
    atob,
    Buffer, FormData, require, structuredClone: (value) => structuredClone(value), TextEncoder, TextDecoder, URL, URLSearchParams,
  };
});
