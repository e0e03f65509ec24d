// Prints what n8n finds wrong with values that may not fit before a workflow starts: for every node of the types named on
// the command line, per version, each parameter with a type, a pattern, conditions, columns or a number of rows, with
// values that fit and some that do not. Called in the adapter's directory.
const { chosen, described, issues } = require('./parameters.js');

const TYPED = ['', 'text', '5', 5, -1.5, 'true', true, null, '=x', '[]', '[1]', '{}', '{"a": 1}', '[{}]', [], [1], {}, { a: 1 }, 'https://a.example/b', '2026-01-02', 'a.b.c'];
const COMPARED = ['', 'text', '5', 5, true, 'true', null, '={{ 1 }}', [], '[]', {}, '2026-01-02'];
const COLUMNS = ['string', 'number', 'boolean', 'dateTime'];

function filters() {
  const operators = ['string', 'number', 'boolean', 'dateTime', 'array', 'object', 'any'].map((type) => ({ type, operation: 'equals' }));
  operators.push({ type: 'array', operation: 'lengthGt', rightType: 'number' }, { type: 'number', operation: 'exists', singleValue: true });
  return ['strict', 'loose'].flatMap((typeValidation) => operators.flatMap((operator) => COMPARED.flatMap((value) => [
    { leftValue: value, rightValue: '=x', operator }, { leftValue: '=x', rightValue: value, operator },
  ]))).map((condition, index) => ({
    options: { caseSensitive: true, typeValidation: index % 2 ? 'strict' : 'loose', version: 1 + (index % 3) }, combinator: 'and', conditions: [condition],
  }));
}

function columns() {
  const rows = COLUMNS.flatMap((type) => TYPED.map((value) => [type, { a: value }]));
  return [...rows, ['string', {}], ['number', null]].flatMap(([type, value]) => [true, false].map((required) => ({
    mappingMode: 'defineBelow', value, matchingColumns: [],
    schema: [{ id: 'a', displayName: 'a', type, required, display: true, defaultMatch: false, ...(type === 'options' ? { options: [{ name: 'T', value: 'text' }] } : {}) }],
  })));
}

function locators(property) {
  const values = ['', 'text', '5', 5, '=x', 'https://a.example/b', 'a b', 'x'.repeat(40)];
  return property.modes.flatMap((mode) => values.map((value) => ({ __rl: true, mode: mode.name, value })));
}

function lists(property) {
  const most = property.typeOptions.maxAllowedFields ?? property.typeOptions.minRequiredFields + 1;
  return (property.options ?? []).flatMap((option) => [0, 1, most, most + 1].map((length) => ({ [option.name]: Array(length).fill({}) })));
}

function values(property) {
  if (property.type === 'filter') return filters();
  if (property.type === 'resourceMapper') return columns();
  if (property.modes?.some((mode) => mode.validation?.length)) return locators(property);
  if (property.validateType) return TYPED;
  return property.typeOptions?.maxAllowedFields || property.typeOptions?.minRequiredFields ? lists(property) : [];
}

// [property at the top, parameters] for each value of each property, also inside of collections.
function* fitting(property) {
  for (const value of values(property)) yield { [property.name]: value };
  if (property.type === 'collection') {
    for (const option of property.options ?? []) for (const inner of fitting(option)) yield { [property.name]: inner };
  }
  if (property.type !== 'fixedCollection') return;
  for (const option of property.options ?? []) {
    for (const field of option.values) {
      for (const inner of fitting(field)) yield { [property.name]: { [option.name]: property.typeOptions?.multipleValues ? [inner] : inner } };
    }
  }
}

const found = [];
for (const description of described.filter((one) => process.argv.includes(one.name, 2))) {
  const wanted = description.properties.map((one) => [one, [...fitting(one)]]).filter(([, given]) => given.length);
  for (const version of [description.version].flat()) {
    const node = { name: description.name, type: description.name, typeVersion: version, parameters: {} };
    for (const given of chosen(description.properties, wanted.map(([one]) => one), node, description)) {
      for (const [, values] of wanted) {
        for (const value of values) {
          const parameters = { ...given, ...value };
          found.push({ kind: description.name, version, changed: Object.keys(value)[0], given: parameters, issues: issues(description, node, parameters) });
        }
      }
    }
  }
}
process.stdout.write(JSON.stringify(found));
