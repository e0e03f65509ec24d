'use strict';
class AcmeSignedApi {
  constructor() {
    this.name = 'acmeSignedApi';
    this.displayName = 'Acme signed API';
    this.properties = [{ displayName: 'Secret', name: 'secret', type: 'string', typeOptions: { password: true }, default: '' }];
  }

  async authenticate(credentials, options) {
    const { createHmac } = require('node:crypto');
    options.headers = { ...options.headers, 'x-signature': createHmac('sha256', credentials.secret).update(options.url).digest('hex') };
    return options;
  }
}
exports.AcmeSignedApi = AcmeSignedApi;
