// What n8n's Snowflake node does for the cases on standard input: the statements with their values, the items, and the
// token of its driver. The connection is the case's; its rows are read by the driver's own columns.
const { createRequire } = require('node:module');
const load = createRequire(`${process.cwd()}/`);
const nodes = createRequire(load.resolve('n8n-nodes-base/package.json'));
const { NodeHelpers, Workflow, createRunExecutionData } = load('n8n-workflow');
const { ExecuteContext } = load('n8n-core');
const sdk = nodes('snowflake-sdk');
const inner = (place) => nodes(nodes.resolve('snowflake-sdk/package.json').replace('package.json', place));
const Column = inner('lib/connection/result/column.js');
const DataTypes = inner('lib/connection/result/data_types.js');
const Keypair = inner('lib/authentication/auth_keypair.js');
const { Snowflake } = load('n8n-nodes-base/dist/nodes/Snowflake/Snowflake.node.js');
// Of an account in UTC, with Snowflake's defaults.
const SESSION = {
  TIMEZONE: 'UTC', DATE_OUTPUT_FORMAT: 'YYYY-MM-DD', TIME_OUTPUT_FORMAT: 'HH24:MI:SS', BINARY_OUTPUT_FORMAT: 'HEX',
  TIMESTAMP_OUTPUT_FORMAT: 'YYYY-MM-DD HH24:MI:SS.FF3 TZHTZM', TIMESTAMP_NTZ_OUTPUT_FORMAT: 'YYYY-MM-DD HH24:MI:SS.FF3',
  TIMESTAMP_LTZ_OUTPUT_FORMAT: '', TIMESTAMP_TZ_OUTPUT_FORMAT: '',
};

function rowsOf(given, options) {
  const columns = given.columns.map(([name, type], index) => (
    new Column({ name, type, scale: 9, nullable: true }, index, SESSION, '1')));
  const texts = options.fetchAsString ?? [];
  return given.rows.map((values) => {
    const row = { values: [...values], _arrayProcessedColumns: [] };
    return Object.fromEntries(columns.map((column) => {
      const asText = texts.map((one) => one.toUpperCase()).includes(DataTypes.toNativeType(column.getType()));
      const value = asText && values[column.getIndex()] !== null ? column.getRowValueAsString(row) : column.getRowValue(row);
      return [column.getName(), value];
    }));
  });
}

function context(given, items) {
  const type = NodeHelpers.getVersionedNodeType(new Snowflake(), given.version);
  const bare = {
    id: 'n', name: 'N', type: 'n8n-nodes-base.snowflake', typeVersion: given.version, position: [0, 0],
    parameters: given.parameters, credentials: { snowflake: { id: '1', name: 'S' } },
  };
  const parameters = NodeHelpers.getNodeParameters(type.description.properties, bare.parameters, true, false, bare, type.description);
  const node = { ...bare, parameters };
  const nodeTypes = { getByName: () => type, getByNameAndVersion: () => type, getKnownTypes: () => ({}) };
  const workflow = new Workflow({ id: 'w', name: 'W', nodes: [node], connections: {}, active: true, nodeTypes });
  const data = {
    credentialsHelper: {
      getDecrypted: async () => given.credential, getParentTypes: () => [], isCredentialUsableByNode: () => true,
      getCredentialsProperties: () => [],
    },
    executionId: '1', userId: 'u', variables: {}, restApiUrl: 'https://me.example/rest',
    instanceBaseUrl: 'https://me.example/', webhookBaseUrl: 'https://me.example/webhook',
    webhookWaitingBaseUrl: 'https://me.example/webhook-waiting', webhookTestBaseUrl: 'https://me.example/webhook-test',
    formWaitingBaseUrl: 'https://me.example/form-waiting',
  };
  const run = createRunExecutionData({});
  const made = new ExecuteContext(
    workflow, node, data, 'trigger', run, 0, items, { main: [items] }, { node, data: { main: [items] }, source: null }, []);
  made.helpers.prepareBinaryData = async (content, fileName) => ({ fileName, data: content.toString('base64') });
  return [type, made, workflow];
}

async function done(given) {
  const asked = [];
  let token = '';
  sdk.createConnection = (options) => ({
    connect: (told) => {
      const keypair = new Keypair({
        getPrivateKey: () => options.privateKey, getPrivateKeyPath: () => '', getPrivateKeyPass: () => '',
      });
      keypair.authenticate('SNOWFLAKE_JWT', '', options.account, options.username).then(() => {
        const body = { data: {} };
        keypair.updateBody(body);
        token = body.data.TOKEN;
        told(null);
      }, told);
    },
    destroy: (told) => told(null),
    execute: ({ sqlText, binds, complete }) => {
      if (sqlText.startsWith('ALTER SESSION')) return complete(null, null, []);
      asked.push({ statement: sqlText, values: JSON.parse(JSON.stringify(binds)) });
      return complete(null, null, rowsOf(given.result, options));
    },
  });
  const items = given.items.map((json, index) => ({ json, pairedItem: { item: index } }));
  const [type, made, workflow] = context(given, items);
  try {
    await workflow.expression.acquireIsolate?.();
    const [found] = await type.execute.call(made);
    return { asked, token, items: JSON.parse(JSON.stringify(found)) };
  } catch (error) {
    return { asked, token, error: error.message };
  }
}

async function main() {
  let text = '';
  for await (const piece of process.stdin) text += piece;
  const found = [];
  for (const one of JSON.parse(text)) found.push(await done(one));
  process.stdout.write(`\n${JSON.stringify(found)}\n`, () => process.exit(0));
}

main();
