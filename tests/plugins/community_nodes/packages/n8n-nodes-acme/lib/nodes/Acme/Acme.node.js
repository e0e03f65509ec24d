'use strict';
const https = require('https');
const http = require('http');
const { NodeConnectionTypes, NodeOperationError, NodeApiError } = require('n8n-workflow');
const { left } = require('left-helper');
const { middle } = require('middle-helper');

const only = (...operation) => ({ displayOptions: { show: { operation } } });

class Acme {
  constructor() {
    this.description = {
      displayName: 'Acme', name: 'acme', group: ['transform'], version: 1, description: 'Works with the Acme shop',
      defaults: { name: 'Acme' }, inputs: [NodeConnectionTypes.Main], outputs: [NodeConnectionTypes.Main], usableAsTool: true,
      credentials: [{ name: 'acmeApi', required: false }, { name: 'acmeSignedApi', required: false }],
      properties: [
        { displayName: 'Operation', name: 'operation', type: 'options', noDataExpression: true, default: 'echo', options: ['echo', 'get', 'old', 'raw', 'fetch', 'signed', 'fail', 'file', 'count', 'values', 'batch', 'loop', 'exit', 'eat', 'hoard', 'tell', 'start'].map((value) => ({ name: value, value })) },
        { displayName: 'Text', name: 'text', type: 'string', default: 'nothing', ...only('echo', 'fail') },
        { displayName: 'URL', name: 'url', type: 'string', default: '', required: true, ...only('get', 'old', 'raw', 'fetch', 'signed', 'batch') },
        { displayName: 'Shelf', name: 'shelf', type: 'resourceLocator', default: { mode: 'list', value: '' }, ...only('echo'), modes: [
          { displayName: 'From list', name: 'list', type: 'list', typeOptions: { searchListMethod: 'searchShelves', searchable: true } },
          { displayName: 'By URL', name: 'url', type: 'string', extractValue: { type: 'regex', regex: 'https://acme\\.example/shelf/(\\w+)' } },
        ] },
        { displayName: 'Colour', name: 'colour', type: 'options', default: '', typeOptions: { loadOptionsMethod: 'getColours' }, ...only('echo') },
        { displayName: 'Password', name: 'password', type: 'string', typeOptions: { password: true }, default: '', ...only('echo') },
        { displayName: 'Options', name: 'options', type: 'collection', default: {}, options: [
          { displayName: 'Loud', name: 'loud', type: 'boolean', default: false },
        ] },
        { displayName: 'Rows', name: 'rows', type: 'fixedCollection', typeOptions: { multipleValues: true }, default: {}, options: [
          { displayName: 'Row', name: 'row', values: [
            { displayName: 'Name', name: 'name', type: 'string', default: '' },
            { displayName: 'Count', name: 'count', type: 'number', default: 7 },
          ] },
        ] },
      ],
    };
    this.methods = {
      loadOptions: {
        async getColours() {
          return [{ name: 'Red', value: 'red' }, { name: `Of ${this.getCurrentNodeParameter('text')}`, value: 'own' }];
        },
      },
      listSearch: {
        async searchShelves(filter, token) {
          const { url } = await this.getCredentials('acmeApi');
          const found = await this.helpers.httpRequestWithAuthentication.call(this, 'acmeApi', { url: `${url}/shelves`, qs: { filter, token }, json: true });
          return { results: found.shelves.map((name) => ({ name, value: name, url: `https://acme.example/shelf/${name}` })), paginationToken: found.next };
        },
      },
    };
  }

  async execute() {
    const items = this.getInputData();
    const made = [];
    for (let index = 0; index < items.length; index++) {
      try {
        const operation = this.getNodeParameter('operation', index);
        made.push(...(await Acme.prototype.one.call(this, operation, index, items[index])));
      } catch (error) {
        if (!this.continueOnFail()) throw error;
        made.push({ json: { error: error.message }, pairedItem: { item: index } });
      }
    }
    return [made];
  }

