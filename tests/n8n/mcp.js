// What n8n's own MCP Client gives for the cases on standard input: the items of each, or the error's message.
const { createRequire } = require('node:module');
const load = createRequire(`${process.argv[2]}/`);
const { McpClient } = load('./package/dist/nodes/mcp/McpClient/McpClient.node.js');
const { getTools } = load('./package/dist/nodes/mcp/McpClient/listSearch.js');
const { getToolParameters } = load('./package/dist/nodes/mcp/McpClient/resourceMapping.js');
const { buildMcpToolName } = load('./package/dist/nodes/mcp/McpClientTool/utils.js');
const plain = (value) => (value === undefined ? null : JSON.parse(JSON.stringify(value)));

function context(given) {
  const values = { authentication: 'none', options: {}, inputMode: 'json', ...given.parameters };
  const node = { name: 'MCP', type: 'mcpClient', typeVersion: given.version ?? 1.1, parameters: {} };
  return {
    getNode: () => node,
    getNodeParameter: (name) => (name === 'tool.value' ? values.tool : name === 'parameters.value' ? values.parameters : values[name]),
    getInputData: () => given.items ?? [{ json: {} }],
    getExecutionCancelSignal: () => undefined,
    continueOnFail: () => false,
    getCredentials: async () => { throw new Error('none'); },
    helpers: {
      prepareBinaryData: async (buffer, name, mimeType) => ({ data: buffer.toString('base64'), mimeType }),
      getSecureEgressFilter: () => ({ validateUrl: async () => ({ ok: true }), createSecureLookup: () => undefined }),
    },
  };
}

async function one(given) {
  try {
    if (given.list) return { list: plain(await getTools.call(context(given))) };
    if (given.columns) return { columns: plain(await getToolParameters.call(context(given))) };
    if (given.name) return { name: buildMcpToolName(...given.name) };
    return { items: plain((await new McpClient().execute.call(context(given)))[0]) };
  } catch (error) {
    return { error: error.message };
  }
}

let text = '';
process.stdin.on('data', (piece) => { text += piece; });
process.stdin.on('end', async () => {
  const made = [];
  for (const given of JSON.parse(text)) made.push(await one(given));
  process.stdout.write(JSON.stringify(made), () => process.exit(0));
});
