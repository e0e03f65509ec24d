// Prints what n8n makes of parameters that a document leaves out: for every node of the types named on the command line,
// for every version, and for every choice that shows further parameters. Called in the adapter's directory.
const path = require('path');
const modules = path.join(process.cwd(), 'node_modules');
const { NodeHelpers } = require(path.join(modules, 'n8n-workflow'));
const described = require(path.join(modules, 'n8n-nodes-base/dist/types/nodes.json'));
const SHOWN_ONLY = new Set(['notice', 'callout', 'button', 'curlImport', 'credentials', 'credentialsSelect', 'hidden', 'icon']);
const MOST = 400;

function kept(properties) {
  return properties.filter((one) => !SHOWN_ONLY.has(one.type)).map((one) => {
    if (one.type === 'collection') return { ...one, options: kept(one.options ?? []) };
    if (one.type !== 'fixedCollection') return one;
    return { ...one, options: (one.options ?? []).map((option) => ({ ...option, values: kept(option.values ?? []) })) };
  });
}

function choices(property) {
  if (property.type === 'boolean') return [true, false];
  return property.type === 'options' ? (property.options ?? []).map((option) => option.value).filter((value) => value !== undefined) : [];
}

function selectors(properties, found = new Set()) {
  for (const one of properties) {
    for (const side of [one.displayOptions?.show, one.displayOptions?.hide]) {
      for (const name of Object.keys(side ?? {})) found.add(name.replace(/^\//, ''));
    }
  }
  return found;
}

// Rows of a fixed collection: an empty one, and one for each choice of a field.
function rows(option) {
  return [{}, ...option.values.flatMap((field) => choices(field).map((value) => ({ [field.name]: value })))];
}

function fillings(property) {
  if (property.type === 'collection') {
    return property.options.filter((one) => one.type === 'fixedCollection').flatMap((inner) => fillings(inner).map((filled) => ({ [inner.name]: filled })));
  }
  if (property.type !== 'fixedCollection') return [];
  const many = property.typeOptions?.multipleValues === true;
  return property.options.flatMap((option) => (many ? [{ [option.name]: rows(option) }] : rows(option).map((row) => ({ [option.name]: row }))));
}

function* explored(description, version) {
  const properties = kept(description.properties);
  const choosing = selectors(properties);
  const node = { type: description.name, typeVersion: version, parameters: {} };
  const complete = (given) => NodeHelpers.getNodeParameters(properties, given, true, false, node, description) ?? {};
  const seen = new Set();
  const waiting = [{}];
  for (let given = waiting.shift(); given && seen.size < MOST; given = waiting.shift()) {
    const completed = complete(given);
    const shape = JSON.stringify([Object.keys(given), Object.entries(completed).filter(([name]) => !(name in given))]);
    if (seen.has(shape)) continue;
    seen.add(shape);
    yield { given, completed };
    for (const property of properties) {
      if (!(property.name in completed)) continue;
      if (choosing.has(property.name) && !(property.name in given)) {
        waiting.push(...choices(property).map((value) => ({ ...given, [property.name]: value })));
      }
      for (const filled of fillings(property)) {
        const more = { ...given, [property.name]: filled };
        try { yield { given: more, completed: complete(more) }; } catch { /* a row that n8n itself cannot complete */ }
      }
    }
  }
}

const found = [];
for (const description of described.filter((one) => process.argv.includes(one.name, 2))) {
  for (const version of [description.version].flat()) {
    for (const each of explored(description, version)) found.push({ kind: description.name, version, ...each });
  }
}
process.stdout.write(JSON.stringify(found));