  async one(operation, index, item) {
    const found = (json) => this.helpers.constructExecutionMetaData(this.helpers.returnJsonArray(json), { itemData: { item: index } });
    if (operation === 'echo') {
      const text = this.getNodeParameter('text', index);
      return found({
        text: left(text), middle: middle(text), shelf: this.getNodeParameter('shelf', index, '', { extractValue: true }),
        options: this.getNodeParameter('options', index), rows: this.getNodeParameter('rows.row', index, []),
        hidden: this.getNodeParameter('url', index, 'is hidden'), timezone: this.getTimezone(), name: this.getNode().name,
        evaluated: await this.evaluateExpression('{{ 1 + $json.n }}', index),
      });
    }
    const url = this.getNodeParameter('url', index, '');
    if (operation === 'get') return found(await this.helpers.httpRequestWithAuthentication.call(this, 'acmeApi', { method: 'POST', url, qs: { a: [1, 2], b: 'x y' }, body: { n: item.json.n }, json: true }));
    if (operation === 'old') return found(JSON.parse(await this.helpers.request({ method: 'POST', uri: url, form: { a: 'é', b: 2 } })));
    if (operation === 'signed') return found(await this.helpers.httpRequestWithAuthentication.call(this, 'acmeSignedApi', { url, json: true }));
    if (operation === 'fetch') {
      const reply = await fetch(url, { method: 'PUT', body: JSON.stringify({ n: 1 }), headers: { 'content-type': 'application/json' } });
      return found({ status: reply.status, ...(await reply.json()) });
    }
    if (operation === 'raw') {
      const body = await new Promise((resolve, reject) => {
        const request = (url.startsWith('https') ? https : http).request(url, { method: 'POST', headers: { 'x-raw': 'yes' } }, (reply) => {
          const parts = [];
          reply.on('data', (part) => parts.push(part));
          reply.on('end', () => resolve(Buffer.concat(parts).toString()));
        });
        request.on('error', reject);
        request.end('raw body');
      });
      return found(JSON.parse(body));
    }
    if (operation === 'fail') {
      throw new NodeOperationError(this.getNode(), `It fails with ${this.getNodeParameter('text', index)}`, { itemIndex: index, description: 'As it should.' });
    }
    if (operation === 'file') {
      const bytes = await this.helpers.getBinaryDataBuffer(index, 'data');
      const binary = await this.helpers.prepareBinaryData(Buffer.from(bytes.toString().toUpperCase()), 'loud.txt', 'text/plain');
      return [{ json: { length: bytes.length, type: this.helpers.assertBinaryData(index, 'data').mimeType }, binary: { kept: item.binary.data, loud: binary }, pairedItem: index }];
    }
    if (operation === 'count') {
      const memory = this.getWorkflowStaticData('node');
      memory.count = (memory.count || 0) + 1;
      return found({ count: memory.count });
    }
    if (operation === 'tell') throw new Error(`The key is ${(await this.getCredentials('acmeApi')).apiKey}.`);
    if (operation === 'start') return found(await this.executeWorkflow({ code: { nodes: [], connections: {} } }));
    if (operation === 'values') return found(await this.getCredentials('acmeApi'));
    if (operation === 'batch') {
      try {
        return found(await this.helpers.httpRequest({ url, json: true }));
      } catch (error) {
        throw new NodeApiError(this.getNode(), error, { itemIndex: index });
      }
    }
    if (operation === 'loop') for (;;);
    if (operation === 'exit') process.exit(3);
    if (operation === 'hoard') { const all = []; for (;;) all.push(Buffer.alloc(20 << 20, 1)); }
    if (operation === 'eat') { const all = []; for (;;) all.push(new Array(1e6).fill(Math.random())); }
    throw new Error(`no operation ${operation}`);
  }
}
exports.Acme = Acme;
