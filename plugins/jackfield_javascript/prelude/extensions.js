// The methods that expressions may call on plain values, such as `.isEmpty()`: which one a call means. `rewriting.js`
// makes calls of `extend` of them. The files text_methods, list_methods, value_methods and date_methods have the methods.
(function (kit) {
  'use strict';

  const { Fault } = kit;
  const { apply } = Reflect;
  const { TEXT, LIST, NUMBER, OBJECT, BOOLEAN, DATE } = kit.methods;
  const KINDS = [['Array', LIST], ['Date', DATE], ['Number', NUMBER], ['Object', OBJECT], ['String', TEXT], ['Boolean', BOOLEAN]];
  const ANY = { __proto__: null, isEmpty: (value) => !value, isNotEmpty: (value) => Boolean(value) };
  for (const [, methods] of KINDS) Object.setPrototypeOf(methods, null);

  // A text of a moment, as data have it, has the methods of dates.
  const MOMENT = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}.\d{3}Z/;
  function isMoment(text) {
    if (!MOMENT.test(text)) return false;
    const date = new Date(text);
    return !Number.isNaN(date.valueOf()) && date.toISOString() === text;
  }

  function methodsOf(value, name) {
    if (Array.isArray(value)) return LIST;
    if (typeof value === 'string') return name !== 'toDate' && name !== 'toDateTime' && isMoment(value) ? DATE : TEXT;
    if (typeof value === 'number') return NUMBER;
    if (typeof value === 'boolean') return BOOLEAN;
    if (typeof value !== 'object' || value === null) return ANY;
    return value instanceof Date || kit.isDateTime(value) ? DATE : OBJECT;
  }

  // The function that is meant by name, called with the arguments; the value's own where no kind has one. Null: none.
  function found(value, name) {
    const method = methodsOf(value, name)[name];
    if (method) return (values) => method(value, ...values);
    if (value && typeof value[name] === 'function') return (values) => apply(value[name], value, values);
    return ANY[name] ? () => ANY[name](value) : null;
  }

  function absence(value, name) {
    if (value === undefined || value === null) {
      return `${name}() can't be called on ${value}; write ?.${name}() for a value that may be missing.`;
    }
    const kinds = KINDS.filter(([, methods]) => name in methods).map(([kind]) => kind);
    return `${name}() can only be called on a value of type ${kinds.join(', ')}.`;
  }

  function extend(value, name, values) {
    const call = found(value, String(name));
    if (!call) throw new Fault(absence(value, String(name)));
    return call(values);
  }

  // The same for `value.name?.(...)`.
  function optional(value, name) {
    const call = found(value, name);
    return call ? (...values) => call(values) : undefined;
  }

  const chain = (value, then) => (value === undefined || value === null ? undefined : then(value));

  const names = { __proto__: null, ...ANY };
  for (const [, methods] of KINDS) for (const name of Object.keys(methods)) names[name] = true;
  kit.extensions = Object.freeze(names);
  kit.calls = { __proto__: null, extend, optional, chain, key: kit.key };
  kit.roots.push(ANY, ...KINDS, kit.calls);
});
