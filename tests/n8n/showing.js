// Whether n8n shows a field, for each case on stdin: its own NodeHelpers.displayParameter.
const { createRequire } = require('node:module');
const { readFileSync } = require('node:fs');

const { NodeHelpers } = createRequire(`${process.cwd()}/`)('n8n-workflow');
const shown = JSON.parse(readFileSync(0, 'utf8')).map(({ when, values, top, version }) =>
  NodeHelpers.displayParameter(values, { displayOptions: when }, { typeVersion: version ?? 1 }, null, top ?? values),
);
console.log(JSON.stringify(shown));
