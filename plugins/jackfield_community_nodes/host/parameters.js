'use strict';
// A node's parameters as `getNodeParameter` gives them. The daemon has filled in defaults and evaluated expressions.
const { get } = require('./paths');
const { isShown } = require('./showing');
const { ExpressionError, NodeOperationError } = require('./workflow');

class Parameters {
  // description: of the version that runs; values: by item; raw: as the document has them, with defaults.
  constructor(description, node, raw, values) {
    this.description = description;
    this.node = node;
    this.raw = raw;
    this.values = values;
  }

  of(item) {
    return this.values[item] ?? this.values[0] ?? this.raw;
  }

  get(name, item, fallback, options = {}) {
    const found = get(options.rawExpressions ? this.raw : this.of(item), name, fallback);
    if (found === undefined) throw new Error(`Could not get parameter "${name}"`);
    if (options.rawExpressions) return found;
    const value = options.extractValue ? this.extracted(name, found, item) : found;
    return options.ensureType ? ensured(value, options.ensureType, name, this.node) : value;
  }

  // What a locator's value names, by the pattern of its mode.
  extracted(name, value, item) {
    if (value === null || typeof value !== 'object' || !value.__rl) return value;
    const property = this.property(name.split('.').at(-1).replace(/\[\d+\]$/, ''), item);
    const mode = property?.modes?.find((one) => one.name === value.mode);
    const given = value.value;
    if (!mode?.extractValue?.regex || typeof given !== 'string') return given;
    const match = new RegExp(mode.extractValue.regex).exec(given);
    if (!match) throw new NodeOperationError(this.node, `The value "${given}" of ${property.displayName} does not fit its mode ${mode.displayName}.`, { itemIndex: item });
    return match[1] ?? match[0];
  }

  // The property of this name that counts, wherever it stands.
  property(name, item) {
    const top = this.of(item);
    const seek = (properties) => {
      for (const one of properties ?? []) {
        if (one.name === name && one.type && isShown(one, top, top, this.node.typeVersion)) return one;
        const inner = one.type === 'collection' ? seek(one.options) : one.type === 'fixedCollection' ? seek((one.options ?? []).flatMap((group) => group.values ?? [])) : undefined;
        if (inner) return inner;
      }
      return undefined;
    };
    return seek(this.description.properties);
  }
}

// As n8n's `ensureType`: what is no value at all is refused, and any text is a true boolean but the empty one.
function ensured(value, type, name, node) {
  const wrong = (what) => new ExpressionError(`The parameter ${name} ${what}.`, { node });
  if (value === null || value === undefined) throw wrong(`must not be ${value}`);
  if (type === 'string') return typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (type === 'boolean') return Boolean(value);
  if (type === 'number') {
    if (Number.isNaN(Number(value))) throw wrong(`must be a number, not ${value}`);
    return Number(value);
  }
  if (!['json', 'object', 'array'].includes(type)) return value;
  const made = typeof value === 'object' ? value : asJson(value, () => wrong(`must be of the type ${type}, not ${value}`));
  if (type === 'array' && !Array.isArray(made)) throw wrong('must be a list');
  return made;
}

function asJson(value, wrong) {
  if (typeof value !== 'string') throw wrong();
  try {
    return JSON.parse(value);
  } catch {
    throw wrong();
  }
}

module.exports = { Parameters, ensured };
