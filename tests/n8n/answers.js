// What n8n's node makes of answers to its questions: for each case on standard input (a method, headers, a query and
// the fields of a form) the items with which the execution goes on, or none.
const { createRequire } = require('node:module');
const load = createRequire(`${process.cwd()}/`);
const { Workflow, NodeHelpers, createRunExecutionData } = load('n8n-workflow');
const { WebhookContext } = load('n8n-core');
const { Slack } = load('n8n-nodes-base/dist/nodes/Slack/Slack.node.js');

function answered(given) {
  const type = NodeHelpers.getVersionedNodeType(new Slack(), 2.3);
  const bare = {
    id: 'n', name: 'Ask', type: 'n8n-nodes-base.slack', typeVersion: 2.3, position: [0, 0],
    parameters: { operation: 'sendAndWait', select: 'channel', channelId: { __rl: true, mode: 'id', value: 'C' }, message: 'Ship it?', ...given.parameters },
  };
  const parameters = NodeHelpers.getNodeParameters(type.description.properties, bare.parameters, true, false, bare, type.description);
  const node = { ...bare, parameters };
  const nodeTypes = { getByName: () => type, getByNameAndVersion: () => type, getKnownTypes: () => ({}) };
  const workflow = new Workflow({ id: 'w', name: 'W', nodes: [node], connections: {}, active: true, nodeTypes, settings: { timezone: 'UTC' } });
  const shown = {};
  const httpResponse = {
    send: () => {}, setHeader: () => {}, status: () => httpResponse,
    render: (_name, data) => { shown.title = data.formTitle; shown.description = data.formDescription; shown.button = data.buttonLabel; shown.fields = data.formFields.map((one) => one.label); },
  };
  const httpRequest = {
    method: given.method, headers: { 'user-agent': given.agent ?? 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' },
    query: given.query ?? {}, body: { data: given.fields ?? {}, files: {} }, contentType: 'multipart/form-data', params: {},
  };
  const data = {
    executionId: '1', restApiUrl: '', instanceBaseUrl: '', variables: {}, webhookBaseUrl: '', webhookWaitingBaseUrl: 'https://me.example/webhook-waiting',
    webhookTestBaseUrl: '', formWaitingBaseUrl: 'https://me.example/form-waiting', httpRequest, httpResponse,
  };
  const webhook = { webhookDescription: { name: 'default', httpMethod: given.method, path: '' }, node: 'Ask', workflowId: 'w' };
  const context = new WebhookContext(workflow, node, data, 'webhook', webhook, [], createRunExecutionData({}));
  return type.webhook.call(context).then((found) => ({ items: found.workflowData?.[0]?.map((one) => one.json) ?? null, shown }));
}

async function main() {
  let text = '';
  for await (const piece of process.stdin) text += piece;
  const found = [];
  for (const one of JSON.parse(text)) found.push(await answered(one));
  process.stdout.write(`${JSON.stringify(found)}\n`, () => process.exit(0));
}

main();
