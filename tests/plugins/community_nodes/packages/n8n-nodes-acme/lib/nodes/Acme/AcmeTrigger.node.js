'use strict';
class AcmeTrigger {
  constructor() {
    this.description = { displayName: 'Acme trigger', name: 'acmeTrigger', group: ['trigger'], version: 1, description: 'Begins', defaults: {}, inputs: [], outputs: ['main'], properties: [] };
  }

  async poll() {
    return null;
  }
}
exports.AcmeTrigger = AcmeTrigger;
