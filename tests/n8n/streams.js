// What n8n's Respond to Webhook sends while a caller reads chunks: one list of lines for each set of parameters on
// standard input.
const { createRequire } = require('node:module');
const load = createRequire(`${process.cwd()}/`);
const { Workflow, createRunExecutionData } = load('n8n-workflow');
const { ExecuteContext, ExecutionLifecycleHooks } = load('n8n-core');
const { RespondToWebhook } = load('n8n-nodes-base/dist/nodes/RespondToWebhook/RespondToWebhook.node.js');
const { Webhook } = load('n8n-nodes-base/dist/nodes/Webhook/Webhook.node.js');

const types = { 'n8n-nodes-base.webhook': new Webhook(), 'n8n-nodes-base.respondToWebhook': new RespondToWebhook() };
const nodeTypes = { getByNameAndVersion: (name) => types[name], getByName: (name) => types[name], getKnownTypes: () => ({}) };

async function sent(parameters, items) {
  const hook = {
    id: 'h', name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2.1, position: [0, 0],
    parameters: { path: 'p', httpMethod: 'POST', responseMode: 'streaming' },
  };
  const node = {
    id: 'r', name: 'Say', type: 'n8n-nodes-base.respondToWebhook', typeVersion: 1.5, position: [0, 0], parameters,
  };
  const connections = { Webhook: { main: [[{ node: 'Say', type: 'main', index: 0 }]] } };
  const workflow = new Workflow({ id: 'w', name: 'W', nodes: [hook, node], connections, active: false, nodeTypes });
  const lines = [];
  const hooks = new ExecutionLifecycleHooks('webhook', 'e', { id: 'w' });
  hooks.addHandler('sendChunk', (chunk) => lines.push(JSON.parse(JSON.stringify(chunk))));
  const data = createRunExecutionData ? createRunExecutionData({}) : { resultData: { runData: {} } };
  const source = { main: [{ previousNode: 'Webhook' }] };
  const given = { node, data: { main: [items] }, source };
  const address = 'http://127.0.0.1';
  const additional = {
    hooks, streamingEnabled: true, variables: {}, restApiUrl: address, instanceBaseUrl: address,
    webhookWaitingBaseUrl: address, formWaitingBaseUrl: address,
  };
  const context = new ExecuteContext(workflow, node, additional, 'webhook', data, 0, items, { main: [items] }, given, []);
  await types[node.type].execute.call(context);
  return lines;
}

async function main() {
  let text = '';
  for await (const piece of process.stdin) text += piece;
  const { cases, items } = JSON.parse(text);
  const found = [];
  for (const parameters of cases) found.push(await sent(parameters, items));
  console.log(JSON.stringify(found));
  process.exit(0);
}

main();
