'use strict';
// Reading, writing and merging of nested values by paths such as `a.b[0].c`.

function steps(path) {
  if (Array.isArray(path)) return path;
  return String(path)
    .replace(/\[(?:"([^"]*)"|'([^']*)'|([^\]]*))\]/g, (_, double, single, bare) => `.${double ?? single ?? bare}`)
    .split('.')
    .filter((step, index) => step !== '' || index > 0);
}

const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

function get(value, path, missing) {
  if (value !== null && typeof value === 'object' && Object.hasOwn(value, path) && value[path] !== undefined) return value[path];
  let at = value;
  for (const step of steps(path)) {
    if (at === null || at === undefined) return missing;
    at = at[step];
  }
  return at === undefined ? missing : at;
}

function set(value, path, given) {
  const way = steps(path);
  let at = value;
  way.forEach((step, index) => {
    if (FORBIDDEN.has(step)) throw new Error(`The path ${path} is not allowed.`);
    if (index === way.length - 1) at[step] = given;
    else {
      if (at[step] === null || typeof at[step] !== 'object') at[step] = /^\d+$/.test(way[index + 1]) ? [] : {};
      at = at[step];
    }
  });
  return value;
}

function isPlain(value) {
  if (value === null || typeof value !== 'object') return false;
  const kind = Object.getPrototypeOf(value);
  return kind === null || kind === Object.prototype || Object.getPrototypeOf(kind) === null;
}

// Deep: objects are merged, lists element by element, anything else is replaced; what is undefined changes nothing.
function merge(target, source) {
  for (const key of Object.keys(source ?? {})) {
    if (FORBIDDEN.has(key)) continue;
    const given = source[key];
    if (given === undefined) continue;
    const both = isPlain(given) ? isPlain(target[key]) : Array.isArray(given) && Array.isArray(target[key]);
    if (both) merge(target[key], given);
    else if (isPlain(given)) target[key] = merge({}, given);
    else if (Array.isArray(given)) target[key] = merge([], given);
    else target[key] = given;
  }
  return target;
}

module.exports = { get, set, merge, isPlain };
