'use strict';
// `this` of a running node, as n8n's documentation of the node interface describes it.
const helpers = require('./helpers');
const { Parameters } = require('./parameters');
const { valuesOf } = require('./credentials');

const ABSENT = ['executeWorkflow', 'putExecutionToWait', 'sendResponse', 'startJob', 'getParentCallbackManager',
  'getNodeWebhookUrl', 'getWebhookName', 'getBodyData', 'getHeaderData', 'getQueryData', 'getRequestObject', 'getResponseObject'];

// What one request of the daemon is about, for all that serves it.
class Host {
  constructor(bridge, requests, given, types) {
    this.bridge = bridge;
    this.requests = requests;
    this.given = given;
    this.types = types;
    this.inputs = given.items ?? [];
    this.item = 0;
  }

  get node() { return this.given.node; }
  get input() { return this.inputs[0] ?? []; }
  credentialType(kind) { return this.types.get(kind); }
  // Whether the daemon knows how this kind gets onto requests.
  daemonSigns(kind) { return (this.given.signed ?? []).includes(kind); }
}

const logger = Object.fromEntries(['error', 'warn', 'info', 'debug', 'verbose'].map((name) => [name, () => {}]));

// What every context has.
function base(host, description) {
  const { given, node } = host;
  const { execution = {}, workflow = {} } = given;
  const context = {
    logger,
    getNode: () => structuredClone(node),
    getMode: () => execution.mode ?? 'internal',
    getActivationMode: () => 'manual',
    getExecutionId: () => execution.id,
    getTimezone: () => execution.timezone ?? 'UTC',
    getRestApiUrl: () => '',
    getInstanceBaseUrl: () => execution.publicUrl ?? '',
    getInstanceId: () => '',
    getWorkflow: () => ({ ...workflow }),
    getChildNodes: () => [],
    getParentNodes: () => [],
    getKnownNodeTypes: () => ({}),
    getWorkflowSettings: () => ({}),
    getWorkflowStaticData: (scope) => {
      if (scope !== 'global' && scope !== 'node') throw new Error(`There is no static data of the scope ${scope}.`);
      return given.static?.[scope] ?? {};
    },
    getCredentials: (kind) => valuesOf(host, kind),
    getCredentialsProperties: (kind) => host.credentialType(kind)?.properties ?? [],
    getContext: () => (host.memory ??= {}),
    isToolExecution: () => false,
    isStreaming: () => false,
    nodeHelpers: {},
    description,
  };
  for (const name of ABSENT) {
    context[name] = () => {
      throw new Error(`The package uses ${name}, which community nodes do not have here.`);
    };
  }
  context.helpers = helpers.made(host.bridge, host.requests, context, host);
  return context;
}

// Of `execute`, which sees all items.
function executing(host, description) {
  const parameters = new Parameters(description, host.node, host.node.parameters, host.given.parameters);
  const context = base(host, description);
  const abort = new AbortController();
  return Object.assign(context, {
    parameters,
    getInputData: (index = 0) => host.inputs[index] ?? [],
    getNodeParameter: (name, item, fallback, options) => parameters.get(name, item, fallback, options),
    continueOnFail: () => host.given.continueOnFail,
    evaluateExpression: (text, item) => host.bridge.ask('evaluate', { text, item }),
    getWorkflowDataProxy: (item) => dataProxy(host, parameters, item),
    getExecuteData: () => ({ data: { main: host.inputs }, node: host.node, source: null }),
    getInputSourceData: () => ({ previousNode: '' }),
    getExecutionCancelSignal: () => abort.signal,
    onExecutionCancellation: () => {},
    getInputConnectionData: async (kind) => {
      if (host.given.attached?.includes(kind)) throw new Error('Community nodes cannot use what is attached to them here.');
      const input = (Array.isArray(description.inputs) ? description.inputs : []).find((one) => one?.type === kind);
      return input?.maxConnections === 1 ? undefined : [];
    },
    getExecutionDataById: async () => undefined,
    prepareOutputData: async (items) => [items],
    sendMessageToUI: () => {},
    addInputData: () => ({ index: 0 }),
    addOutputData: () => {},
    addExecutionHints: () => {},
    setMetadata: () => {},
    customData: { set() {}, setAll() {}, get() {}, getAll: () => ({}) },
    sendChunk: () => {},
  });
}

// Of hooks that see one item.
function single(host, description, parameters, item) {
  const all = executing(host, description);
  const own = Object.create(host, { item: { value: item } });
  return Object.assign(all, {
    getInputData: () => host.input[item] ?? { json: {} },
    getItemIndex: () => item,
    getNodeParameter: (name, fallback, options) => parameters.get(name, item, fallback, options),
    evaluateExpression: (text, at = item) => host.bridge.ask('evaluate', { text, item: at }),
    getWorkflowDataProxy: () => dataProxy(host, parameters, item),
    helpers: helpers.made(host.bridge, host.requests, all, own),
  });
}

// Of the methods that fill lists of the editor.
function listing(host, description) {
  const values = host.given.values ?? {};
  const parameters = new Parameters(description, host.node, values, [values]);
  const context = base(host, description);
  return Object.assign(context, {
    parameters,
    getNodeParameter: (name, fallback, options) => parameters.get(name, 0, fallback, options),
    getCurrentNodeParameter: (name, options) => parameters.get(name.replace(/^&/, ''), 0, null, options) ?? undefined,
    getCurrentNodeParameters: () => values,
  });
}

function dataProxy(host, parameters, item) {
  const present = host.input[item] ?? { json: {} };
  return {
    $json: present.json, $binary: present.binary ?? {}, $parameter: parameters.of(item), $itemIndex: item, $runIndex: 0,
    $input: { item: present, all: () => host.input, first: () => host.input[0], last: () => host.input.at(-1) },
    $node: {}, $vars: {}, $env: {}, $workflow: host.given.workflow ?? {}, $execution: host.given.execution ?? {},
    $getNodeParameter: (name) => parameters.get(name, item), $mode: host.given.execution?.mode, $position: item, $data: present.json,
  };
}

module.exports = { Host, executing, single, listing };
