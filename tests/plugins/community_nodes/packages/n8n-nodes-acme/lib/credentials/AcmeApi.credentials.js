'use strict';
class AcmeApi {
  constructor() {
    this.name = 'acmeApi';
    this.displayName = 'Acme API';
    this.properties = [
      { displayName: 'Key', name: 'apiKey', type: 'string', typeOptions: { password: true }, default: '', required: true },
      { displayName: 'Base URL', name: 'url', type: 'string', default: '' },
      { displayName: 'Retries', name: 'retries', type: 'number', default: 3 },
    ];
    this.authenticate = { type: 'generic', properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } } };
    this.test = { request: { baseURL: '={{$credentials.url}}', url: '/me' } };
  }
}
exports.AcmeApi = AcmeApi;
