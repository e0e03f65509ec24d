'use strict';
// Prints the result of each case. Arguments: the folder of the three functions, and whether it is n8n's.
const path = require('node:path');
const [folder, whose] = process.argv.slice(2);
const from = (file) => require(path.join(folder, file));
const of = whose === 'n8n'
  ? { normalize: from('normalize-items').normalizeItems, pair: from('construct-execution-metadata').constructExecutionMetaData, ensure: from('ensure-type').ensureType }
  : { normalize: from('helpers').normalizeItems, pair: from('helpers').constructExecutionMetaData, ensure: from('parameters').ensured };

const ensure = (type, value) => (whose === 'n8n' ? of.ensure(type, value, 'p', {}) : of.ensure(value, type, 'p', { name: 'N' }));
const told = (work) => {
  try {
    return work() ?? null;
  } catch {
    return 'throws';
  }
};

const lists = [
  { a: 1 }, { json: { a: 1 } }, { binary: {} }, [{ json: {} }, { json: {} }], [{ json: {} }, { a: 1 }],
  [{ binary: { f: {} }, a: 1 }], [{ binary: {} }, { a: 1 }], [{ a: 1 }, 'text', 5], [],
];
const values = ['', 'text', '5', 'false', '[1]', '{"a":1}', '{', 0, 5, true, false, null, undefined, [1], { a: 1 }];
const types = ['string', 'number', 'boolean', 'object', 'array', 'json'];
process.stdout.write(JSON.stringify({
  normalize: lists.map((one) => told(() => of.normalize(one))),
  pair: told(() => of.pair([{ json: { a: 1 } }, { json: {}, pairedItem: 7, binary: {} }], { itemData: { item: 0 } })),
  ensure: types.map((type) => values.map((value) => told(() => ensure(type, value)))),
}));
