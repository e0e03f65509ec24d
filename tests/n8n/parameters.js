// Which choices of a node's parameters show others, and what n8n finds wrong with some: for the scripts beside this one.
const path = require('path');
const modules = path.join(process.cwd(), 'node_modules');
const { NodeHelpers } = require(path.join(modules, 'n8n-workflow'));
const MOST = 300;

function choices(property) {
  if (property.type === 'boolean') return [true, false];
  return property.type === 'options' ? (property.options ?? []).map((option) => option.value).filter((value) => value !== undefined) : [];
}

function selectors(properties, wanted) {
  const shown = wanted.flatMap((one) => [one.displayOptions?.show, one.displayOptions?.hide]);
  const found = new Set(shown.flatMap((side) => Object.keys(side ?? {})));
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const one of properties.filter((each) => found.has(each.name))) {
      for (const side of [one.displayOptions?.show, one.displayOptions?.hide]) for (const name of Object.keys(side ?? {})) found.add(name);
    }
  }
  return properties.filter((one) => found.has(one.name));
}

// Parameters that show each of the wanted properties in its turn.
function* chosen(properties, wanted, node, description) {
  const choosing = selectors(properties, wanted);
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

const described = require(path.join(modules, 'n8n-nodes-base/dist/types/nodes.json'));
module.exports = { chosen, issues, NodeHelpers, described };
