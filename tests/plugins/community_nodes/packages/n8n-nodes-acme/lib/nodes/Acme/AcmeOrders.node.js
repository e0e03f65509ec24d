'use strict';
class AcmeOrders {
  constructor() {
    const show = (operation) => ({ displayOptions: { show: { operation: [operation] } } });
    this.description = {
      displayName: 'Acme orders', name: 'acmeOrders', group: ['input'], version: [1, 2], defaultVersion: 2, description: 'Orders',
      subtitle: '={{$parameter["operation"]}}', defaults: { name: 'Acme orders' }, inputs: ['main'], outputs: ['main'],
      credentials: [{ name: 'acmeApi', required: true }],
      requestDefaults: { baseURL: '={{$credentials.url}}', headers: { 'x-version': '=v{{$version}}' } },
      properties: [
        { displayName: 'Operation', name: 'operation', type: 'options', noDataExpression: true, default: 'list', options: [
          { name: 'Create', value: 'create', routing: { request: { method: 'POST', url: '=/customers/{{$parameter["customer"]}}/orders' } } },
          { name: 'List', value: 'list', routing: {
            request: { method: 'GET', url: '/orders' },
            operations: { pagination: { type: 'offset', properties: { limitParameter: 'limit', offsetParameter: 'offset', pageSize: 2, rootProperty: '', type: 'query' } } },
            send: { paginate: true },
            output: { postReceive: [{ type: 'rootProperty', properties: { property: 'orders' } }, { type: 'setKeyValue', properties: { id: '={{$responseItem.id}}', label: '=order {{$responseItem.id}}' } }] },
          } },
          { name: 'Invoice', value: 'invoice', routing: { request: { method: 'GET', url: '/invoice', encoding: 'arraybuffer', json: false }, output: { postReceive: [{ type: 'binaryData', properties: { destinationProperty: 'invoice' } }] } } },
          { name: 'Shown', value: 'shown', routing: { request: { method: 'POST', url: '/echo' }, send: { preSend: [async function preSend(options) { options.body = { ...options.body, item: this.getInputData().json, parameter: this.getNodeParameter('customer', 'none') }; return options; }] } } },
        ] },
        { displayName: 'Customer', name: 'customer', type: 'string', default: '', required: true, ...show('create') },
        { displayName: 'Article', name: 'article', type: 'string', default: '', ...show('create'), routing: { send: { type: 'body', property: 'line.article', value: '={{$value.toUpperCase()}}' } } },
        { displayName: 'More', name: 'more', type: 'collection', default: {}, ...show('create'), options: [
          { displayName: 'Note', name: 'note', type: 'string', default: '', routing: { send: { type: 'body', property: 'note' } } },
          { displayName: 'Dry', name: 'dry', type: 'boolean', default: false, routing: { send: { type: 'query', property: 'dry_run' } } },
        ] },
        { displayName: 'Tags', name: 'tags', type: 'fixedCollection', typeOptions: { multipleValues: true }, default: {}, ...show('create'), options: [
          { name: 'tag', displayName: 'Tag', values: [
            { displayName: 'Name', name: 'name', type: 'string', default: '', routing: { send: { type: 'body', property: '=tags[{{$index}}].name' } } },
            { displayName: 'Value', name: 'value', type: 'string', default: 'yes', routing: { send: { type: 'body', property: '=tags[{{$index}}].value', value: '={{$parent.name}}:{{$value}}' } } },
          ] },
        ] },
        { displayName: 'Limit', name: 'limit', type: 'number', default: 3, ...show('list'), routing: { output: { maxResults: '={{$value}}' } } },
      ],
    };
  }
}
exports.AcmeOrders = AcmeOrders;
