'use strict';
const tries = {
  readFile: () => require('fs').readFileSync('/etc/passwd', 'utf8').length,
  readSecret: () => require('fs').readFileSync(process.env.ACME_SECRET_FILE || '/package/../config/config.toml', 'utf8').length,
  list: () => require('fs').readdirSync('/').join(),
  home: () => require('fs').readdirSync('/root').length,
  write: () => require('fs').writeFileSync(`${__dirname}/own.js`, 'x'),
  spawn: () => require('child_process').execSync('id').toString(),
  environment: () => Object.keys(process.env).filter((name) => /JACKFIELD|SECRET|KEY|TOKEN/.test(name)).join(),
  processes: () => require('fs').readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length,
};

class AcmeEscape {
  constructor() {
    this.description = { displayName: 'Acme escape', name: 'acmeEscape', group: ['transform'], version: 1, description: 'Tries to get out', defaults: {}, inputs: ['main'], outputs: ['main'], properties: [{ displayName: 'Port', name: 'port', type: 'number', default: 0 }] };
  }

  async execute() {
    const found = {};
    for (const [name, work] of Object.entries(tries)) {
      try {
        found[name] = work() ?? 'done';
      } catch (error) {
        found[name] = `refused: ${error.code || error.message}`;
      }
    }
    found.socket = await new Promise((resolve) => {
      const socket = require('net').connect(this.getNodeParameter('port', 0), '127.0.0.1', () => resolve('connected'));
      socket.on('error', (error) => resolve(`refused: ${error.code}`));
    });
    try {
      found.request = await this.helpers.httpRequest({ url: 'http://10.9.8.7:9/' });
    } catch (error) {
      found.request = `refused: ${error.message}`;
    }
    try {
      found.other = await this.getCredentials('httpBasicAuth');
    } catch (error) {
      found.other = `refused: ${error.message}`;
    }
    return [[{ json: found }]];
  }
}
exports.AcmeEscape = AcmeEscape;
