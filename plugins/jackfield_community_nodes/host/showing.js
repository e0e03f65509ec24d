'use strict';
// n8n's rules for `displayOptions`, as the daemon has them in jackfield.api.nodes.showing.
const { get } = require('./paths');

const CONDITIONS = {
  eq: (value, bound) => value === bound,
  not: (value, bound) => value !== bound,
  gte: (value, bound) => value >= bound,
  lte: (value, bound) => value <= bound,
  gt: (value, bound) => value > bound,
  lt: (value, bound) => value < bound,
  between: (value, bound) => value >= bound.from && value <= bound.to,
  startsWith: (value, bound) => String(value).startsWith(bound),
  endsWith: (value, bound) => String(value).endsWith(bound),
  includes: (value, bound) => String(value).includes(bound),
  regex: (value, bound) => new RegExp(bound).test(String(value)),
  exists: (value) => value !== null && value !== undefined && value !== '',
};

function values(name, here, top, version) {
  if (name === '@version') return [version];
  let found = name.startsWith('/') ? get(top, name.slice(1)) : get(here, name);
  if (found !== null && typeof found === 'object' && found.__rl) found = found.value;
  return Array.isArray(found) ? found : [found];
}

function holds(found, asked) {
  const condition = asked !== null && typeof asked === 'object' ? asked._cnd : undefined;
  if (!condition) return found.includes(asked);
  const [name, bound] = Object.entries(condition)[0] ?? [];
  if (!found.length) return name === 'not';
  return CONDITIONS[name] !== undefined && found.every((value) => CONDITIONS[name](value, bound));
}

function isShown(property, here, top, version) {
  const { show, hide } = property.displayOptions ?? {};
  for (const [name, wanted] of Object.entries(show ?? {})) {
    const found = values(name, here, top, version);
    if (found.some((value) => typeof value === 'string' && value.startsWith('='))) return true;
    if (!wanted.some((asked) => holds(found, asked))) return false;
  }
  for (const [name, wanted] of Object.entries(hide ?? {})) {
    const found = values(name, here, top, version);
    if (found.length && wanted.some((asked) => holds(found, asked))) return false;
  }
  return true;
}

module.exports = { isShown };
