// Prints what n8n finds wrong with parameters before a workflow starts: for every node of the types named on the command
// line, per version and choice, with each required parameter left out and empty. Called in the adapter's directory.
const path = require('path');
const modules = path.join(process.cwd(), 'node_modules');
const { NodeHelpers } = require(path.join(modules, 'n8n-workflow'));
const described = require(path.join(modules, 'n8n-nodes-base/dist/types/nodes.json'));
const MOST = 300;

function choices(property) {
  if (property.type === 'boolean') return [true, false];
  return property.type === 'options' ? (property.options ?? []).map((option) => option.value).filter((value) => value !== undefined) : [];
}

function selectors(properties) {
  const shown = properties.filter((one) => one.required).flatMap((one) => [one.displayOptions?.show, one.displayOptions?.hide]);
  const found = new Set(shown.flatMap((side) => Object.keys(side ?? {})));
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const one of properties.filter((each) => found.has(each.name))) {
      for (const side of [one.displayOptions?.show, one.displayOptions?.hide]) for (const name of Object.keys(side ?? {})) found.add(name);
    }
  }
  return properties.filter((one) => found.has(one.name));
}

function* chosen(properties, node, description) {
  const choosing = selectors(properties);
  const seen = new Set();
  const waiting = [{}];
  for (let given = waiting.shift(); given && seen.size < MOST; given = waiting.shift()) {
    const complete = NodeHelpers.getNodeParameters(properties, given, true, false, node, description) ?? {};
    const shape = JSON.stringify(choosing.map((one) => complete[one.name]));
    if (seen.has(shape)) continue;
    seen.add(shape);
    yield given;
    for (const property of choosing) {
      if (property.name in complete && !(property.name in given)) waiting.push(...choices(property).map((value) => ({ ...given, [property.name]: value })));
    }
  }
}

function issues(description, node, given) {
  const parameters = NodeHelpers.getNodeParameters(description.properties, given, true, false, node, description) ?? {};
  return Object.keys(NodeHelpers.getNodeParametersIssues(description.properties, { ...node, parameters }, description)?.parameters ?? {});
}

const found = [];
for (const description of described.filter((one) => process.argv.includes(one.name, 2))) {
  const names = [...new Set(description.properties.filter((one) => one.required).map((one) => one.name))];
  for (const version of [description.version].flat()) {
    const node = { name: description.name, type: description.name, typeVersion: version, parameters: {} };
    for (const given of chosen(description.properties, node, description)) {
      for (const more of [{}, ...names.map((name) => ({ [name]: '' })), Object.fromEntries(names.map((name) => [name, '=1']))]) {
        const parameters = { ...given, ...more };
        found.push({ kind: description.name, version, given: parameters, issues: issues(description, node, parameters) });
      }
    }
  }
}
process.stdout.write(JSON.stringify(found));
