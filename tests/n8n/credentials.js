// Loaded before n8n's engine: gives nodes the credentials of the comparison, which have no store there.
const { join } = require('path');
const modules = join(process.cwd(), 'node_modules');
const core = join(modules, 'n8n-core/dist/execution-engine');
const context = require(join(core, 'node-execution-context/execute-context.js'));
const { WorkflowExecute } = require(join(core, 'workflow-execute.js'));
const known = require(join(modules, 'n8n-nodes-base/dist/known/credentials.json'));
const values = JSON.parse(process.env.COMPARED_CREDENTIALS);
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
