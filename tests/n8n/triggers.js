// What n8n's own trigger nodes do for the cases on standard input: the requests that they send to their service, which
// is answered from the case, the static data that they keep, and the items that they give.
const { ADDRESSES, answerAll, asked, credentials, load, nodeType, plain, workflowOf } = require('./contexts.js');
const { DirectoryLoader, HookContext, PollContext, TriggerContext, WebhookContext } = load('n8n-core');
const MOMENT = Number(process.env.MOMENT ?? 0) * 1000;
if (MOMENT) Date.now = () => MOMENT; // events were signed at it
const NAME = 'Trigger'; // some nodes ask their own name whether they are one

function triggerType(kind, version) {
  const type = nodeType(kind, version);
  DirectoryLoader.prototype.applySpecialNodeParameters(type); // the poll times
  return type;
}

// The case's replies, each as often as it is asked for; a request that none fits gets 404.
function service(replies, seen) {
  return async (request) => {
    const url = new URL(String(request.url ?? request.uri), String(request.baseURL ?? 'https://none.example'));
    const told = asked(request, url);
    seen.push({ ...told, host: url.host });
    const found = replies.find((one) => one.path === told.path && (!one.method || one.method === told.method));
    return found ? { statusCode: found.status ?? 200, body: plain(found.body ?? {}), headers: {} }
      : { statusCode: 404, body: { message: 'not found' }, headers: {} };
  };
}

function answering(answer) {
  const response = {
    status(code) { answer.status = code; return response; },
    set() { return response; }, setHeader() { return response; }, header() { return response; },
    send(body) { answer.body = plain(body); return response; },
    json(body) { answer.body = plain(body); return response; },
    end(body) { if (body !== undefined) answer.body = plain(body); return response; },
  };
  return response;
}

function request(call, node) {
  const raw = Buffer.from(call.raw ?? JSON.stringify(call.body ?? {}));
  const headers = { 'content-type': 'application/json', ...call.headers };
  return {
    method: call.method ?? 'POST', headers, query: call.query ?? {}, params: {}, body: call.body ?? {}, rawBody: raw,
    header: (name) => headers[name.toLowerCase()], get: (name) => headers[name.toLowerCase()],
    on: (event, heard) => setImmediate(() => (event === 'data' ? heard(raw) : event === 'end' ? heard() : undefined)),
    readRawBody: async () => undefined, contentType: 'application/json', path: `/webhook/${node.webhookId}/webhook`,
    protocol: 'https', hostname: 'me.example', originalUrl: `/webhook/${node.webhookId}/webhook`,
  };
}

// Some nodes never answer a call that they pass over.
const unheard = () => new Promise((resolve) => { setTimeout(() => resolve({}), 2000); });

// The case's node in a workflow of its own.
function triggerOf(given) {
  const type = triggerType(given.kind, given.version);
  const more = { node: { webhookId: 'x' }, workflow: { staticData: { [`node:${NAME}`]: given.static ?? {} } } };
  return { type, ...workflowOf(given, NAME, type, more) };
}

async function done(given) {
  const { type, node, workflow } = triggerOf(given);
  const seen = [], answer = {}, emitted = [];
  const data = {
    ...ADDRESSES, credentialsHelper: credentials(given.credentials ?? {}), evalLlmMockHandler: service(given.replies ?? [], seen),
    executionId: '1', userId: 'u',
  };
  const result = { requests: seen, answer };
  try {
    if (given.action === 'webhook') {
      const description = type.description.webhooks.find((one) => one.name === (given.webhook ?? 'default'));
      Object.assign(data, { httpRequest: request(given.call, node), httpResponse: answering(answer) });
      const context = new WebhookContext(workflow, node, data, 'trigger', { webhookDescription: description, node: NAME }, []);
      const found = await Promise.race([type.webhook.call(context), unheard()]);
      result.items = found.workflowData ? found.workflowData.map((items) => plain(items))[0] : null;
      if (found.webhookResponse !== undefined && answer.body === undefined) answer.body = plain(found.webhookResponse);
    } else if (given.action === 'poll') {
      const emit = (items) => emitted.push(...items);
      const context = new PollContext(workflow, node, data, given.manual ? 'manual' : 'trigger', 'init', emit);
      const found = await type.poll.call(context);
      result.items = found ? plain(found[0]) : emitted.length ? plain(emitted) : null;
    } else if (given.action === 'trigger') {
      const emit = (items) => emitted.push(...items[0]);
      const mode = given.activation ? 'trigger' : 'manual';
      const context = new TriggerContext(workflow, node, data, mode, given.activation ?? 'manual', emit);
      const { manualTriggerFunction } = await type.trigger.call(context);
      if (mode === 'manual') await manualTriggerFunction();
      result.items = plain(emitted);
    } else {
      const description = type.description.webhooks.find((one) => one.name === (given.webhook ?? 'default'));
      const context = new HookContext(workflow, node, data, 'trigger', 'activate', { webhookDescription: description, isTest: false });
      result.done = await type.webhookMethods[given.webhook ?? 'default'][given.action].call(context);
    }
  } catch (error) {
    result.error = String(error.message);
  }
  return { ...result, static: plain(workflow.staticData[`node:${NAME}`] ?? {}) };
}

if (require.main === module) answerAll(done);
module.exports = { NAME, triggerOf };
