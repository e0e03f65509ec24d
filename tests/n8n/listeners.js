// n8n's own trigger nodes while they listen, one per line of standard input: {id, kind, version, parameters, credentials,
// static}. Each line of standard output is {id, ready}, {id, items} or {id, error}; all close when the input ends.
const { createInterface } = require('node:readline');
const { ADDRESSES, credentials, load, plain } = require('./contexts.js');
const { NAME, triggerOf } = require('./triggers.js');
const { TriggerContext } = load('n8n-core');
const open = [];
const tell = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

async function listen(given) {
  const { type, node, workflow } = triggerOf(given);
  const data = {
    ...ADDRESSES, credentialsHelper: credentials(given.credentials ?? {}), executionId: '1', userId: 'u',
    setExecutionStatus: () => undefined,
  };
  const emit = (outputs, _response, done) => {
    tell({ id: given.id, items: plain(outputs[0]), static: plain(workflow.staticData[`node:${NAME}`] ?? {}) });
    done?.resolve({ status: 'success', finished: true, data: { resultData: { runData: {} } }, mode: 'trigger' });
  };
  const emitError = (error) => tell({ id: given.id, error: String(error.message) });
  try {
    const context = new TriggerContext(workflow, node, data, 'trigger', 'activate', emit, emitError);
    const found = await type.trigger.call(context);
    if (found?.closeFunction) open.push(found.closeFunction);
    tell({ id: given.id, ready: true });
  } catch (error) {
    tell({ id: given.id, error: String(error.message) });
  }
}

process.on('unhandledRejection', (error) => tell({ error: String(error?.message ?? error) }));
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => void listen(JSON.parse(line)));
lines.on('close', async () => {
  await Promise.race([
    Promise.allSettled(open.map((close) => close())),
    new Promise((resolve) => setTimeout(resolve, 5000)),
  ]);
  process.exit(0);
});
