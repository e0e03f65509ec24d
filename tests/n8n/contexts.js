// What the comparisons share that run n8n's own nodes of services in n8n's own contexts, in the adapter's directory.
const { createRequire } = require('node:module');
const load = createRequire(`${process.cwd()}/`);
const { NodeHelpers, Workflow } = load('n8n-workflow');
const known = load('n8n-nodes-base/dist/known/nodes.json');
const ADDRESSES = {
  restApiUrl: 'https://me.example/rest', instanceBaseUrl: 'https://me.example/', variables: {},
  webhookBaseUrl: 'https://me.example/webhook', webhookWaitingBaseUrl: 'https://me.example/webhook-waiting',
  webhookTestBaseUrl: 'https://me.example/webhook-test', formWaitingBaseUrl: 'https://me.example/form-waiting',
};

// Buffers as the text that they hold, and without what JSON does not know.
function plain(value) {
  return value === undefined ? null : JSON.parse(JSON.stringify(value, (_, one) => (
    one && one.type === 'Buffer' && Array.isArray(one.data) ? Buffer.from(one.data).toString() : one)));
}

function nodeType(kind, version) {
  const { className, sourcePath } = known[kind];
  return NodeHelpers.getVersionedNodeType(new (load(`n8n-nodes-base/${sourcePath}`)[className])(), version);
}

function credentials(values) {
  return {
    getDecrypted: async (_data, _credentials, type) => values[type] ?? {},
    getParentTypes: () => [],
    isCredentialUsableByNode: () => true,
    authenticate: async (_values, _type, options) => options,
    preAuthentication: async () => undefined,
    runPreAuthentication: async () => undefined,
    getCredentialsProperties: () => [],
    resolveValue: (value) => value,
    updateCredentials: async () => undefined,
    updateCredentialsOauthTokenData: async () => undefined,
  };
}

// The case's node, with this name and type, in a workflow of its own. more: what else the node and the workflow have.
function workflowOf(given, name, type, more = {}) {
  const bare = {
    id: 'n', name, type: `n8n-nodes-base.${given.kind}`, typeVersion: given.version, position: [0, 0], ...more.node,
    parameters: given.parameters ?? {},
    credentials: Object.fromEntries(Object.keys(given.credentials ?? {}).map((one) => [one, { id: '1', name: one }])),
  };
  const parameters = NodeHelpers.getNodeParameters(type.description.properties, bare.parameters, true, false, bare, type.description);
  const node = { ...bare, parameters };
  const nodeTypes = { getByName: () => type, getByNameAndVersion: () => type, getKnownTypes: () => known };
  const workflow = new Workflow({
    id: 'w', name: 'W', nodes: [node], connections: {}, active: true, nodeTypes, settings: { timezone: 'UTC' }, ...more.workflow,
  });
  return { node, workflow };
}

// What a node asks of its service.
function asked(request, url) {
  const query = Object.fromEntries(url.searchParams);
  for (const [name, value] of Object.entries(request.qs ?? {})) if (value !== undefined) query[name] = value;
  const method = String(request.method ?? 'GET').toUpperCase();
  const path = url.pathname.replace(/\/{2,}/g, '/'); // some nodes write two
  const headers = Object.fromEntries(Object.entries(request.headers ?? {}).map(([name, text]) => [name.toLowerCase(), String(text)]));
  return { method, path, headers, query: plain(query), body: plain(request.body ?? null) };
}

// Standard output gets what `done` makes of each of the cases on standard input.
async function answerAll(done) {
  let text = '';
  for await (const piece of process.stdin) text += piece;
  const found = [];
  for (const one of JSON.parse(text)) found.push(await done(one));
  process.stdout.write(`${JSON.stringify(found)}\n`, () => process.exit(0)); // all of it: a pipe takes it in pieces
}

module.exports = { ADDRESSES, answerAll, asked, credentials, load, nodeType, plain, workflowOf };
