// Loaded before n8n's engine: gives nodes the credentials of the comparison, which have no store there.
const { join } = require('path');
const modules = join(process.cwd(), 'node_modules');
const core = join(modules, 'n8n-core/dist/execution-engine');
const context = require(join(core, 'node-execution-context/execute-context.js'));
const { WorkflowExecute } = require(join(core, 'workflow-execute.js'));
const known = require(join(modules, 'n8n-nodes-base/dist/known/credentials.json'));
const values = JSON.parse(process.env.COMPARED_CREDENTIALS);

// Nodes of AWS ask Amazon's own addresses, whatever the credential says: those lead to its server here, and the requests
// stay as they were signed, with the name of Amazon's host. What Amazon has otherwise than moto is made like Amazon's:
// moto takes one media type alone for DynamoDB, and writes the encoding of its XML in small letters.
const [http, https] = [require('http'), require('https')];
const aws = Object.values(values).find((one) => one.snsEndpoint)?.snsEndpoint;
const secure = https.request;

function likeAmazon(answer) {
  const push = answer.push;
  answer.push = function (chunk, ...rest) {
    const begin = chunk?.subarray?.(0, 40).toString('latin1') ?? '';
    const place = begin.startsWith('<?xml') ? begin.indexOf('utf-8') : -1;
    if (place > 0) chunk.write('UTF-8', place, 'latin1');
    return push.call(this, chunk, ...rest);
  };
}

https.request = function (options, ...rest) {
  const host = String(options?.hostname ?? options?.host ?? '');
  if (!aws || !host.endsWith('.amazonaws.com')) return secure.call(this, options, ...rest);
  const { hostname, port } = new URL(aws);
  const headers = { ...options.headers, Host: host };
  const type = Object.keys(headers).find((name) => name.toLowerCase() === 'content-type');
  if (host.startsWith('dynamodb.') && type) headers[type] = 'application/x-amz-json-1.0';
  const plain = { protocol: 'http:', host: hostname, hostname, port, agent: undefined, agents: undefined, headers };
  return http.request({ ...options, ...plain }, ...rest).prependListener('response', likeAmazon);
};

const prototype = context.ExecuteContext.prototype;
const stored = prototype.getCredentials;
prototype.getCredentials = async function (type, itemIndex) {
  const given = this.getNode().credentials?.[type];
  return given ? { ...values[given.name] } : await stored.call(this, type, itemIndex);
};

function kind(type) {
  const place = known[type];
  return new (require(join(modules, 'n8n-nodes-base', place.sourcePath))[place.className])();
}

// What an expression of a credential's description comes to; they have nothing but `{{$credentials.name}}`.
function filled(text, credentials) {
  return String(text).replace(/^=/, '').replace(/\{\{\s*\$credentials\.(\w+)\s*\}\}/g, (_, name) => credentials[name] ?? '');
}

async function authenticate(credentials, type, options) {
  const { authenticate: how } = kind(type);
  if (typeof how === 'function') return await how(credentials, options);
  const { auth, headers = {}, qs = {} } = how?.properties ?? {};
  for (const [name, text] of Object.entries(headers)) (options.headers ??= {})[name] = filled(text, credentials);
  for (const [name, text] of Object.entries(qs)) (options.qs ??= {})[name] = filled(text, credentials);
  if (auth) options.auth = { username: filled(auth.username, credentials), password: filled(auth.password, credentials) };
  return options;
}

const run = WorkflowExecute.prototype.processRunExecutionData;
WorkflowExecute.prototype.processRunExecutionData = function (workflow) {
  const more = { authenticate, getParentTypes: () => [], preAuthentication: async () => undefined };
  Object.assign(this.additionalData.credentialsHelper, more);
  return run.call(this, workflow);
};
