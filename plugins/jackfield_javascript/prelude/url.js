// URL and URLSearchParams for absolute addresses, after the WHATWG standard but without its host canonicalisation.
(function (kit) {
  'use strict';

  const PARTS = /^([a-z][a-z0-9+.-]*:)(\/\/)?(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^:/?#]*|\[[^\]]*\])(?::(\d*))?([^?#]*)(\?[^#]*)?(#.*)?$/i;
  const PORTS = { __proto__: null, 'http:': '80', 'https:': '443', 'ftp:': '21', 'ws:': '80', 'wss:': '443' };
  const encode = (text) => encodeURIComponent(text).replace(/%20/g, '+').replace(/[!'()~]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase());

  function decode(text) {
    try {
      return decodeURIComponent(text.replace(/\+/g, ' '));
    } catch {
      return text;
    }
  }

  class URLSearchParams {
    #pairs = [];
    #changed = () => {};
    constructor(init = '', changed) {
      if (changed) this.#changed = changed;
      if (typeof init === 'string') {
        const parts = init.replace(/^\?/, '').split('&').filter(Boolean);
        this.#pairs = parts.map((part) => {
          const [name, ...rest] = part.split('=');
          return [decode(name), decode(rest.join('='))];
        });
      } else {
        const entries = typeof init[Symbol.iterator] === 'function' ? [...init] : Object.entries(init);
        this.#pairs = entries.map(([name, value]) => [String(name), String(value)]);
      }
    }
    #set(pairs) {
      this.#pairs = pairs;
      this.#changed(this.toString());
    }
    get(name) { return this.#pairs.find(([each]) => each === name)?.[1] ?? null; }
    getAll(name) { return this.#pairs.filter(([each]) => each === name).map(([, value]) => value); }
    has(name) { return this.#pairs.some(([each]) => each === name); }
    append(name, value) { this.#set([...this.#pairs, [String(name), String(value)]]); }
    delete(name) { this.#set(this.#pairs.filter(([each]) => each !== name)); }
    set(name, value) {
      const place = this.#pairs.findIndex(([each]) => each === name);
      const pairs = this.#pairs.filter(([each], at) => each !== name || at === place);
      if (place < 0) pairs.push([String(name), String(value)]);
      else pairs[place] = [String(name), String(value)];
      this.#set(pairs);
    }
    sort() { this.#set(this.#pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))); }
    forEach(visit) { this.#pairs.forEach(([name, value]) => visit(value, name, this)); }
    keys() { return this.#pairs.map(([name]) => name).values(); }
    values() { return this.#pairs.map(([, value]) => value).values(); }
    entries() { return this.#pairs.map((pair) => [...pair]).values(); }
    [Symbol.iterator]() { return this.entries(); }
    get size() { return this.#pairs.length; }
    toString() { return this.#pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&'); }
  }

  function straighten(path) {
    const kept = [];
    const parts = path.split('/').slice(1);
    parts.forEach((part, place) => {
      const last = place === parts.length - 1;
      if (part === '..') kept.pop();
      else if (part !== '.') kept.push(part);
      if (last && (part === '..' || part === '.')) kept.push('');
    });
    return '/' + kept.join('/');
  }

  class URL {
    constructor(address, base) {
      const found = PARTS.exec(String(address).trim()) ?? (base === undefined ? null : PARTS.exec(URL.#join(String(address).trim(), new URL(base))));
      if (!found) throw new TypeError(`Invalid URL: ${address}`);
      const [, protocol, slashes, username = '', password = '', host, port = '', rest, search = '', hash = ''] = found;
      this.protocol = protocol.toLowerCase();
      const web = this.protocol in PORTS;
      const path = web || slashes ? rest : host + rest; // such as the address of a mail
      if (web && !host) throw new TypeError(`Invalid URL: ${address}`);
      this.username = username;
      this.password = password;
      this.hostname = web ? host.toLowerCase() : slashes ? host : '';
      this.port = port === PORTS[this.protocol] ? '' : port;
      this.pathname = encodeURI(decodeURI(web ? straighten(path || '/') : path).replace(/%/g, '%25')).replace(/%25(?=[\da-f]{2})/gi, '%');
      this.search = search === '?' ? '' : search;
      this.hash = hash === '#' ? '' : hash;
      const slashed = Boolean(slashes);
      kit.hide(this, { slashed });
      const changed = (text) => (this.search = text ? '?' + text : '');
      kit.hide(this, { searchParams: new URLSearchParams(this.search, changed) });
    }
    static #join(address, base) {
      if (address.startsWith('//')) return base.protocol + address;
      if (address.startsWith('/')) return base.origin + address;
      if (address.startsWith('?')) return base.origin + base.pathname + address;
      if (address.startsWith('#')) return base.origin + base.pathname + base.search + address;
      return base.origin + base.pathname.replace(/[^/]*$/, '') + address;
    }
    static canParse(address, base) {
      try {
        return Boolean(new URL(address, base));
      } catch {
        return false;
      }
    }
    get host() { return this.hostname + (this.port ? ':' + this.port : ''); }
    get origin() { return this.protocol in PORTS ? `${this.protocol}//${this.host}` : 'null'; }
    get href() {
      const login = this.username ? this.username + (this.password ? ':' + this.password : '') + '@' : '';
      return this.protocol + (this.slashed ? '//' : '') + login + this.host + this.pathname + this.search + this.hash;
    }
    toString() { return this.href; }
    toJSON() { return this.href; }
  }

  Object.assign(kit, { URL, URLSearchParams });
});
