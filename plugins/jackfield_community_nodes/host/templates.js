'use strict';
// Expressions that a package's own descriptions hold, such as `=/items/{{$parameter["id"]}}`. Those that users write
// into parameters are evaluated by the daemon.

const compiled = new Map();
const MOST = 2000;

function compile(source, names) {
  const key = `${names.join()}\n${source}`;
  let made = compiled.get(key);
  if (made === undefined) {
    if (compiled.size >= MOST) compiled.clear();
    made = new Function(...names, `return (${source}\n);`);
    compiled.set(key, made);
  }
  return made;
}

function valueOf(source, scope) {
  const names = Object.keys(scope);
  try {
    return compile(source, names)(...names.map((name) => scope[name]));
  } catch (error) {
    if (error instanceof TypeError || error instanceof ReferenceError) return undefined;
    throw error;
  }
}

// The value of a text; one that is a single expression keeps its type.
function evaluated(text, scope) {
  const body = text.slice(1);
  const parts = body.split(/\{\{([\s\S]*?)\}\}/);
  if (parts.length === 3 && parts[0] === '' && parts[2] === '') return valueOf(parts[1], scope);
  return parts.map((part, index) => (index % 2 ? shown(valueOf(part, scope)) : part)).join('');
}

function shown(value) {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

// The value with every text in it that is an expression.
function filled(value, scope) {
  if (typeof value === 'string') return value.startsWith('=') ? evaluated(value, scope) : value;
  if (Array.isArray(value)) return value.map((one) => filled(one, scope));
  if (value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key.startsWith('=') ? String(filled(key, scope)) : key, filled(one, scope)]),
    );
  }
  return value;
}

module.exports = { filled };
