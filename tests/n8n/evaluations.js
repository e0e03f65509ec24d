// What n8n's own nodes of evaluations do for the cases on standard input: the items of every output, the columns that
// they add to a data table, and the cells that they write. The table and the trigger's run are the case's.
const { ADDRESSES, answerAll, credentials, load, nodeType, plain, workflowOf } = require('./contexts.js');
const { createRunExecutionData } = load('n8n-workflow');
const { ExecuteContext } = load('n8n-core');

function fits(row, { columnName, condition, value }) {
  if (condition === 'eq') return row[columnName] === value;
  if (condition === 'gt') return row[columnName] > value;
  throw new Error(`no condition ${condition} here`);
}

function tableOf(given, told) {
  const columns = (given.columns ?? []).map((name) => ({ name }));
  return {
    getColumns: async () => columns,
    addColumn: async (column) => { told.columns.push([column.name, column.type]); columns.push(column); },
    updateRows: async ({ filter, data }) => { told.written.push([filter.filters[0].value, plain(data)]); },
    getManyRowsAndCount: async ({ take, filter }) => {
      const rows = (given.rows ?? []).filter((row) => (filter?.filters ?? []).every((one) => fits(row, one)));
      return { data: rows.slice(0, take), count: rows.length };
    },
  };
}

async function done(given) {
  const type = nodeType(given.kind, given.version);
  const { node, workflow } = workflowOf(given, 'Evaluation', type);
  const items = (given.items ?? [{ json: {} }]).map((item, index) => ({ ...item, pairedItem: { item: index } }));
  const data = { ...ADDRESSES, credentialsHelper: credentials({}), executionId: '1', userId: 'u' };
  const told = { columns: [], written: [] };
  try {
    const run = createRunExecutionData ? createRunExecutionData({}) : { resultData: { runData: {} } };
    const context = new ExecuteContext(
      workflow, node, data, 'manual', run, 0, items, { main: [items] }, { node, data: { main: [items] }, source: null }, []);
    context.getParentNodes = () => (given.above ? [{ name: 'Trigger', type: 'n8n-nodes-base.evaluationTrigger' }] : []);
    context.evaluateExpression = (text) => (text.includes('isExecuted') ? Boolean(given.row) : given.row);
    context.helpers.getDataTableProxy = async () => tableOf(given, told);
    context.addExecutionHints = () => {};
    told.outputs = plain(await type.execute.call(context)).map((output) => output.map((item) => item.json));
  } catch (error) {
    told.error = error.message;
  }
  return told;
}

answerAll(done);
