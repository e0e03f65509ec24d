// What n8n's own nodes of services do for the cases on standard input: the requests that they send, which are answered
// from the case, and the items that they give.
const { createRequire } = require('node:module');
const load = createRequire(`${process.cwd()}/`);
const { NodeHelpers, Workflow, createRunExecutionData } = load('n8n-workflow');
const { ExecuteContext, RoutingNode } = load('n8n-core');
const known = load('n8n-nodes-base/dist/known/nodes.json');
const NAME = 'Service';

// Buffers as the text that they hold, and without what JSON does not know.
function plain(value) {
  return value === undefined ? null : JSON.parse(JSON.stringify(value, (_, one) => (
    one && one.type === 'Buffer' && Array.isArray(one.data) ? Buffer.from(one.data).toString() : one)));
}

function nodeType(kind, version) {
  const { className, sourcePath } = known[kind];
  return NodeHelpers.getVersionedNodeType(new (load(`n8n-nodes-base/${sourcePath}`)[className])(), version);
}

// The case's replies: those of one method and path in turn, the last as often as it is asked for; else 404.
function service(replies, seen) {
  const left = replies.map((one) => ({ ...one }));
  return async (request) => {
    const given = String(request.url ?? request.uri);
    const url = new URL(/^https?:/.test(given) ? given : `${request.baseURL || 'https://none.example'}/${given.replace(/^\//, '')}`);
    const path = url.pathname.replace(/\/{2,}/g, '/'); // some nodes write two
    const query = Object.fromEntries(url.searchParams);
    for (const [name, value] of Object.entries(request.qs ?? {})) if (value !== undefined) query[name] = value;
    const method = String(request.method ?? 'GET').toUpperCase();
    seen.push({ method, path, query: plain(query), body: plain(request.body ?? null) });
    const fits = left.filter((one) => one.path === path && (!one.method || one.method === method));
    if (!fits.length) return { statusCode: 404, body: { message: 'not found' }, headers: {} };
    if (fits.length > 1) left.splice(left.indexOf(fits[0]), 1);
    const found = fits[0].body ?? {};
    const body = request.encoding === 'arraybuffer' || request.encoding === null
      ? Buffer.from(typeof found === 'string' ? found : JSON.stringify(found)) : plain(found);
    return { statusCode: fits[0].status ?? 200, body, headers: {} };
  };
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

async function done(given) {
  const type = nodeType(given.kind, given.version);
  const bare = {
    id: 'n', name: NAME, type: `n8n-nodes-base.${given.kind}`, typeVersion: given.version, position: [0, 0],
    parameters: given.parameters ?? {},
    credentials: Object.fromEntries(Object.keys(given.credentials ?? {}).map((name) => [name, { id: '1', name }])),
  };
  const parameters = NodeHelpers.getNodeParameters(type.description.properties, bare.parameters, true, false, bare, type.description);
  const node = { ...bare, parameters };
  const nodeTypes = { getByName: () => type, getByNameAndVersion: () => type, getKnownTypes: () => known };
  const workflow = new Workflow({ id: 'w', name: 'W', nodes: [node], connections: {}, active: true, nodeTypes, settings: { timezone: 'UTC' } });
  const seen = [];
  const items = (given.items ?? [{ json: {} }]).map((item, index) => ({ ...item, pairedItem: { item: index } }));
  const data = {
    credentialsHelper: credentials(given.credentials ?? {}), evalLlmMockHandler: service(given.replies ?? [], seen),
    executionId: '1', userId: 'u', restApiUrl: 'https://me.example/rest', instanceBaseUrl: 'https://me.example/', variables: {},
    webhookBaseUrl: 'https://me.example/webhook', webhookWaitingBaseUrl: 'https://me.example/webhook-waiting',
    webhookTestBaseUrl: 'https://me.example/webhook-test', formWaitingBaseUrl: 'https://me.example/form-waiting',
  };
  const result = { requests: seen };
  try {
    await workflow.expression.acquireIsolate?.();
    const run = createRunExecutionData ? createRunExecutionData({}) : { resultData: { runData: {} } };
    const context = new ExecuteContext(
      workflow, node, data, 'trigger', run, 0, items, { main: [items] }, { node, data: { main: [items] }, source: null }, []);
    const custom = type.customOperations?.[node.parameters.resource]?.[node.parameters.operation];
    const found = custom ? await custom.call(context) : type.execute && !type.description.requestDefaults
      ? await type.execute.call(context) : await new RoutingNode(context, type).runNode();
    result.items = plain(found[0]);
  } catch (error) {
    result.error = [error.message, error.description].filter(Boolean).join(' ');
  }
  return result;
}

async function main() {
  let text = '';
  for await (const piece of process.stdin) text += piece;
  const found = [];
  for (const one of JSON.parse(text)) found.push(await done(one));
  process.stdout.write(`${JSON.stringify(found)}\n`, () => process.exit(0)); // all of it: a pipe takes it in pieces
}

main();
