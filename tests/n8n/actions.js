// What n8n's own nodes of services do for the cases on standard input: the requests that they send, which are answered
// from the case, and the items that they give.
const { ADDRESSES, answerAll, asked, credentials, load, nodeType, plain, workflowOf } = require('./contexts.js');
const { createRunExecutionData } = load('n8n-workflow');
const { ExecuteContext, RoutingNode } = load('n8n-core');
const NAME = 'Service';

// The case's replies: those of one method and path in turn, the last as often as it is asked for; else 404.
function service(replies, seen) {
  const left = replies.map((one) => ({ ...one }));
  return async (request) => {
    const given = String(request.url ?? request.uri);
    const url = new URL(/^https?:/.test(given) ? given : `${request.baseURL || 'https://none.example'}/${given.replace(/^\//, '')}`);
    const told = asked(request, url);
    seen.push(told);
    const fits = left.filter((one) => one.path === told.path && (!one.method || one.method === told.method));
    if (!fits.length) return { statusCode: 404, body: { message: 'not found' }, headers: {} };
    if (fits.length > 1) left.splice(left.indexOf(fits[0]), 1);
    const found = fits[0].body ?? {};
    const body = fits[0].file || request.encoding === 'arraybuffer' || request.encoding === null
      ? Buffer.from(typeof found === 'string' ? found : JSON.stringify(found)) : plain(found);
    return { statusCode: fits[0].status ?? 200, body, headers: {} };
  };
}

async function done(given) {
  const type = nodeType(given.kind, given.version);
  const { node, workflow } = workflowOf(given, NAME, type);
  const seen = [];
  const items = (given.items ?? [{ json: {} }]).map((item, index) => ({ ...item, pairedItem: { item: index } }));
  const data = {
    ...ADDRESSES, credentialsHelper: credentials(given.credentials ?? {}), evalLlmMockHandler: service(given.replies ?? [], seen),
    executionId: '1', userId: 'u',
  };
  const result = { requests: seen };
  try {
    await workflow.expression.acquireIsolate?.();
    const run = createRunExecutionData ? createRunExecutionData({}) : { resultData: { runData: {} } };
    const context = new ExecuteContext(
      workflow, node, data, 'trigger', run, 0, items, { main: [items] }, { node, data: { main: [items] }, source: null }, []);
    const custom = type.customOperations?.[node.parameters.resource]?.[node.parameters.operation];
    const found = custom ? await custom.call(context) : type.execute
      ? await type.execute.call(context) : await new RoutingNode(context, type).runNode();
    result.items = plain(found[0]);
  } catch (error) {
    result.error = [error.message, error.description].filter(Boolean).join(' ');
  }
  return result;
}

answerAll(done);
