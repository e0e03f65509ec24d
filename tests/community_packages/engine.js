// n8n's own engine with community packages: reads cases from standard input as JSON, prints what each gave. Every request
// is answered by the case's replies and noted.
process.env.TZ = 'UTC';
const { join } = require('path');
const Module = require('module');
const place = process.argv[2];
const theirs = Module.createRequire(join(place, 'package.json'));
theirs('reflect-metadata');

let replies = [];
let seen = [];
function next(method, url, headers, body) {
  seen.push({ method, url, headers, body });
  const own = replies.filter((reply) => reply.method === method);
  const fitting = own.length ? own : replies.filter((reply) => reply.method === '');
  const count = seen.filter((one) => one.method === method || !own.length).length;
  return fitting[Math.min(count, fitting.length) - 1];
}

function bytesOf(reply) {
  return Buffer.from(reply.base64, 'base64');
}

function adapted(axios) {
  axios.defaults.adapter = async (config) => {
    const { AxiosError, AxiosHeaders } = axios;
    const base = config.baseURL && !/^https?:/.test(config.url ?? '') ? `${config.baseURL.replace(/\/+$/, '')}/${(config.url ?? '').replace(/^\/+/, '')}` : config.url;
    const url = axios.getUri({ ...config, baseURL: undefined, url: base });
    let body = config.data;
    const isWebForm = body instanceof FormData;
    if (isWebForm || (body && typeof body.getBuffer === 'function')) body = '(form)';
    if (isWebForm) config.headers['content-type'] = 'multipart/form-data'; // as the adapter that this one replaces does
    if (Buffer.isBuffer(body)) body = body.toString('latin1');
    const reply = next(config.method.toUpperCase(), url, JSON.parse(JSON.stringify(config.headers)), body === undefined || body === null ? null : String(body));
    const bytes = bytesOf(reply);
    const data = config.responseType === 'arraybuffer' ? bytes : config.responseType === 'stream' ? require('stream').Readable.from([bytes]) : bytes.toString();
    const response = { data, status: reply.status, statusText: 'OK', headers: new AxiosHeaders({ 'content-type': reply.type }), config, request: {} };
    if (!config.validateStatus || config.validateStatus(reply.status)) return response;
    throw new AxiosError(`Request failed with status code ${reply.status}`, reply.status < 500 ? 'ERR_BAD_REQUEST' : 'ERR_BAD_RESPONSE', config, {}, response);
  };
}

globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const body = request.body ? await request.text() : null;
  const reply = next(request.method, request.url, Object.fromEntries(request.headers), body);
  return new Response(reply.status === 202 || reply.status === 204 ? null : bytesOf(reply), { status: reply.status, headers: { 'content-type': reply.type } });
};

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  const inside = parent?.filename?.includes('community-nodes');
  if (inside && /^(n8n-workflow|n8n-core)(\/|$)/.test(request)) return theirs.resolve(request);
  return resolve.call(this, request, parent, ...rest);
};
const load = Module._load;
Module._load = function (request, ...rest) {
  const found = load.call(this, request, ...rest);
  if (request === 'axios' && found.defaults) adapted(found);
  return found;
};

adapted(theirs('axios'));
const core = theirs('n8n-core');
const W = theirs('n8n-workflow');

function instance(root, file) {
  const exported = require(join(root, file));
  return new exported[file.split('/').at(-1).split('.')[0]]();
}

function resolved(text, $credentials) {
  if (typeof text !== 'string' || !text.startsWith('=')) return text;
  return text.slice(1).replace(/\{\{(.*?)\}\}/g, (_, source) => new Function('$credentials', `return ${source}`)($credentials));
}

async function one(given) {
  const type = instance(given.root, given.file);
  const credentialTypes = Object.fromEntries(Object.entries(given.credentialFiles).map(([kind, file]) => [kind, instance(given.root, file)]));
  const nodeType = W.NodeHelpers.getVersionedNodeType(type, given.version);
  const nodeTypes = { getByName: () => type, getByNameAndVersion: () => nodeType, getKnownTypes: () => ({}) };
  const node = { id: 'n', name: 'Node', type: given.kind, typeVersion: given.version, position: [0, 0], parameters: given.parameters, credentials: Object.fromEntries(Object.keys(given.credentials).map((kind) => [kind, { id: '1', name: kind }])), ...(given.goesOn ? { onError: 'continueRegularOutput' } : {}) };
  const workflow = new W.Workflow({ id: 'w1', name: 'Test', nodes: [node], connections: {}, nodeTypes, settings: {}, active: false });
  const credentialsHelper = {
    getParentTypes: () => [],
    preAuthentication: async () => undefined,
    async authenticate(values, kind, options) {
      const { authenticate } = credentialTypes[kind];
      if (typeof authenticate === 'function') return authenticate(values, options);
      for (const [part, rows] of Object.entries(authenticate?.properties ?? {})) {
        options[part] = { ...options[part], ...Object.fromEntries(Object.entries(rows).map(([name, text]) => [name, resolved(text, values)])) };
      }
      return options;
    },
  };
  const additionalData = { executionId: 'e1', credentialsHelper, hooks: undefined, currentNodeExecutionIndex: 0, variables: {}, instanceBaseUrl: 'http://localhost/', restApiUrl: 'http://localhost/rest', webhookBaseUrl: 'http://localhost/webhook', webhookWaitingBaseUrl: 'http://localhost/waiting', formWaitingBaseUrl: 'http://localhost/form', webhookTestBaseUrl: 'http://localhost/test' };
  const input = { main: [given.items] };
  const red = W.createRunExecutionData({});
  const context = new core.ExecuteContext(workflow, workflow.nodes.Node, additionalData, 'manual', red, 0, given.items, input, { node: workflow.nodes.Node, data: input, source: null }, []);
  core.ExecuteContext.prototype.getCredentials = async (kind) => structuredClone(given.credentials[kind]);
  core.ExecuteSingleContext.prototype.getCredentials = async (kind) => structuredClone(given.credentials[kind]);
  const made = nodeType.execute ? await nodeType.execute.call(context) : await new core.RoutingNode(context, nodeType).runNode();
  return (made ?? []).map((items) => items.map(({ json, binary, error }) => ({
    json, binary: binary && Object.fromEntries(Object.entries(binary).map(([name, { data, mimeType, fileName }]) => [name, { data, mimeType, fileName: fileName ?? null }])),
    error: error ? error.message : null,
  })));
}

async function main() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const cases = JSON.parse(Buffer.concat(chunks));
  const found = [];
  for (const given of cases) {
    replies = given.replies;
    seen = [];
    let answer;
    try {
      answer = { outputs: await one(given) };
    } catch (error) {
      answer = { error: error.message, description: error.description ?? null };
      if (process.env.SHOWN) console.error(given.kind, error);
    }
    found.push({ ...answer, requests: seen });
  }
  process.stdout.write(JSON.stringify(found));
  process.exit(0);
}
process.on('unhandledRejection', () => {});
main();
