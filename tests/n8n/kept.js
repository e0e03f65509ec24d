// Which values of documents n8n keeps when it opens a node, for each {kind, version, values} on stdin: paths of what it drops.
const { NodeHelpers, described } = require(`${__dirname}/parameters.js`);
const { readFileSync } = require('node:fs');

function find(kind, version) {
  const found = described.filter(({ name }) => name === kind || name === `n8n-nodes-base.${kind}`);
  return found.find((one) => [one.version].flat().includes(version));
}

function* dropped(written, kept, path) {
  if (Array.isArray(written)) {
    for (const [index, one] of written.entries()) yield* dropped(one, kept?.[index], path);
  } else if (written !== null && typeof written === 'object') {
    for (const [key, one] of Object.entries(written)) yield* dropped(one, kept?.[key], path ? `${path}.${key}` : key);
  } else {
    yield { path, kept: kept !== undefined };
  }
}

const answers = JSON.parse(readFileSync(0, 'utf8')).map(({ kind, version, values }) => {
  const description = find(kind, version);
  if (!description) return null;
  const node = { name: 'N', type: description.name, typeVersion: version, parameters: values, credentials: {} };
  const kept = NodeHelpers.getNodeParameters(description.properties, structuredClone(values), true, false, node, description);
  const leaves = [...dropped(values, kept ?? {}, '')];
  return { all: leaves.length, dropped: leaves.filter((one) => !one.kept).map(({ path }) => path) };
});
console.log(JSON.stringify(answers));
