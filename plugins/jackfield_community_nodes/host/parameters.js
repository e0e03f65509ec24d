'use strict';
// A node's parameters as `getNodeParameter` gives them. The daemon has filled in defaults and evaluated expressions.
const { get } = require('./paths');
const { isShown } = require('./showing');
const { NodeOperationError } = require('./workflow');

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
    const found = options.rawExpressions ? get(this.raw, name) : get(this.of(item), name);
    if (found === undefined) {
      if (fallback !== undefined) return fallback;
      throw new Error(`Could not get parameter "${name}"`);
    }
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

function ensured(value, type, name, node) {
  const wrong = () => new NodeOperationError(node, `The parameter ${name} must be of the type ${type}.`);
  if (value === undefined || value === null) {
    return { string: '', number: value, boolean: false, object: value, array: [], json: value }[type];
  }
  if (type === 'string') return typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (type === 'number') {
    if (Number.isNaN(Number(value))) throw wrong();
    return Number(value);
  }
  if (type === 'boolean') return typeof value === 'string' ? value === 'true' : Boolean(value);
  if (type === 'json' || type === 'object' || type === 'array') {
    let made = value;
    if (typeof value === 'string') {
      try {
        made = JSON.parse(value);
      } catch {
        throw wrong();
      }
    }
    return type === 'array' && !Array.isArray(made) ? [made] : made;
  }
  return value;
}

module.exports = { Parameters };
