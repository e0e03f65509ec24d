// What expressions may call on lists.
(function (kit) {
  'use strict';

  const { Fault } = kit;
  const { defineProperty, hasOwn, keys, entries } = Object;
  const isObject = (value) => typeof value === 'object' && value !== null;
  const put = (object, name, value) => defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  const has = (object, name) => hasOwn(object, name) || (name in object && !(name in Object.prototype) && !(name in Array.prototype));

  // Equal all the way down.
  function same(one, other) {
    if (Object.is(one, other) || one === other) return true;
    if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) return false;
    if (one instanceof Date || other instanceof Date) return one instanceof Date && other instanceof Date && Object.is(+one, +other);
    const names = keys(one);
    return names.length === keys(other).length && names.every((name) => hasOwn(other, name) && same(one[name], other[name]));
  }

  function unique(list, ...names) {
    const part = (value) => (names.length && value && typeof value === 'object' ? names.map((name) => (has(value, name) ? value[name] : undefined)) : value);
    const kept = [];
    for (const value of list) if (!kept.some((other) => same(part(other), part(value)))) kept.push(value);
    return kept;
  }

  const listed = (other, name) => {
    if (!Array.isArray(other)) throw new Fault(`${name}() needs a list.`);
    return other;
  };
  const within = (list) => (value) => list.some((other) => same(other, value));
  const union = (list, other) => unique([...list, ...listed(other, 'union')]);
  const difference = (list, other) => {
    listed(other, 'difference');
    return unique(Array.from(list).filter((value) => !within(other)(value)));
  };
  const intersection = (list, other) => {
    listed(other, 'intersection');
    return unique([...Array.from(list).filter(within(other)), ...other.filter(within(list))]);
  };

  function pluck(list, ...names) {
    if (!names.length) return list;
    const found = [];
    for (const value of list) {
      if (!isObject(value)) continue;
      const parts = keys(value).flatMap((name) => names.filter((each) => each === name).map(() => value[name]));
      if (parts.length) found.push(parts.length === 1 ? parts[0] : parts);
    }
    return found;
  }

  function numbers(list, name) {
    if (list.some((value) => typeof value !== 'number')) throw new Fault(`${name}() needs a list of numbers alone.`);
    return list;
  }
  const sum = (list, name = 'sum') => numbers(list, name).reduce((total, value) => total + value, 0);
  const average = (list) => (numbers(list, 'average').length ? sum(list, 'average') / list.length : 0);

  // Without what is empty, at any depth.
  const isNothing = (value) => value === null || value === undefined || value === 'nil' || value === '';
  const isBare = (value) => Boolean(value) && typeof value === 'object' && keys(value).length === 0;
  function compactObject(object) {
    const made = {};
    for (const [name, value] of entries(object)) {
      if (!isNothing(value) && !isBare(value)) put(made, name, typeof value === 'object' ? compactObject(value) : value);
    }
    return made;
  }
  const compact = (list) =>
    list.filter((value) => !isBare(value) && !isNothing(value)).map((value) => (isObject(value) ? compactObject(value) : value));

  function chunk(list, size) {
    if (typeof size !== 'number' || !(size > 0)) throw new Fault('chunk() needs a size above 0, as in chunk(5).');
    const parts = [];
    for (let place = 0; place < list.length; place += size) parts.push(list.slice(place, place + size));
    return parts;
  }

  function smartJoin(list, name, value) {
    if (!name || !value || typeof name !== 'string' || typeof value !== 'string') {
      throw new Fault('smartJoin() needs the names of two fields, as in smartJoin("name", "value").');
    }
    const made = {};
    for (const entry of list) if (isObject(entry) && has(entry, name) && has(entry, value)) put(made, entry[name], entry[value]);
    return made;
  }

  function renameKeys(list, ...names) {
    if (!names.length || names.length % 2) throw new Fault('renameKeys() needs pairs of names, as in renameKeys("name", "title").');
    return list.map((value) => {
      if (!isObject(value)) return value;
      const made = { ...value };
      for (let place = 0; place < names.length; place += 2) {
        const [from, to] = names.slice(place, place + 2);
        if (!hasOwn(made, from)) continue;
        put(made, to, made[from]);
        delete made[from];
      }
      return made;
    });
  }

  // What the first one has comes first.
  function joined(one, other) {
    if (!other) return one;
    if (typeof other !== 'object') throw new Fault('merge() needs an object.');
    const made = { ...one };
    for (const [name, value] of entries(other)) if (!hasOwn(made, name)) put(made, name, value);
    return made;
  }
  const into = (made, object) => entries(object).forEach(([name, value]) => put(made, name, value));

  function merge(list, others) {
    if (others === undefined) return list.filter((value) => isObject(value) && !Array.isArray(value)).reduce(joined, {});
    if (!Array.isArray(others)) throw new Fault('merge() needs a list, as in merge([{ id: 1 }]).');
    const made = {};
    list.forEach((value, place) => {
      if (typeof value === 'object' && typeof others[place] === 'object') into(made, joined(value, others[place]));
    });
    return made;
  }

  function mergeIntoObject(list, others) {
    listed(others, 'mergeIntoObject');
    const made = {};
    for (let place = 0; place < Math.max(list.length, others.length); place++) {
      const [one, other] = [list[place], others[place]];
      if (isObject(one)) into(made, joined(one, isObject(other) ? other : undefined));
      else if (isObject(other)) into(made, other);
    }
    return made;
  }

  const nothing = () => undefined;
  kit.methods.LIST = {
    removeDuplicates: unique,
    unique,
    first: (list) => list[0],
    last: (list) => list[list.length - 1],
    reverse: (list) => [...list].reverse(),
    pluck,
    randomItem: (list) => list[Math.floor(Math.random() * list.length)],
    sum: (list) => sum(list),
    min: (list) => Math.min(...numbers(list, 'min')),
    max: (list) => Math.max(...numbers(list, 'max')),
    average,
    isNotEmpty: (list) => list.length > 0,
    isEmpty: (list) => list.length === 0,
    compact,
    smartJoin,
    chunk,
    renameKeys,
    merge,
    mergeIntoObject,
    union,
    difference,
    intersection,
    append: (list, ...values) => list.concat(values),
    toJsonString: (list) => JSON.stringify(list),
    toInt: nothing,
    toFloat: nothing,
    toBoolean: nothing,
    toDateTime: nothing,
  };
  kit.compactObject = compactObject;
  kit.roots.push(joined); // what a list of the script's own making may catch
});
