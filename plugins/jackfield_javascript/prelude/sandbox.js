// Evaluates expressions. Everything that one evaluation can reach is either made for it or frozen, so that the context
// may serve the next one; nothing that can be reached compiles text.
(function (kit) {
  'use strict';

  const { Data, TextLines, Fault, VARIABLES, jsonText, outOfMemory } = kit;
  const { cacheSize } = kit.limits;
  const compile = Function;
  const check = eval;
  const Hidden = Proxy;
  const { getOwnPropertyDescriptor, getPrototypeOf, defineProperty, freeze } = Object;
  const { apply, ownKeys, deleteProperty } = Reflect;

  let current = null;
  kit.timezone = () => current?.head.timezone ?? 'UTC';

  const ALLOWED =
    `Date Object Array Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array
    Float64Array BigInt64Array BigUint64Array ArrayBuffer DataView Map Set WeakMap WeakSet Error TypeError RangeError
    SyntaxError ReferenceError EvalError URIError AggregateError String RegExp Math Number BigInt JSON Boolean Symbol
    parseInt parseFloat isNaN isFinite encodeURI encodeURIComponent decodeURI decodeURIComponent NaN Infinity`.split(/\s+/);
  const INERT =
    `eval Function setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate queueMicrotask require module
    Buffer fetch XMLHttpRequest Promise Proxy Reflect document global Window globalThis self alert prompt confirm uneval
    escape unescape __dirname __filename Generator GeneratorFunction AsyncFunction AsyncGenerator AsyncGeneratorFunction
    WebAssembly`.split(/\s+/);

  const { extend, optional } = kit.calls;
  const globals = { __proto__: null, $$: kit.calls, extend, extendOptional: optional, ...kit.PLAIN, get Intl() { return kit.intl().Intl; } };
  for (const name of ALLOWED) globals[name] = globalThis[name];
  for (const name of INERT) globals[name] = {};

  // Intrinsic objects that only syntax leads to.
  function syntaxRoots() {
    const list = [][Symbol.iterator]();
    const made = [
      function () {}, async function () {}, function* () {}, async function* () {}, () => {}, list, new Map().entries(),
      new Set().values(), ''[Symbol.iterator](), 'a'.matchAll(/a/g), list.map((x) => x), Iterator.from({ next() {} }),
      (function* () {})(), (async function* () {})(), /./, Uint8Array, Symbol(), 1n, true, 1, '',
    ];
    return made.flatMap((value) => {
      const chain = [];
      for (let at = getPrototypeOf(Object(value)); at; at = getPrototypeOf(at)) chain.push(at);
      return typeof value === 'function' && value.prototype ? [...chain, value.prototype] : chain;
    });
  }

  const REMOVED = new Map([
    [Object.prototype, ['__proto__', '__defineGetter__', '__defineSetter__', '__lookupGetter__', '__lookupSetter__']],
    [Object, ['defineProperty', 'defineProperties', 'setPrototypeOf', 'getPrototypeOf', 'getOwnPropertyDescriptor', 'getOwnPropertyDescriptors']],
    [Function.prototype, ['caller', 'arguments', 'fileName', 'lineNumber', 'columnNumber']],
    [Error, ['prepareStackTrace', 'captureStackTrace', 'stackTraceLimit']],
    [Array, ['fromAsync']],
  ]);

  // With frozen prototypes an assignment such as `error.name = 'x'` would fail; a setter that defines keeps it working.
  function overridable(prototype) {
    for (const name of ['toString', 'toLocaleString', 'valueOf', 'name', 'message']) {
      const own = getOwnPropertyDescriptor(prototype, name);
      if (!own || !('value' in own)) continue;
      defineProperty(prototype, name, {
        get: () => own.value,
        set(value) {
          if (this === prototype) throw new TypeError(`${name} is read-only`);
          defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
        },
      });
    }
  }

  const seen = new Set(); // all that was frozen

  function harden(roots) {
    const waiting = [...roots];
    while (waiting.length) {
      const next = waiting.pop();
      if ((typeof next !== 'object' && typeof next !== 'function') || next === null || seen.has(next)) continue;
      seen.add(next);
      deleteProperty(next, 'constructor');
      waiting.push(getPrototypeOf(next));
      for (const name of ownKeys(next)) {
        const { value, get, set } = getOwnPropertyDescriptor(next, name);
        waiting.push(value, get, set);
      }
      freeze(next);
    }
  }

  kit.seal = harden;

  function close() {
    const roots = [globals, ...kit.roots, ...syntaxRoots(), ...ownKeys(globalThis).map((name) => globalThis[name])];
    for (const [target, names] of REMOVED) for (const name of names) deleteProperty(target, name);
    for (const name of ALLOWED) {
      if (/Error$|^Object$/.test(name)) overridable(globalThis[name].prototype);
    }
    harden(roots);
    for (const name of ownKeys(globalThis)) if (!ALLOWED.includes(name)) deleteProperty(globalThis, name);
    freeze(globalThis);
  }

  let assigned = { __proto__: null }; // by the evaluation that runs, as `x = 1` does; it leaves nothing to the next one
  const INSIDE = freeze({ process: freeze({}), require: freeze({}), module: freeze({}), Buffer: freeze({}) }); // `this`

  // Every identifier of an expression is looked up here, so that an unknown one is undefined and none is a real global.
  const scope = new Hidden(freeze({ __proto__: null }), {
    has: (_, name) => typeof name === 'string',
    get(_, name) {
      if (typeof name !== 'string') return undefined;
      const variable = VARIABLES[name];
      if (variable) return variable(current);
      if (name in assigned) return assigned[name];
      const { extra } = current.head;
      return Object.hasOwn(extra, name) ? extra[name] : globals[name];
    },
    set(_, name, value) {
      assigned[name] = value;
      return true;
    },
    defineProperty: () => false,
    deleteProperty: () => false,
    getPrototypeOf: () => null,
    ownKeys: () => [],
  });

  const WRITES = /[^=!<>]=(?![=>])|\+\+|--|\b(?:delete|assign|sort|reverse|push|pop|shift|unshift|splice|fill|copyWithin|set\w*)\b/;
  const LEAVES_JOBS = /\b(?:async|import)\b/; // nobody runs these jobs: the context is given up afterwards

  // The source must be one expression. It may not close the bracket that it is put into; one that is valid between two
  // different pairs of brackets closes neither. `throw` keeps a source that does from running here.
  function expression(source) {
    try {
      check(`"use strict"; throw this;\n[\n${source}\n]`);
    } catch (error) {
      if (error !== globalThis) throw error;
    }
    return compile('scope', `with (scope) { return function () { "use strict"; return (\n${source}\n) } }`)(scope);
  }

  // In place of the value: what a template prints, what a JSON text does, and a list, which is empty for undefined and
  // has two entries for NaN. The
  // first character of a source asks for it.
  const isNothing = (value) => value === undefined || value === null || value !== value;
  const FORMS = {
    __proto__: null,
    '\x01': (value) => (isNothing(value) ? '' : `${value}`),
    '\x02': (value) => (typeof value === 'object' && value !== null ? jsonText(value) : `${value}`),
    '\x03': (value) => (value === undefined ? [] : value !== value ? [null, null] : [plain(value)]),
  };

  // A value that JSON has, or it becomes one.
  function plain(value) {
    if (typeof value === 'function') throw new Fault('The expression gives a function; call it, or give a plain value.');
    return kit.isDateTime(value) && !value.isValid ? String(value) : value;
  }

  function entry(given) {
    const form = FORMS[given[0]] ?? plain;
    const source = form === plain ? given : given.slice(1);
    const text = source.trimEnd();
    const made = { form, run: () => undefined, fault: null, broken: false, writes: WRITES.test(text), leaves: LEAVES_JOBS.test(text), throws: text.includes('throw') };
    if (/\.\s*constructor\b/.test(text)) made.fault = 'The expression must not use .constructor.';
    else if (text.trim() === '') made.fault = 'The expression is empty.';
    else {
      try {
        const rewritten = kit.rewritten(text, kit.extensions);
        if (rewritten !== null) made.run = expression(rewritten);
      } catch (error) {
        if (outOfMemory(error)) throw error;
        if (Fault.is(error)) return { ...made, fault: error.message };
        const found = error.message.replace(/unexpected token in expression: '\]'/, 'unexpected end');
        made.fault = `The expression is not valid JavaScript: ${found}.`;
        made.broken = true;
      }
    }
    return made;
  }

  const cache = new Map();
  function compiled(source) {
    let found = cache.get(source);
    if (found) cache.delete(source);
    else {
      found = entry(source);
      if (cache.size >= cacheSize) cache.delete(cache.keys().next().value);
    }
    if (source.length < 2_000) cache.set(source, found);
    return found;
  }

  function valueOf(made) {
    if (made.fault) throw new Fault(made.fault);
    assigned = { __proto__: null };
    depth = 0;
    let value;
    try {
      value = apply(made.run, INSIDE, []);
    } catch (error) {
      if (error === null && made.throws) return 'null';
      if (outOfMemory(error) || Fault.is(error)) throw error;
      value = undefined;
    }
    try {
      return jsonText(made.form(value));
    } catch (error) {
      if (outOfMemory(error) || Fault.is(error)) throw error;
      throw new Fault('The value of the expression can\'t be written as JSON, such as an object that holds itself.');
    }
  }

  // `$evaluateExpression`: the value of a template that a script has made. Code in it is confined like any other.
  let depth = 0;
  kit.template = (text) => {
    const parts = text.split(/\{\{([^]*?)\}\}/);
    if (parts.length === 1) return text;
    if (depth > 20) throw new Fault('The expression evaluates itself without an end.');
    const before = assigned;
    depth++;
    const values = parts.map((part, place) => {
      if (place % 2 === 0) return part;
      const made = compiled(part);
      if (made.broken) return undefined;
      if (made.fault) throw new Fault(made.fault);
      try {
        return apply(made.run, INSIDE, []);
      } catch (error) {
        if (outOfMemory(error) || Fault.is(error)) throw error;
        return undefined;
      }
    });
    depth--;
    assigned = before;
    if (parts.length === 3 && parts[0] === '' && parts[2] === '') return values[1];
    return values.map((value, place) => (place % 2 ? FORMS['\x01'](value) : value)).join('');
  };
  VARIABLES.$evaluateExpression = (data) => (text, index) => {
    const before = data.index;
    data.index = index || before;
    try {
      return kit.template(String(text));
    } finally {
      data.index = before;
    }
  };

  // The text is that of `TextLines`; the answer is JSON, with a leading `!` when the context must not be used again.
  kit.evaluate = (text) => {
    current = new Data(new TextLines(text));
    kit.useZone();
    const entries = current.head.sources.map(compiled);
    const errors = [];
    const rows = current.head.indexes.map((index, row) => {
      current.index = index;
      const values = entries.map((made, column) => {
        try {
          return valueOf(made);
        } catch (error) {
          if (!Fault.is(error)) throw error;
          errors.push([row, column, error.message]);
          return 'null';
        } finally {
          if (made.writes) current.forget();
        }
      });
      current.leave(index);
      return `[${values.join()}]`;
    });
    current = null;
    const spent = entries.some((made) => made.leaves) ? '!' : '';
    return kit.whole(`${spent}{"values":[${rows.join()}],"errors":${jsonText(errors)}}`);
  };

  close();
});
