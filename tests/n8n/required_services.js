// Reads [{kind, version, given}], and prints what n8n finds wrong with each before a workflow starts; null for a node that
// n8n does not have in this version. Called in the adapter's directory.
const fs = require('fs');
const path = require('path');
const modules = path.join(process.cwd(), 'node_modules');
const { NodeHelpers } = require(path.join(modules, 'n8n-workflow'));
const described = require(path.join(modules, 'n8n-nodes-base/dist/types/nodes.json'));

function issues({ kind, version, given }) {
  const description = described.find((one) => one.name === kind && [one.version].flat().includes(version));
  if (!description) return null;
  const node = { name: kind, type: kind, typeVersion: version };
  const parameters = NodeHelpers.getNodeParameters(description.properties, given, true, false, node, description) ?? {};
  return Object.keys(NodeHelpers.getNodeParametersIssues(description.properties, { ...node, parameters }, description)?.parameters ?? {});
}

process.stdout.write(JSON.stringify(JSON.parse(fs.readFileSync(0, 'utf8')).map(issues)));
