'use strict';
// One package in a process of its own. Arguments: the longest message in bytes, the package's directory, and the bytes
// that the process may hold.
const path = require('node:path');
const loading = require('./loading');
const { Bridge } = require('./bridge');
const { Requests } = require('./requests');
const network = require('./network');
const { Host, executing, listing } = require('./contexts');
const { Routing } = require('./routing');
const { described } = require('./describing');
const { tested } = require('./credentials');

const root = path.resolve(process.argv[3]);
const instances = new Map();
loading.install();
for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace']) console[name] = () => {};
process.on('unhandledRejection', () => {});

const bridge = new Bridge((request, turn) => SERVED[request.kind](request, turn));
network.install(new Requests(bridge));
loading.withoutSignals();

function instance(file) {
  if (!instances.has(file)) instances.set(file, loading.instance(root, file));
  return instances.get(file);
}

function credentialTypes(files) {
  const lazy = new Map(Object.entries(files ?? {}));
  return { get: (kind) => (lazy.has(kind) ? instance(lazy.get(kind)) : undefined) };
}

async function execute(given, turn) {
  const type = loading.versionOf(instance(given.file), given.node.typeVersion);
  const host = new Host(turn, new Requests(turn), given, credentialTypes(given.credentialFiles));
  const context = executing(host, type.description);
  const outputs = typeof type.execute === 'function' ? await type.execute.call(context) : await new Routing(host, type, context.parameters).run();
  return { outputs: shownOutputs(outputs), static: given.static };
}

// Items as JSON has them; an error that an item carries becomes its message.
function shownOutputs(outputs) {
  if (outputs === null || outputs === undefined) return null;
  if (!Array.isArray(outputs)) throw new Error('The node gave no list of outputs.');
  return outputs.map((items) => (items ?? []).map((item) => {
    const { json, binary, pairedItem, error } = item ?? {};
    const made = { json: json === undefined ? {} : json };
    if (binary) made.binary = binary;
    if (pairedItem !== undefined) made.pairedItem = pairedItem;
    if (error) made.error = { message: String(error.message ?? error), name: error.name ?? 'Error', description: typeof error.description === 'string' ? error.description : undefined };
    return made;
  }));
}

async function list(given, turn) {
  const type = loading.versionOf(instance(given.file), given.node.typeVersion);
  const host = new Host(turn, new Requests(turn), given, credentialTypes(given.credentialFiles));
  const context = listing(host, type.description);
  const { loadOptions = {}, listSearch = {} } = type.methods ?? {};
  if (given.search) {
    const found = await listSearch[given.name].call(context, given.filter || undefined, given.token || undefined);
    return { rows: found.results ?? [], token: found.paginationToken ?? null };
  }
  return { rows: await loadOptions[given.name].call(context), token: null };
}

async function test(given, turn) {
  await tested(instance(given.file), given.values, new Requests(turn));
  return {};
}

const SERVED = { execute, list, test, describe: async (given) => described(root, given) };
bridge.send({ ready: true });
