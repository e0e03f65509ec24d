// FormData of Node.js, without files: what a script collects in it, it reads again.
(function (kit) {
  'use strict';

  class FormData {
    #entries = [];

    append(name, value) {
      this.#entries.push([`${name}`, `${value}`]);
    }
    delete(name) {
      this.#entries = this.#entries.filter(([known]) => known !== `${name}`);
    }
    get(name) {
      return this.#entries.find(([known]) => known === `${name}`)?.[1] ?? null;
    }
    getAll(name) {
      return this.#entries.filter(([known]) => known === `${name}`).map(([, value]) => value);
    }
    has(name) {
      return this.#entries.some(([known]) => known === `${name}`);
    }
    set(name, value) {
      const place = this.#entries.findIndex(([known]) => known === `${name}`);
      if (place < 0) return this.append(name, value);
      this.#entries = this.#entries.filter(([known], at) => known !== `${name}` || at === place);
      this.#entries[place] = [`${name}`, `${value}`];
    }
    forEach(call, self) {
      for (const [name, value] of this.#entries) call.call(self, value, name, this);
    }
    *entries() {
      for (const [name, value] of this.#entries) yield [name, value];
    }
    *keys() {
      for (const [name] of this.#entries) yield name;
    }
    *values() {
      for (const [, value] of this.#entries) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    get [Symbol.toStringTag]() {
      return 'FormData';
    }
  }

  kit.FormData = FormData;
});
