// What n8n's Schedule Trigger registers for each of the rules on standard input: its cron expressions, or its error.
const { createRequire } = require('node:module');
const load = createRequire(`${process.cwd()}/`);
const { Workflow } = load('n8n-workflow');
const { TriggerContext } = load('n8n-core');
const { ScheduleTrigger } = load('n8n-nodes-base/dist/nodes/Schedule/ScheduleTrigger.node.js');

const type = new ScheduleTrigger();
const nodeTypes = { getByNameAndVersion: () => type, getByName: () => type, getKnownTypes: () => ({}) };
const addresses = { restApiUrl: '', instanceBaseUrl: '', webhookWaitingBaseUrl: '', formWaitingBaseUrl: '' };

async function registered(rule, timezone) {
  const node = {
    id: '1', name: 'Tick', type: 'n8n-nodes-base.scheduleTrigger', typeVersion: 1.2, position: [0, 0],
    parameters: { rule: { interval: [rule] } },
  };
  const workflow = new Workflow({
    id: 'w', name: 'W', nodes: [node], connections: {}, active: false, nodeTypes, settings: { timezone },
  });
  const crons = [];
  try {
    const context = new TriggerContext(workflow, node, { variables: {}, ...addresses }, 'trigger', 'activate');
    context.helpers = { registerCron: (cron) => crons.push(cron.expression) };
    await type.trigger.call(context);
    return { crons };
  } catch (error) {
    return { error: String(error.message) };
  }
}

async function main() {
  let text = '';
  for await (const piece of process.stdin) text += piece;
  const { rules, timezone } = JSON.parse(text);
  const found = [];
  for (const rule of rules) found.push(await registered(rule, timezone));
  console.log(JSON.stringify(found));
  process.exit(0);
}

main();
